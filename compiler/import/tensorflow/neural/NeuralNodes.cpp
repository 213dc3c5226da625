// Matrix products, biases and losses.

#include "compiler/import/tensorflow/neural/Fused.h"
#include "compiler/import/tensorflow/neural/Morphology.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult matMul(Node &node) {
  bool transposeA = node.boolAttr("transpose_a", node.boolAttr("adj_x"));
  bool transposeB = node.boolAttr("transpose_b", node.boolAttr("adj_y"));
  Expr a = operand(node, 0), b = operand(node, 1);
  if (a && b && node.op() == "MatMul" && (a.rank() != 2 || b.rank() != 2))
    return node.error() << "multiplies matrices, not tensors of rank "
                        << a.rank() << " and " << b.rank();
  // The third version may widen.
  Type wide = node.typeAttr("Tout");
  if (a && b && wide) {
    a = cast(a, wide);
    b = cast(b, wide);
  }
  return give(node, matmul(a, b, transposeA, transposeB));
}

/// Matrices of which most elements are said to be 0; the product is of f32.
LogicalResult sparseMatMul(Node &node) {
  Expr a = operand(node, 0), b = operand(node, 1);
  if (!a || !b || a.rank() != 2 || b.rank() != 2 ||
      !isa<FloatType>(a.elementType()) || !isa<FloatType>(b.elementType()))
    return give(node, Expr());
  Type type = node.b.getF32Type();
  return give(node,
              matmul(cast(a, type), cast(b, type), node.boolAttr("transpose_a"),
                     node.boolAttr("transpose_b")));
}

/// The channels' dimension of `x`, which may be first of those after the batch.
std::optional<int64_t> channelsOf(Node &node, Expr x) {
  if (!x || x.rank() < 1)
    return std::nullopt;
  bool first = node.stringAttr("data_format").starts_with("NC");
  return first && x.rank() > 2 ? 1 : x.rank() - 1;
}

LogicalResult biasAdd(Node &node) {
  Expr x = operand(node, 0), bias = operand(node, 1);
  auto channels = channelsOf(node, x);
  if (!channels || !bias || bias.rank() != 1 ||
      bias.size(0) != x.size(*channels))
    return give(node, Expr());
  SmallVector<int64_t> shape(x.rank(), 1);
  shape[*channels] = bias.size(0);
  return give(node, x + reshape(bias, shape));
}

LogicalResult biasGradient(Node &node) {
  Expr x = operand(node, 0);
  auto channels = channelsOf(node, x);
  if (!channels)
    return give(node, Expr());
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != *channels)
      others.push_back(i);
  return give(node, sum(x, others));
}

Expr logSoftmax(Expr x) { return apply<graph::LogSoftmaxOp>(x); }

/// The loss of each row and its gradient, from logits and the weights that the
/// labels give to each class.
LogicalResult crossEntropy(Node &node, Expr logits, Expr labels) {
  if (!align(logits, labels) || logits.rank() != 2)
    return give(node, Expr());
  Expr logs = logSoftmax(logits);
  return give(node,
              {-sum(labels * logs, {1}), apply<graph::ExpOp>(logs) - labels});
}

LogicalResult softmaxCrossEntropy(Node &node) {
  return crossEntropy(node, operand(node, 0), operand(node, 1));
}

LogicalResult sparseCrossEntropy(Node &node) {
  Expr logits = operand(node, 0), labels = operand(node, 1);
  if (!logits || !labels || logits.rank() != 2 || labels.rank() != 1 ||
      labels.size(0) != logits.size(0))
    return give(node, Expr());
  ImplicitLocOpBuilder &b = node.b;
  // A label out of range has a loss that is not a number, as in TensorFlow.
  int64_t classes = logits.size(1);
  Type labelType = labels.elementType();
  Expr column = reshape(labels, {labels.size(0), 1});
  auto rowType = RankedTensorType::get({1, classes}, labelType);
  Expr row(b, make<graph::IotaOp>(b, rowType, 1));
  if (!align(column, row))
    return give(node, Expr());
  Expr hit(b, make<graph::EqualOp>(b, column.value, row.value));
  Expr logs = logSoftmax(logits);
  Expr one = logits.like(1), zero = logits.like(0);
  Expr known = sum(select(hit, one, zero), {1}, /*keep=*/true);
  Expr picked = sum(select(hit, logs, zero), {1});
  // 0 / 0 where no class is hit.
  Expr valid = known / known;
  Expr loss = -picked * reshape(valid, {logits.size(0)});
  Expr gradient = (apply<graph::ExpOp>(logs) - select(hit, one, zero)) * valid;
  return give(node, {loss, gradient});
}

LogicalResult l2Loss(Node &node) {
  Expr x = operand(node, 0);
  if (!x)
    return give(node, Expr());
  Expr flat = reshape(x, {x.type().getNumElements()});
  return give(node, sum(apply<graph::SquareOp>(flat), {0}) * 0.5);
}

} // namespace

void addNeuralHandlers(Handlers &handlers) {
  for (const char *name :
       {"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"})
    handlers[name] = matMul;
  handlers["SparseMatMul"] = sparseMatMul;
  for (const char *name : {"BiasAdd", "BiasAddV1"})
    handlers[name] = biasAdd;
  handlers["BiasAddGrad"] = biasGradient;
  handlers["SoftmaxCrossEntropyWithLogits"] = softmaxCrossEntropy;
  handlers["SparseSoftmaxCrossEntropyWithLogits"] = sparseCrossEntropy;
  handlers["L2Loss"] = l2Loss;
  addConvolutionHandlers(handlers);
  addEinsumHandlers(handlers);
  addFusedHandlers(handlers);
  addMorphologyHandlers(handlers);
  addNormHandlers(handlers);
  addPoolHandlers(handlers);
  addRecurrentHandlers(handlers);
}

} // namespace weir::tensorflow
