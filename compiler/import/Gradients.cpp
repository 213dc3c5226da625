// What gradients are called, and the ops that they are.

#include "compiler/import/Gradients.h"

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Labels.h"
#include "compiler/import/bounded/PaddedBuffers.h"

#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/loss/FormLoss.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {

std::optional<size_t> gradientNamed(StringRef loss,
                                    ArrayRef<std::string> given) {
  const auto *found = llvm::find(given, loss);
  return found == given.end() ? std::nullopt
                              : std::optional<size_t>(found - given.begin());
}

FailureOr<std::string> addGradient(Report &report, size_t k, StringRef called,
                                   std::vector<std::string> &given) {
  std::string name =
      "gradients" + (k ? "_" + std::to_string(k) : "") + "/" + called.str();
  if (llvm::is_contained(given, name)) {
    report.error(Status::badUsage)
        << "--grad: '" << escaped(called) << "' is given twice";
    return failure();
  }
  given.push_back(name);
  return name;
}

Value watchedValue(ImplicitLocOpBuilder &b, Value value, int64_t number) {
  auto barrier = b.create<graph::BarrierOp>(value);
  // CSE merges ops that are alike, as barriers of equal constants would be.
  attrs::watched.set(barrier, number);
  return barrier;
}

Traced differentiable(Report &report, Location at, Traced traced) {
  if (!traced.value || traced.imaginary) {
    report.error(at, Status::unsupported)
        << "is no tensor of real numbers that the loss may depend on: it has "
           "no gradient";
    return {};
  }
  if (!isa<FloatType>(typeOf(traced.value).getElementType())) {
    report.error(at, Status::badUsage)
        << "is a " << traced.value.getType() << "; only floats have gradients";
    return {};
  }
  return traced;
}

Traced formedLoss(Report &report, OpBuilder &builder, Traced output,
                  Traced labels, const LossRequest &loss) {
  auto function =
      llvm::cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp());
  Compared given =
      compared(builder, function, std::move(output), std::move(labels), loss);
  FailureOr<Value> value = train::formLoss(
      builder, function,
      {given.output, given.labels, given.dynamicDims, given.sizes},
      train::Recipe(loss.recipe));
  if (succeeded(value))
    return {*value, {}, nullptr};
  if (report.status == Status::ok)
    report.status = Status::badUsage;
  return {};
}

void addDerivatives(OpBuilder &builder, const Traced &loss,
                    ArrayRef<Traced> variables,
                    SmallVectorImpl<Traced> &gradients) {
  ImplicitLocOpBuilder b(loss.value.getLoc(), builder);
  // The sum is of what there is.
  Traced whole = loss;
  zeroBeyond(b, whole);
  SmallVector<Value> by;
  for (const Traced &variable : variables)
    by.push_back(variable.value);
  auto op = b.create<graph::GradientOp>(whole.value, by);
  for (auto [gradient, variable] : llvm::zip_equal(op.getResults(), variables))
    zeroBeyond(b, gradients.emplace_back(
                      Traced{gradient, {}, nullptr, variable.extents}));
}

} // namespace weir
