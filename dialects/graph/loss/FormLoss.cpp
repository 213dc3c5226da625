// Builds the loss of an output and its labels.

#include "dialects/graph/loss/FormLoss.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/loss/Losses.h"
#include "dialects/weir/Attributes.h"
#include <numeric>

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {

Expr inFull(Expr x) {
  return x && x.elementType().getIntOrFloatBitWidth() < 32
             ? cast(x, x.b->getF32Type())
             : x;
}

Expr sumOfAll(Expr x) {
  if (x.rank() == 0)
    return x;
  SmallVector<int64_t> dims(x.rank());
  std::iota(dims.begin(), dims.end(), 0);
  return sum(x, dims);
}

Value addInput(func::FuncOp function, RankedTensorType type, StringRef name) {
  Builder b(function.getContext());
  StringAttr text = b.getStringAttr(name);
  unsigned i = function.getNumArguments();
  function.insertArgument(
      i, type,
      b.getDictionaryAttr({b.getNamedAttr(attrs::name.name(), text),
                           b.getNamedAttr(attrs::tensor.name(), text)}),
      NameLoc::get(text, function.getLoc()));
  return function.getArgument(i);
}

/// The mean of terms, which have the first dimensions of the output, of those
/// within its sizes.
static Expr meanOf(Expr terms, const LossOperands &operands) {
  if (!terms || terms.rank() == 0)
    return terms;
  ImplicitLocOpBuilder &b = *terms.b;
  double known = 1;
  Expr count, mask;
  for (int64_t dim = 0; dim < terms.rank(); ++dim) {
    if (!llvm::is_contained(operands.dynamicDims, dim)) {
      known *= static_cast<double>(terms.size(dim));
      continue;
    }
    Expr size = reshape(slice(Expr(b, operands.sizes), 0, dim, 1), {});
    SmallVector<int64_t> shape(terms.rank(), 1);
    shape[dim] = terms.size(dim);
    Expr index = graph::iota(b, b.getI64Type(), shape, dim);
    Expr isWithin = apply<graph::LessOp>(index, size);
    mask = mask ? apply<graph::LogicalAndOp>(mask, isWithin) : isWithin;
    count = count ? count * size : size;
  }
  if (!count)
    return sumOfAll(terms) / known;
  // A loss of no elements is 0, and changes nothing.
  count = cast(maximum(count * known, count.like(1)), terms.elementType());
  return sumOfAll(select(mask, terms, terms.like(0))) / count;
}

FailureOr<Value> formLoss(OpBuilder &builder, func::FuncOp function,
                          const LossOperands &operands, const Recipe &recipe) {
  Value output = operands.output;
  auto type = dyn_cast<RankedTensorType>(output.getType());
  if (!type || !isa<FloatType>(type.getElementType())) {
    mlir::emitError(output.getLoc())
        << "is a " << output.getType() << "; a loss is of floats";
    return failure();
  }
  ImplicitLocOpBuilder b(output.getLoc(), builder);
  if (recipe.text("loss").empty())
    return sumOfAll(inFull(Expr(b, output))).value;
  const Loss *loss = findLoss(recipe.text("loss"));
  if (!loss) {
    function.emitError("has an unknown loss: '") << recipe.text("loss") << "'";
    return failure();
  }
  RankedTensorType wanted = labelsType(*loss, type);
  if (!wanted) {
    mlir::emitError(output.getLoc())
        << "is a " << type << ", of which there is no " << recipe.text("loss");
    return failure();
  }
  if (StringRef(loss->name).contains("softmax") &&
      llvm::is_contained(operands.dynamicDims, type.getRank() - 1)) {
    mlir::emitError(output.getLoc())
        << "has as many classes as only the run knows, of which there is no "
        << loss->name << "; fix the last dimension with --shape";
    return failure();
  }
  Value labels = operands.labels
                     ? operands.labels
                     : addInput(function, wanted, recipe.text("labels"));
  auto given = cast<RankedTensorType>(labels.getType());
  bool agrees = given.getShape() == wanted.getShape() &&
                (loss->sparse ? isa<IntegerType>(given.getElementType())
                              : given == wanted);
  if (!agrees) {
    mlir::emitError(labels.getLoc())
        << "is a " << given << "; labels for " << recipe.text("loss")
        << " are a " << wanted;
    return failure();
  }
  Value scores = scoresOf(*loss, output);
  Expr target(b, labels);
  Expr terms =
      loss->of(inFull(Expr(b, scores)), loss->sparse ? target : inFull(target),
               recipe.number(loss->parameter, loss->value));
  Expr value = meanOf(terms, operands);
  if (!value) {
    function.emitError("has a loss that cannot be built");
    return failure();
  }
  return value.value;
}

} // namespace weir::train
