// Which handler a node with sizes known only at run time gets.

#include "compiler/import/onnx/bounded/Bounded.h"

#include "compiler/import/Names.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/rules/Elementwise.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {

/// Operands broadcast; before opset 7 the second may be aligned with an axis of
/// the first.
static LogicalResult importElementwise(Node &node) {
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(node.traced(i));
  if (node.opset() < 7 && node.def.domain().empty() && node.hasAttr("axis"))
    return node.unsupported("operands aligned with an axis, with sizes known "
                            "only at run time");
  return failed(alignOperands(node, operands)) ? failure()
                                               : giveInferred(node, operands);
}

/// Marks as many places as its operand has.
static LogicalResult importHardmax(Node &node) {
  return failed(giveInferred(node, Mixing::byOps))
             ? failure()
             : giveSizes(node, 0, sizesOf(node.traced(0)));
}

/// Handlers that combine what lies along a dimension by ops alone.
static LogicalResult importMixing(Node &node) {
  return giveInferred(node, Mixing::byOps);
}

/// Handlers that take means along dimensions, and combine by ops alone.
static LogicalResult importMeans(Node &node) {
  return giveInferred(node, Mixing::byMeans);
}

/// With `select_last_index` the first of equal elements in reverse order, in
/// which what lies beyond the size comes first and is never better. Where all
/// are as bad as that, the last that there is.
template <typename Op>
static LogicalResult importArg(Node &node) {
  if (node.intAttr("select_last_index") == 0 || !node.has(0))
    return importMixing(node);
  Sizes sizes = sizesOf(node.traced(0));
  FailureOr<int64_t> axis =
      node.axis(node.intAttr("axis"), static_cast<int64_t>(sizes.size()));
  if (failed(axis))
    return failure();
  Size along = sizes[*axis];
  if (along.isKnown() || along.bound == 0)
    return importMixing(node);
  ImplicitLocOpBuilder &b = node.b;
  constexpr bool isLargest = std::is_same_v<Op, graph::ArgMaxOp>;
  Expr worst =
      identityOf(b, isLargest ? graph::Reduction::max : graph::Reduction::min,
                 operand(node, 0).elementType());
  Expr x = reverse(masked(b, node.traced(0), worst, *axis), *axis);
  Sizes left(sizes);
  left.erase(left.begin() + *axis);
  auto type = RankedTensorType::get(boundsOf(left), b.getI64Type());
  Expr found(b, make<Op>(b, type, x.value, b.getI64IntegerAttr(*axis)));
  found = minimum(number(b, along.bound - 1) - found,
                  exactly(b, along) - number(b, 1));
  if (node.intAttr("keepdims", 1)) {
    left.insert(left.begin() + *axis, Size{1, {}});
    found = reshape(found, boundsOf(left));
  }
  return failed(give(node, found)) ? failure() : giveSizes(node, 0, left);
}

const BoundedHandlers &boundedHandlers() {
  static const BoundedHandlers table = [] {
    BoundedHandlers handlers;
    for (StringRef op : {"BitShift", "Clip", "Max", "Mean", "Min", "Mod",
                         "PRelu", "Pow", "Sum", "Where"})
      handlers[op] = importElementwise;
    for (StringRef op : {"BatchNormalization",
                         "CumProd",
                         "CumSum",
                         "DynamicQuantizeLinear",
                         "Einsum",
                         "Gemm",
                         "GlobalLpPool",
                         "GlobalMaxPool",
                         "LogSoftmax",
                         "LpNormalization",
                         "MatMulInteger",
                         "NegativeLogLikelihoodLoss",
                         "QLinearMatMul",
                         "ReduceL1",
                         "ReduceL2",
                         "ReduceLogSum",
                         "ReduceLogSumExp",
                         "ReduceMax",
                         "ReduceMin",
                         "ReduceProd",
                         "ReduceSum",
                         "ReduceSumSquare",
                         "Softmax",
                         "SoftmaxCrossEntropyLoss"})
      handlers[op] = importMixing;
    for (StringRef op :
         {"GroupNormalization", "InstanceNormalization", "LayerNormalization",
          "MeanVarianceNormalization", "RMSNormalization"})
      handlers[op] = importMeans;
    // Their contractions are products of matrices and means of known sizes.
    for (StringRef op :
         {"Attention", "DynamicQuantizeMatMul", "EmbedLayerNormalization",
          "FusedGemm", "FusedMatMul", "GemmFastGelu", "MatMulIntegerToFloat",
          "MatMulNBits", "MultiHeadAttention", "QAttention", "QGemm",
          "QLinearSoftmax", "RotaryEmbedding", "GatherBlockQuantized",
          "TransposeMatMul"})
      handlers[("com.microsoft::" + op).str()] = importMixing;
    handlers["ArgMax"] = importArg<graph::ArgMaxOp>;
    handlers["ArgMin"] = importArg<graph::ArgMinOp>;
    handlers["Hardmax"] = importHardmax;
    addBoundedChoiceHandlers(handlers);
    addBoundedGatherHandlers(handlers);
    addBoundedNeuralHandlers(handlers);
    addBoundedPositionHandlers(handlers);
    addBoundedResizeHandlers(handlers);
    addBoundedShapeHandlers(handlers);
    addBoundedUniqueHandlers(handlers);
    addBoundedWindowHandlers(handlers);
    return handlers;
  }();
  return table;
}

bool wantsBounded(Node &node) {
  for (unsigned i = 0; i < node.size(); ++i)
    if (node.traced(i).isBounded())
      return true;
  auto found = boundedHandlers().find(node.op());
  if (found == boundedHandlers().end())
    return false;
  // What the model says of its sizes is what they are, unless it has open ones.
  if (!node.tracer.hasDynamicInputs &&
      (!found->second.bySizes || node.declaredShape(0) || node.likelyShape(0)))
    return false;
  return llvm::any_of(found->second.deciding, [&](unsigned i) {
    return node.operand(i) && node.type(i).getNumElements() &&
           !node.tryConstant(i);
  });
}

LogicalResult importBounded(Node &node) {
  // Sequences hold tensors of any sizes.
  auto plain = handlers().find(node.op());
  if (plain != handlers().end() && plain->second.takes == Takes::bounded)
    return plain->second.run(node);
  for (unsigned i = 0; i < node.size(); ++i)
    if (node.has(i) && !node.operand(i) && node.op() != "Identity")
      return node.unsupported("operand " + Twine(i) +
                              " is no tensor, beside "
                              "one with a size known only at run time");
  if (auto found = boundedHandlers().find(node.op());
      found != boundedHandlers().end())
    return found->second.run(node);
  if (plain != handlers().end() && plain->second.takes == Takes::dynamic)
    return plain->second.run(node);
  if (auto found = handlers().find(node.op()); found != handlers().end()) {
    if (node.op() == "Identity")
      return found->second.run(node);
    bool hasGraphs = llvm::any_of(node.def.attribute(), [](const auto &attr) {
      return attr.has_g() || attr.graphs_size();
    });
    if (found->second.takes == Takes::anything || hasGraphs)
      return node.unsupported("an operand has a size that is known only at "
                              "run time");
    return giveInferred(node);
  }
  if (auto found = onnxNames().find(node.op()); found != onnxNames().end()) {
    auto name =
        RegisteredOperationName::lookup(found->second, node.b.getContext());
    if (name && name->hasInterface<graph::ScalarOpInterface>())
      return importElementwise(node);
    return giveInferred(node);
  }
  return node.unsupported("no such op");
}

} // namespace weir::onnx
