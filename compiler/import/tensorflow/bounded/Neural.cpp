// Matrix products, norms, losses and crops of tensors with sizes known only at
// run time.

#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Inference.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Matrices.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Rows, columns and batch are of any size; what both have in common ends where
/// it ends in both.
LogicalResult importMatMul(Node &node) {
  if (node.size() != 2 || node.rank(0) < 2 || node.rank(1) < 2)
    return node.error() << "multiplies matrices";
  bool transposeX = node.boolAttr("transpose_a", node.boolAttr("adj_x")),
       transposeY = node.boolAttr("transpose_b", node.boolAttr("adj_y"));
  SmallVector<Value> positions;
  auto sizes = alignMatrices(node, transposeX, transposeY, positions);
  if (failed(sizes) || failed(runOnPaddedBuffers(node, positions)))
    return failure();
  return giveSizes(node, 0, *sizes);
}

/// By the statistics of all images; the variance that is reported is that of
/// the population, from the sample that there is.
LogicalResult giveBatchStatistics(Node &node, Expr count) {
  Expr given = operand(node, 4);
  if (failed(giveInferred(node, Mixing::byOps)))
    return failure();
  double factor = node.floatAttr("exponential_avg_factor", 1);
  count = cast(count, node.b.getF64Type());
  Expr saved(node.b, node.given[4].value);
  Expr correction = count / maximum(count - 1, count.like(1));
  Expr variance = saved * cast(correction, saved.elementType());
  if (factor != 1)
    variance = given * (1 - factor) + variance * factor;
  node.given[2].value = variance.value;
  return success();
}

/// Every image by itself, unless it trains.
LogicalResult importBatchNorm(Node &node) {
  if (node.size() != 5 || node.rank(0) < 2)
    return node.error() << "does not normalize images";
  Sizes sizes = sizesOf(node.traced(0));
  bool isFirst = node.stringAttr("data_format").starts_with("NC");
  bool isKnown = sizes[isFirst ? 1 : sizes.size() - 1].isKnown();
  for (unsigned i = 1; i < 5; ++i)
    isKnown &= !node.traced(i).isBounded();
  if (!isKnown)
    return node.unsupported("channels whose number is known only at run time");
  if (node.boolAttr("is_training", true)) {
    sizes.erase(sizes.begin() + (isFirst ? 1 : sizes.size() - 1));
    return giveBatchStatistics(node, product(node.b, sizes, 0, sizes.size()));
  }
  if (failed(runOnPaddedBuffers(node, {})))
    return failure();
  return giveSizes(node, 0, sizes);
}

LogicalResult importLocalResponse(Node &node) {
  if (node.size() != 1 || node.rank(0) != 4)
    return node.error() << "does not normalize images";
  Sizes sizes = sizesOf(node.traced(0));
  if (failed(runOnPaddedBuffers(
          node,
          {masked(node.b, node.traced(0), operand(node, 0).like(0), 3).value})))
    return failure();
  return giveSizes(node, 0, sizes);
}

/// The loss of every row, and its gradient. The labels are classes, or weights
/// of each class.
LogicalResult importCrossEntropy(Node &node) {
  bool isSparse = node.op().starts_with("Sparse");
  if (node.size() != 2 || node.rank(0) != 2 ||
      node.rank(1) != (isSparse ? 1 : 2))
    return node.error() << "takes a row of classes for each label";
  Sizes logits = sizesOf(node.traced(0)), labels = sizesOf(node.traced(1));
  if (!logits.back().isKnown() || (!isSparse && !labels.back().isKnown()))
    return node.unsupported("classes whose number is known only at run time");
  Sizes rows[] = {{logits[0]}, {labels[0]}};
  auto common = commonSizes(node, rows);
  if (failed(common))
    return failure();
  SmallVector<Value> positions;
  for (unsigned i : {0, 1}) {
    SmallVector<int64_t> bounds(node.shape(i));
    bounds[0] = commonBounds(rows[i], *common)[0];
    positions.push_back(paddedTo(node.b, node.operand(i), bounds));
  }
  if (failed(runOnPaddedBuffers(node, positions)) ||
      failed(giveSizes(node, 0, *common)))
    return failure();
  int64_t classes = typeOf(node.given.back().value).getShape().back();
  return giveSizes(node, 1, {common->front(), Size{classes, {}}});
}

/// Only the numbers of images and of boxes may be open. Operands: images,
/// boxes, the image of each box, and the size of the crops.
LogicalResult importCrops(Node &node) {
  if (node.size() != 4 || node.rank(0) != 4 || node.rank(1) != 2 ||
      node.rank(2) != 1)
    return node.error() << "crops no images";
  Sizes images = sizesOf(node.traced(0));
  if (llvm::any_of(ArrayRef(images).drop_front(),
                   [](const Size &size) { return !size.isKnown(); }) ||
      !sizesOf(node.traced(1)).back().isKnown())
    return node.unsupported("images whose height, width or depth is known only "
                            "at run time");
  auto count =
      agreedSize(node, sizesOf(node.traced(1))[0], sizesOf(node.traced(2))[0],
                 "operands along dimension 0");
  if (failed(count))
    return failure();
  // What is no box is one of the first image.
  Expr which = masked(node.b, node.traced(2), 0);
  if (!images[0].isKnown())
    require(node,
            apply<graph::LessOp>(cast(which, node.b.getI64Type()),
                                 exactly(node.b, images[0])),
            "a box is of an image that is not there");
  if (failed(runOnPaddedBuffers(
          node,
          {node.operand(0),
           paddedTo(node.b, node.operand(1), {count->bound, node.shape(1)[1]}),
           paddedTo(node.b, which.value, {count->bound})})))
    return failure();
  Sizes sizes{*count};
  for (int64_t size : typeOf(node.given[0].value).getShape().drop_front())
    sizes.push_back({size, {}});
  return giveSizes(node, 0, sizes);
}

} // namespace

void addBoundedNeuralHandlers(BoundedHandlers &handlers) {
  for (StringRef op :
       {"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"})
    handlers[op] = importMatMul;
  for (StringRef op :
       {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
    handlers[op] = importBatchNorm;
  handlers["LRN"] = importLocalResponse;
  handlers["SoftmaxCrossEntropyWithLogits"] = importCrossEntropy;
  handlers["SparseSoftmaxCrossEntropyWithLogits"] = importCrossEntropy;
  handlers["CropAndResize"] = importCrops;
  addBoundedEinsumHandlers(handlers);
  addBoundedWindowHandlers(handlers);
}

} // namespace weir::tensorflow
