// Blocks of space that become batches or channels, and back; patches.

#include "compiler/import/tensorflow/shape/Blocks.h"

#include "compiler/import/tensorflow/shape/Moves.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {

FailureOr<Integers> blockSizes(Node &node) {
  if (node.op().ends_with("ND"))
    return node.integers(1);
  return Integers(2, node.intAttr("block_size"));
}

namespace {

/// Block sizes and margins of the dimensions after the batch: of the ND ops
/// from operands, of the old ones from an attribute for two dimensions.
struct Blocks {
  Integers sizes, before, after;
};

FailureOr<Blocks> blocksOf(Node &node) {
  bool isNd = node.op().ends_with("ND");
  if (failed(wantOperands(node, isNd ? 3 : 2)))
    return failure();
  auto sizes = blockSizes(node);
  if (failed(sizes))
    return failure();
  Blocks blocks{*sizes, {}, {}};
  auto margins = node.integers(isNd ? 2 : 1);
  if (failed(margins))
    return failure();
  size_t count = blocks.sizes.size();
  if (margins->size() != 2 * count ||
      node.rank(0) < static_cast<int64_t>(count) + 1)
    return node.error() << "has " << count << " block sizes and "
                        << margins->size() << " margins for " << node.type(0);
  for (size_t i = 0; i < count; ++i) {
    blocks.before.push_back((*margins)[2 * i]);
    blocks.after.push_back((*margins)[2 * i + 1]);
    // Far below where sums overflow, far above what memory holds.
    constexpr int64_t most = int64_t(1) << 40;
    for (int64_t number : {blocks.before[i], blocks.after[i]})
      if (number < 0 || number > most)
        return node.error() << "has a margin of " << number;
    if (blocks.sizes[i] < 1 || blocks.sizes[i] > most)
      return node.error() << "has a block size of " << blocks.sizes[i];
  }
  return blocks;
}

LogicalResult importSpaceToBatch(Node &node) {
  auto blocks = blocksOf(node);
  if (failed(blocks))
    return failure();
  Expr x = operand(node, 0);
  int64_t count = blocks->sizes.size(), rank = x.rank();
  Integers low(rank), high(rank), split{x.size(0)}, permutation,
      shape{x.size(0)};
  Integers padded(x.shape());
  for (int64_t i = 0; i < count; ++i) {
    low[i + 1] = blocks->before[i];
    high[i + 1] = blocks->after[i];
    int64_t &size = padded[i + 1], block = blocks->sizes[i];
    if (llvm::AddOverflow(size, low[i + 1] + high[i + 1], size) ||
        size % block != 0)
      return node.error() << "dimension " << i + 1 << " of " << x.type()
                          << " with its margins is no multiple of " << block;
    llvm::append_values(split, size / block, block);
    permutation.push_back(2 * i + 2);
    if (llvm::MulOverflow(shape[0], block, shape[0]))
      return node.error() << "makes too many elements";
    shape.push_back(size / block);
  }
  if (failed(countOrError(node, padded)))
    return failure();
  // Blocks first, then the batch, then what they are counted by.
  for (int64_t i = 0; i <= count; ++i)
    permutation.push_back(i == 0 ? 0 : 2 * i - 1);
  for (int64_t i = count + 1; i < rank; ++i) {
    split.push_back(x.size(i));
    shape.push_back(x.size(i));
    permutation.push_back(i + count);
  }
  x = reshape(pad(x, low, high), split);
  return give(node, reshape(transpose(x, permutation), shape));
}

LogicalResult importBatchToSpace(Node &node) {
  auto blocks = blocksOf(node);
  if (failed(blocks))
    return failure();
  Expr x = operand(node, 0);
  int64_t count = blocks->sizes.size(), rank = x.rank(), product = 1;
  for (int64_t block : blocks->sizes)
    if (llvm::MulOverflow(product, block, product))
      return node.error() << "makes too many elements";
  if (x.size(0) % product != 0)
    return node.error() << "the batch of " << x.type() << " is no multiple of "
                        << product;
  Integers split(blocks->sizes), permutation{count}, shape{x.size(0) / product};
  split.push_back(shape[0]);
  llvm::append_range(split, x.shape().drop_front());
  for (int64_t i = 0; i < count; ++i) {
    llvm::append_values(permutation, count + 1 + i, i);
    int64_t size;
    if (llvm::MulOverflow(x.size(i + 1), blocks->sizes[i], size))
      return node.error() << "makes too many elements";
    shape.push_back(size);
  }
  for (int64_t i = count + 1; i < rank; ++i) {
    permutation.push_back(count + i);
    shape.push_back(x.size(i));
  }
  Expr whole = reshape(transpose(reshape(x, split), permutation), shape);
  Integers starts(rank), limits(shape);
  for (int64_t i = 0; i < count; ++i) {
    starts[i + 1] = blocks->before[i];
    limits[i + 1] -= blocks->after[i];
    if (starts[i + 1] > limits[i + 1])
      return node.error() << "crops more than dimension " << i + 1
                          << " of size " << shape[i + 1];
  }
  return give(node, box(whole, starts, limits));
}

/// Channels last, whatever the node has. Vectors of channels are split.
LogicalResult importDepth(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  bool toSpace = node.op() == "DepthToSpace";
  StringRef format = node.stringAttr("data_format", "NHWC");
  Expr x = operand(node, 0);
  if (x.rank() != 4 || (format != "NHWC" && format != "NCHW"))
    return node.unsupported("layout '" + format + "' of rank " +
                            Twine(x.rank()));
  if (format == "NCHW")
    x = transpose(x, {0, 2, 3, 1});
  int64_t n = x.size(0), h = x.size(1), w = x.size(2), c = x.size(3),
          block = node.intAttr("block_size");
  bool fits =
      block > 0 && block < (1 << 20) &&
      (toSpace ? c % (block * block) == 0 : h % block == 0 && w % block == 0);
  if (!fits)
    return node.error() << "cannot rearrange " << node.type(0)
                        << " by blocks of " << block;
  if (toSpace) {
    x = transpose(reshape(x, {n, h, w, block, block, c / (block * block)}),
                  {0, 1, 3, 2, 4, 5});
    x = reshape(x, {n, h * block, w * block, c / (block * block)});
  } else {
    x = transpose(reshape(x, {n, h / block, block, w / block, block, c}),
                  {0, 1, 3, 2, 4, 5});
    x = reshape(x, {n, h / block, w / block, block * block * c});
  }
  if (format == "NCHW" && x)
    x = transpose(x, {0, 3, 1, 2});
  return give(node, x);
}

/// The elements under each place of a window, as channels.
LogicalResult importExtractImagePatches(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  Integers sizes = node.intsAttr("ksizes"), strides = node.intsAttr("strides"),
           rates = node.intsAttr("rates");
  constexpr int64_t most = 1 << 20;
  for (const Integers &numbers : {sizes, strides, rates})
    if (numbers.size() != 4 || numbers[0] != 1 || numbers[3] != 1 ||
        llvm::any_of(numbers, [](int64_t n) { return n < 1 || n > most; }))
      return node.error() << "windows are [" << sizes << "], strides ["
                          << strides << "], rates [" << rates << "]";
  if (x.rank() != 4 || sizes[1] * sizes[2] > 4096)
    return node.unsupported("windows of " + Twine(sizes[1]) + " x " +
                            Twine(sizes[2]) + " on rank " + Twine(x.rank()));
  bool same = node.stringAttr("padding") == "SAME";
  Integers low(4), high(4), results(4);
  for (int64_t i : {1, 2}) {
    int64_t window = (sizes[i] - 1) * rates[i] + 1, size = x.size(i);
    if (same) {
      results[i] = (size + strides[i] - 1) / strides[i];
      int64_t margin =
          std::max<int64_t>((results[i] - 1) * strides[i] + window - size, 0);
      low[i] = margin / 2;
      high[i] = margin - low[i];
    } else {
      results[i] = size < window ? 0 : (size - window) / strides[i] + 1;
    }
  }
  x = pad(x, low, high);
  SmallVector<Expr> patches;
  for (int64_t y = 0; y < sizes[1]; ++y)
    for (int64_t z = 0; z < sizes[2]; ++z)
      patches.push_back(slice(
          slice(x, 1, results[1] ? y * rates[1] : 0, results[1], strides[1]), 2,
          results[2] ? z * rates[2] : 0, results[2], strides[2]));
  return give(node, concat(patches, 3));
}

} // namespace

void addBlockHandlers(Handlers &handlers) {
  handlers["SpaceToBatch"] = importSpaceToBatch;
  handlers["SpaceToBatchND"] = importSpaceToBatch;
  handlers["BatchToSpace"] = importBatchToSpace;
  handlers["BatchToSpaceND"] = importBatchToSpace;
  handlers["SpaceToDepth"] = importDepth;
  handlers["DepthToSpace"] = importDepth;
  handlers["ExtractImagePatches"] = importExtractImagePatches;
}

} // namespace weir::tensorflow
