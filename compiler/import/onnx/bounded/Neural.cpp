// Products, windows, means and recurrent layers, where sizes are known only at
// run time.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/attention/Attention.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/rules/Joins.h"
#include "compiler/import/rules/Matrices.h"
#include "compiler/import/rules/Means.h"

#include "dialects/graph/Elementwise.h"

#include <limits>

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
  SmallVector<Value> positions;
  auto sizes = alignMatrices(node, false, false, positions);
  if (failed(sizes) || failed(runOnPaddedBuffers(node, positions)))
    return failure();
  return giveSizes(node, 0, *sizes);
}

LogicalResult importGlobalAverage(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  if (node.rank(0) < 3 || !isOf(node.element(0), Elements::floats))
    return node.error() << "does not take " << node.type(0);
  if (llvm::all_of(ArrayRef(sizesOf(node.traced(0))).drop_front(2),
                   [](const Size &size) { return size.isKnown(); }))
    return giveInferred(node);
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
    Value given = paddedTo(b, node.operand(4), {batch.bound});
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

/// Whether a dimension other than `dim` has a size that only the run knows.
bool isDynamicBeside(const Traced &traced, size_t dim) {
  for (auto [i, size] : llvm::enumerate(sizesOf(traced)))
    if (i != dim && !size.isKnown())
      return true;
  return false;
}

/// The mask with what it does not reach left out, of at most `keys`.
Value reachingMask(Node &node, int64_t keys) {
  Traced given = node.traced(3);
  double out = 0;
  if (!node.element(3).isInteger(1)) {
    out = -std::numeric_limits<double>::infinity();
    // It is added to products of floats, and integers have no infinity.
    given.value = castTo(node.b, given.value, node.element(0));
  }
  Expr mask = masked(node.b, given, out);
  Integers bounds(mask.shape());
  bounds.back() = std::min(bounds.back(), keys);
  return paddedTo(node.b, mask.value, bounds);
}

/// Keys and values behind a past of any length: all that there is room for are
/// looked at, and lengths leave out those that there are not.
LogicalResult importAttentionToPast(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  bool hasPast = node.has(4) && node.has(5) && !node.has(6);
  for (unsigned i = 0; hasPast && i < 6; ++i)
    if (node.has(i))
      hasPast = node.rank(i) >= 2 &&
                !isDynamicBeside(node.traced(i), i < 3    ? node.rank(i)
                                                 : i == 3 ? node.rank(3) - 1
                                                          : 2);
  if (!hasPast)
    return node.unsupported("a past beside sizes that are known only at run "
                            "time");
  bool isFlat = node.rank(0) == 3;
  SmallVector<Traced> operands(7), present;
  for (unsigned i = 0; i < 3; ++i) {
    Expr heads = operand(node, i);
    if (isFlat)
      heads =
          splitHeads(heads, node.intAttr(i ? "kv_num_heads" : "q_num_heads"));
    if (!heads || heads.rank() != 4 || (i && node.rank(3 + i) != 4))
      return node.error() << "queries, keys and values " << node.type(0) << ", "
                          << node.type(1) << " and " << node.type(2)
                          << " do not fit together";
    operands[i] = {heads.value, {}, nullptr};
    if (!i)
      continue;
    auto whole = joined(node, {node.traced(3 + i), operands[i]}, 2);
    if (failed(whole))
      return failure();
    present.push_back(*whole);
  }
  // Lengths tell where the last query stands, and so where they all do.
  if (node.intAttr("is_causal") && typeOf(operands[0].value).getDimSize(2) !=
                                       typeOf(operands[1].value).getDimSize(2))
    return node.unsupported("causal queries that are not as many as the keys "
                            "behind a past of any length");
  auto count = agreedSize(node, sizesOf(present[0])[2], sizesOf(present[1])[2],
                          "keys and values");
  if (failed(count))
    return failure();
  for (unsigned i = 0; i < 2; ++i) {
    Sizes sizes = sizesOf(present[i]);
    sizes[2] = *count;
    Value position = paddedTo(b, present[i].value, boundsOf(sizes));
    // No share, however small, is of what is no number.
    operands[1 + i] = {
        masked(b, withSizes(position, sizes), 0).value, {}, nullptr};
  }
  if (node.has(3))
    operands[3] = {reachingMask(node, count->bound), {}, nullptr};
  int64_t batch = typeOf(operands[0].value).getDimSize(0);
  operands[6] = {broadcast(exactly(b, *count), {batch}).value, {}, nullptr};
  if (failed(node.runOn(operands)))
    return failure();
  if (isFlat)
    node.given[0].value = joinHeads(Expr(b, node.given[0].value)).value;
  node.given[1] = present[0];
  node.given[2] = present[1];
  Sizes products = sizesOf(node.given[3]);
  products.back() = *count;
  node.given[3] = withSizes(node.given[3].value, products);
  return success();
}

/// Without a past, keys and queries are counted from the first on.
LogicalResult importAttention(Node &node) {
  if (!node.has(4) && !node.has(5))
    return giveInferred(node, Mixing::byOps);
  return importAttentionToPast(node);
}

} // namespace

void addBoundedNeuralHandlers(BoundedHandlers &handlers) {
  handlers["Attention"] = importAttention;
  handlers["GlobalAveragePool"] = importGlobalAverage;
  for (StringRef op : {"GRU", "LSTM", "RNN"})
    handlers[op] = importRecurrent;
  handlers["MatMul"] = importMatMul;
  handlers["ReduceMean"] = importMean;
}

} // namespace weir::onnx
