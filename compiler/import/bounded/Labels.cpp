// Labels get the sizes of the output that a loss compares them with.

#include "compiler/import/bounded/Labels.h"

#include "compiler/import/Build.h"
#include "compiler/import/Trained.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/entry/Inputs.h"
#include "compiler/import/bounded/ranges/Cases.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/TensorName.h"

#include <algorithm>

using namespace mlir;

namespace weir {
namespace {

class Labels {
public:
  Labels(OpBuilder &builder, func::FuncOp function, Location at,
         const LossRequest &loss)
      : function(function), loss(loss), b(at, builder),
        name(withoutIndex(loss.labels)) {}

  Compared compare(Traced output, Traced labels) {
    Compared result{output.value, labels.value};
    if (output.isBounded())
      result.output = output.value = probabilities(output.value);
    if (loss.labels.empty() || (!output.isBounded() && !labels.isBounded()))
      return result;
    RankedTensorType wanted = wantedType(typeOf(output.value));
    // What forms the loss tells that a scalar has no classes.
    if (!wanted)
      return result;
    Sizes sizes = sizesOf(output);
    sizes.truncate(wanted.getRank());
    if (!labels.value)
      labels = addInput(wanted, sizes);
    // It also tells what is wrong with labels of another rank.
    else if (typeOf(labels.value).getRank() == wanted.getRank())
      labels = fitted(labels, sizes);
    zeroBeyond(b, labels);
    result.labels = labels.value;
    result.sizes = listOf(b, sizesOf(output), b.getI64Type());
    for (auto [dim, size] : llvm::enumerate(sizesOf(output)))
      if (!size.isKnown())
        result.dynamicDims.push_back(static_cast<int64_t>(dim));
    return result;
  }

private:
  /// Probabilities as they were before zeros were put beyond their sizes:
  /// losses are of the scores that go into them.
  static Value probabilities(Value output) {
    auto zeroed = output.getDefiningOp<graph::SelectOp>();
    Value made = zeroed ? zeroed->getOperand(1) : Value();
    bool areMade = made && isa_and_nonnull<graph::SoftmaxOp, graph::SigmoidOp>(
                               made.getDefiningOp());
    return areMade ? made : output;
  }

  /// The type of labels for an output in a buffer of such a type; null where
  /// there are none.
  RankedTensorType wantedType(RankedTensorType output) {
    if (!loss.hasClasses)
      return output;
    if (output.getRank() == 0)
      return {};
    return RankedTensorType::get(output.getShape().drop_back(), b.getI32Type());
  }

  /// Labels of these sizes as an input, with their shape as another one.
  Traced addInput(RankedTensorType type, ArrayRef<Size> sizes) {
    EntryPort port{name.str(), name.str(), type};
    Location at = NameLoc::get(b.getStringAttr(name), b.getLoc());
    unsigned number = function.getNumArguments();
    auto shapeType = RankedTensorType::get(type.getRank(), b.getI64Type());
    function.insertArgument(number, type, portAttributes(b, port), at);
    SmallVector<PortDim> dims;
    for (const Size &size : sizes) {
      double least = size.isKnown() ? static_cast<double>(size.bound)
                                    : intervalOf(size.exact).low;
      dims.push_back({static_cast<int64_t>(std::clamp<double>(
                          least, 0, static_cast<double>(size.bound))),
                      ""});
    }
    function.insertArgument(number + 1, shapeType,
                            shapeAttributes(b, port, number, dims), at);
    Value shape = function.getArgument(number + 1);
    Size count{1, product(b, sizes, 0, sizes.size()).value};
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      check(dim, {size.bound, elementOf(b, shape, dim)}, size);
      count.bound *= size.bound;
    }
    // Callers give the elements without gaps.
    Value flat = reshapeTo(b, function.getArgument(number), {count.bound});
    return reshapeBounded(b, withSizes(flat, {count}), sizes);
  }

  /// Labels of the model in a buffer of these bounds.
  Traced fitted(const Traced &labels, ArrayRef<Size> sizes) {
    for (auto [dim, own, wanted] : llvm::enumerate(sizesOf(labels), sizes))
      if (!(own == wanted))
        check(dim, own, wanted);
    return withSizes(paddedTo(b, labels.value, boundsOf(sizes)), sizes);
  }

  void check(size_t dim, Size own, Size wanted) {
    Expr holds = apply<graph::EqualOp>(exactly(b, own), exactly(b, wanted));
    b.create<graph::CheckOp>(
        holds.value, "labels '" + escaped(name) + "': dimension " +
                         std::to_string(dim) +
                         " is not of the size that it has in the output");
  }

  func::FuncOp function;
  const LossRequest &loss;
  ImplicitLocOpBuilder b;
  StringRef name;
};

/// What the result is the shape of, if it is one.
std::optional<int64_t> shapeOf(func::FuncOp function, unsigned result) {
  auto of = attrs::shapeOf.ofResult(function, result);
  return of ? std::optional(of.getInt()) : std::nullopt;
}

/// A result of the function with its sizes.
Traced resultAt(func::FuncOp function, unsigned result) {
  Operation *end = function.getBody().front().getTerminator();
  ImplicitLocOpBuilder b(end->getLoc(), end);
  Traced traced{end->getOperand(result), {}, nullptr};
  for (unsigned i = 0; i < end->getNumOperands(); ++i) {
    if (shapeOf(function, i) != static_cast<int64_t>(result))
      continue;
    Sizes sizes;
    for (auto [dim, bound] : llvm::enumerate(typeOf(traced.value).getShape())) {
      Value exact = elementOf(b, end->getOperand(i), static_cast<int64_t>(dim));
      sizes.push_back({bound, knownNumber(exact) ? Value() : exact});
    }
    return withSizes(traced.value, sizes);
  }
  return traced;
}

} // namespace

Compared compared(OpBuilder &builder, func::FuncOp function, Traced output,
                  Traced labels, const LossRequest &loss) {
  Location at = output.isBounded() ? output.value.getLoc() : function.getLoc();
  return Labels(builder, function, at, loss)
      .compare(std::move(output), std::move(labels));
}

void addLabels(func::FuncOp function, const LossRequest &loss) {
  Operation *end = function.getBody().front().getTerminator();
  Traced output = resultAt(function, 0), labels;
  if (end->getNumOperands() > 1 && !shapeOf(function, 1))
    labels = resultAt(function, 1);
  OpBuilder b(end);
  Compared all = compared(b, function, output, labels, loss);
  if (!all.sizes)
    return;
  end->setOperands({all.output, all.labels, all.sizes});
  SmallVector<DictionaryAttr> attributes(3, b.getDictionaryAttr({}));
  function.setType(
      b.getFunctionType(function.getArgumentTypes(), end->getOperandTypes()));
  function.setAllResultAttrs(attributes);
  markTraining(function, all.dynamicDims);
}

} // namespace weir
