// Blocks of space that become batches, and back, where sizes or margins are
// known only at run time: the nodes' own handlers, on places without margins.

#include "compiler/import/tensorflow/shape/Blocks.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Of each dimension after the batch the size of its blocks and its margins.
struct Blocks {
  Integers sizes;
  SmallVector<Expr> before, after;
  /// For the node's own handler: no margins.
  SmallVector<Value> bare;
};

FailureOr<Blocks> blocksOf(Node &node) {
  bool isNd = node.op().ends_with("ND");
  unsigned at = isNd ? 2 : 1;
  if (failed(wantOperands(node, at + 1)))
    return failure();
  auto sizes = blockSizes(node);
  if (failed(sizes))
    return failure();
  Blocks blocks;
  blocks.sizes = *sizes;
  int64_t count = blocks.sizes.size();
  RankedTensorType margins = node.type(at);
  if (node.traced(at).isBounded() ||
      margins.getShape() != ArrayRef<int64_t>({count, 2}) ||
      !margins.getElementType().isSignlessInteger() || count >= node.rank(0) ||
      llvm::any_of(blocks.sizes,
                   [](int64_t n) { return n < 1 || n > (1 << 24); }))
    return node.error() << "has blocks of [" << blocks.sizes
                        << "] with margins " << margins << " for "
                        << node.type(0);
  ImplicitLocOpBuilder &b = node.b;
  for (int64_t i = 0; i < 2 * count; ++i) {
    Expr margin(b,
                castTo(b, elementOf(b, node.operand(at), i), b.getI64Type()));
    require(node, apply<graph::GreaterEqualOp>(margin, number(b, 0)),
            "a margin is negative");
    margin = maximum(margin, number(b, 0));
    (i % 2 ? blocks.after : blocks.before).push_back(margin);
  }
  blocks.bare = {node.operand(0)};
  if (isNd)
    blocks.bare.push_back(node.operand(1));
  blocks.bare.push_back(splat(b, margins, 0));
  return blocks;
}

/// How many elements all blocks of a batch's element have together.
FailureOr<int64_t> blockCount(Node &node, const Blocks &blocks) {
  return countOrError(node, blocks.sizes);
}

/// Images of a dynamic batch, in a buffer with the whole batch for each block,
/// contiguous.
Traced joinBlocks(ImplicitLocOpBuilder &b, const Traced &images, int64_t count,
                  Size batch) {
  Sizes apart = sizesOf(images), joined = apart;
  apart[0] = batch;
  apart.insert(apart.begin(), Size{count, {}});
  joined[0].exact = product(b, apart, 0, 2).value;
  Value position = reshapeTo(b, images.value, boundsOf(apart));
  return reshapeBounded(b, withSizes(position, apart), joined);
}

/// The other way round: the place that holds the whole batch for each block.
Value splitBlocks(ImplicitLocOpBuilder &b, const Traced &images, int64_t count,
                  Size batch) {
  Sizes apart = sizesOf(images);
  SmallVector<int64_t> whole = boundsOf(apart);
  whole[0] = count * batch.bound;
  apart[0] = batch;
  apart.insert(apart.begin(), Size{count, {}});
  return reshapeTo(b, reshapeBounded(b, images, apart).value, whole);
}

/// The batch whose elements were each split into `count` blocks.
FailureOr<Size> batchOf(Node &node, Size images, int64_t count) {
  ImplicitLocOpBuilder &b = node.b;
  if (images.isKnown())
    return Size{images.bound / count, {}};
  Expr all(b, images.exact), by = number(b, count);
  Polynomials polynomials;
  auto batch = Polynomials::quotient(polynomials.of(images.exact),
                                     polynomials.of(by.value));
  Expr exact =
      batch ? polynomials.build(b, *batch) : apply<graph::FloorDivOp>(all, by);
  if (!batch)
    require(node, apply<graph::EqualOp>(exact * by, all),
            "the batch is no multiple of its blocks");
  return sizeFrom(node, exact.value, images.bound / count);
}

/// The space is put together whole, and then cut.
LogicalResult importBatchToSpace(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  auto blocks = blocksOf(node);
  if (failed(blocks))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  auto count = blockCount(node, *blocks);
  if (failed(count) || *count < 1)
    return failure();
  bool isDynamic = !sizes[0].isKnown();
  auto batch = batchOf(node, sizes[0], *count);
  if (failed(batch))
    return failure();
  if (isDynamic)
    blocks->bare[0] = splitBlocks(b, node.traced(0), *count, *batch);
  if (failed(runOnPaddedBuffers(node, blocks->bare)))
    return failure();
  Value whole = node.given[0].value;
  if (isDynamic)
    sizes[0] = *batch;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    size.bound = typeOf(whole).getDimSize(i);
    if (i > 0 && i <= blocks->sizes.size() && !size.isKnown())
      size.exact =
          (Expr(b, size.exact) * number(b, blocks->sizes[i - 1])).value;
  }
  Traced result = withSizes(whole, sizes);
  for (size_t i = 0; i < blocks->sizes.size(); ++i) {
    Expr margins = blocks->before[i] + blocks->after[i];
    Expr all = exactly(b, sizes[i + 1]);
    require(node, apply<graph::LessEqualOp>(margins, all),
            "crops more than there is");
    Expr left = maximum(all - margins, number(b, 0));
    auto size = sizeFrom(node, left.value, sizes[i + 1].bound);
    if (failed(size))
      return failure();
    result = windowOf(b, result, i + 1, blocks->before[i], *size);
  }
  return node.tracedResults({result});
}

/// The space is brought into a place that has room for its margins.
LogicalResult importSpaceToBatch(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  auto blocks = blocksOf(node);
  if (failed(blocks))
    return failure();
  Sizes from = sizesOf(node.traced(0));
  auto count = blockCount(node, *blocks);
  if (failed(count))
    return failure();
  SmallVector<Value> wanted{exactly(b, from[0]).value};
  for (size_t i = 1; i < from.size(); ++i) {
    Expr size = exactly(b, from[i]);
    if (i <= blocks->sizes.size()) {
      Expr block = number(b, blocks->sizes[i - 1]);
      size = size + blocks->before[i - 1] + blocks->after[i - 1];
      require(node,
              apply<graph::EqualOp>(apply<graph::FloorModOp>(size, block),
                                    number(b, 0)),
              "dimension " + Twine(i) +
                  " with its margins is no multiple of its blocks");
      size = apply<graph::FloorDivOp>(size, block);
    }
    wanted.push_back(size.value);
  }
  auto sizes = sizesFrom(node, wanted);
  if (failed(sizes))
    return failure();
  Traced padded = node.traced(0);
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t bound = (*sizes)[i].bound;
    if (i == 0 || i > blocks->sizes.size()) {
      padded.value = paddedTo(b, padded.value, [&] {
        SmallVector<int64_t> bounds(typeOf(padded.value).getShape());
        bounds[i] = bound;
        return bounds;
      }());
      continue;
    }
    bound *= blocks->sizes[i - 1];
    if (failed(countOrError(node, {bound})))
      return failure();
    Expr index = iota(b, bound) - blocks->before[i - 1];
    Expr isInside = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(index, number(b, 0)),
        apply<graph::LessOp>(index, exactly(b, from[i])));
    padded = takeAlong(b, padded, i, index, Size{bound, {}});
    SmallVector<int64_t> column(from.size(), 1);
    column[i] = bound;
    Expr x(b, padded.value);
    padded.value = select(reshape(isInside, column), x, x.like(0)).value;
  }
  blocks->bare[0] = padded.value;
  if (failed(runOnPaddedBuffers(node, blocks->bare)))
    return failure();
  Size batch = (*sizes)[0];
  (*sizes)[0] = {typeOf(node.given[0].value).getDimSize(0), {}};
  Traced made = withSizes(node.given[0].value, *sizes);
  if (!batch.isKnown())
    made = joinBlocks(b, made, *count, batch);
  return node.tracedResults({made});
}

} // namespace

void addBoundedBlockHandlers(BoundedHandlers &handlers) {
  handlers["SpaceToBatch"] = {importSpaceToBatch, {1}};
  handlers["SpaceToBatchND"] = {importSpaceToBatch, {2}};
  handlers["BatchToSpace"] = {importBatchToSpace, {1}};
  handlers["BatchToSpaceND"] = {importBatchToSpace, {2}};
}

} // namespace weir::tensorflow
