// What gradients are called, and the ops that they are.

#include "compiler/import/Gradients.h"

#include "compiler/import/Build.h"

#include "dialects/graph/gradients/Gradient.h"

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
  barrier->setAttr("weir.watched", b.getI64IntegerAttr(number));
  return barrier;
}

Value differentiable(Report &report, Location at, const Traced &traced) {
  if (!traced.value || traced.imaginary || traced.isBounded()) {
    report.error(at, Status::unsupported)
        << "is no tensor of real numbers and of fixed shape that the loss "
           "may depend on: it has no gradient";
    return {};
  }
  if (!isa<FloatType>(typeOf(traced.value).getElementType())) {
    report.error(at, Status::badUsage)
        << "is a " << traced.value.getType() << "; only floats have gradients";
    return {};
  }
  return traced.value;
}

void addDerivatives(OpBuilder &builder, Value loss, ArrayRef<Value> variables,
                    SmallVectorImpl<Value> &values) {
  auto op = builder.create<graph::GradientOp>(loss.getLoc(), loss, variables);
  llvm::append_range(values, op.getResults());
}

} // namespace weir
