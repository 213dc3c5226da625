// Products, windows, means and recurrent layers, where sizes are known only at
// run time.

#include "compiler/import/onnx/bounded/Bounded.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Rows, columns and batch are of any size; what both have in common ends where
/// it ends in both.
LogicalResult importMatMul(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  if (node.rank(0) < 2 || node.rank(1) < 2)
    return giveInferred(node, Mixing::byOps);
  SmallVector<Value> places;
  auto sizes = alignMatrices(node, false, false, places);
  if (failed(sizes) || failed(runOnPlaces(node, places)))
    return failure();
  return giveSizes(node, 0, *sizes);
}

/// Whether dimensions after the channels are open.
bool hasOpenImages(Node &node) {
  Sizes sizes = sizesOf(node.traced(0));
  return sizes.size() > 2 &&
         llvm::any_of(ArrayRef(sizes).drop_front(2),
                      [](const Size &size) { return !size.isKnown(); });
}

/// How many windows there are must follow from the size in one way whatever it
/// is, and so must the margins.
LogicalResult importWindows(Node &node) {
  if (!node.size() || !node.operand(0) || !hasOpenImages(node))
    return giveInferred(node);
  bool isSame = node.stringAttr("auto_pad").starts_with("SAME");
  bool strides = llvm::any_of(node.intsAttr("strides"),
                              [](int64_t stride) { return stride != 1; });
  if (node.intAttr("ceil_mode") || (isSame && strides))
    return node.unsupported("such margins of images whose size is known only "
                            "at run time");
  bool isPadded = isSame || llvm::any_of(node.intsAttr("pads"),
                                         [](int64_t n) { return n != 0; });
  if (node.op() == "AveragePool" && isPadded)
    return node.unsupported("means with margins of images whose size is known "
                            "only at run time");
  return giveInferred(node, Mixing::byOps);
}

LogicalResult importGlobalAverage(Node &node) {
  if (!node.size() || !node.operand(0) || !hasOpenImages(node))
    return giveInferred(node);
  if (!isOf(node.element(0), Elements::floats))
    return node.error() << "does not take " << node.type(0);
  return giveMean(node, llvm::to_vector(llvm::seq<int64_t>(2, node.rank(0))),
                  true);
}

/// The axes are an attribute before opset 18.
LogicalResult importMean(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  auto given = integersAt(node, "axes", 1);
  if (failed(given))
    return failure();
  auto dims = node.axes(*given ? **given : Integers(), node.rank(0));
  if (failed(dims))
    return failure();
  if (dims->empty() && node.intAttr("noop_with_empty_axes"))
    return giveInferred(node);
  if (dims->empty())
    *dims = llvm::to_vector(llvm::seq<int64_t>(0, node.rank(0)));
  llvm::sort(*dims);
  Sizes sizes = sizesOf(node.traced(0));
  if (llvm::all_of(*dims, [&](int64_t d) { return sizes[d].isKnown(); }))
    return giveInferred(node);
  return giveMean(node, *dims, node.intAttr("keepdims", 1) != 0);
}

/// Steps that there are not are beyond the end of every sequence, which the
/// layer leaves out where it is given lengths.
LogicalResult importRecurrent(Node &node) {
  if (failed(wantOperands(node, 3, 8)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  bool batchFirst = node.intAttr("layout") == 1;
  if (node.rank(0) != 3)
    return node.error() << "takes no sequences " << node.type(0);
  Sizes sizes = sizesOf(node.traced(0));
  Size &steps = sizes[batchFirst ? 1 : 0];
  const Size batch = sizes[batchFirst ? 0 : 1], count = steps;
  if (!sizes[2].isKnown())
    return node.unsupported("inputs whose number is known only at run time");
  if (steps.isKnown())
    return giveInferred(node);
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < std::max(node.size(), 5u); ++i)
    operands.push_back(node.traced(i));
  Expr most = cast(exactly(b, steps), b.getI32Type());
  Expr lengths = broadcast(most, {batch.bound});
  if (node.has(4)) {
    if (node.rank(4) != 1 || !node.element(4).isSignlessInteger(32))
      return node.error() << "has lengths " << node.type(4);
    Value given = inPlaceOf(b, node.operand(4), {batch.bound});
    lengths = minimum(lengths, Expr(b, given));
  }
  operands[4] = withSizes(lengths.value, {batch});
  steps.exact = nullptr;
  operands[0] = withSizes(node.operand(0), sizes);
  if (failed(giveInferred(node, operands)))
    return failure();
  Traced &y = node.given.front();
  if (!y.value)
    return success();
  Sizes whole = sizesOf(y);
  whole[batchFirst ? 1 : 0] = count;
  y = withSizes(y.value, whole);
  return success();
}

/// Without a past, keys and queries are counted from the first on.
LogicalResult importAttention(Node &node) {
  if (node.has(4) || node.has(5))
    return node.unsupported("a past beside sizes that are known only at run "
                            "time");
  return giveInferred(node, Mixing::byOps);
}

} // namespace

void addBoundedNeuralHandlers(BoundedHandlers &handlers) {
  handlers["Attention"] = importAttention;
  for (StringRef op : {"Conv", "ConvInteger", "QLinearConv", "MaxPool",
                       "AveragePool", "LpPool"})
    handlers[op] = importWindows;
  handlers["GlobalAveragePool"] = importGlobalAverage;
  for (StringRef op : {"GRU", "LSTM", "RNN"})
    handlers[op] = importRecurrent;
  handlers["MatMul"] = importMatMul;
  handlers["ReduceMean"] = importMean;
}

} // namespace weir::onnx
