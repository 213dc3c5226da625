// An attention becomes one loop over blocks of rows.
//
// All scores together are as many elements as the square of a sequence. In
// memory they would be written and read several times. L2 holds the scores of a
// block of rows, so they never leave it. Each row is whole, so its softmax is
// as exact as that of all rows.
//
// (Dao et al., "FlashAttention", 2022, divide the rows, too. The small memories
// of a GPU need this, and L2 of a CPU does not.)

#include "dialects/weir/Attributes.h"
#include "passes/cpu/Passes.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/loops/ActualSizes.h"
#include "passes/cpu/loops/Slices.h"

#include "dialects/kernel/attention/Attention.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_BLOCKATTENTION
#include "passes/cpu/Passes.h.inc"

namespace {

/// So many work items keep the threads of a processor busy.
constexpr int64_t enoughWorkItems = 8;
/// Fewer rows than this make products slow, as each reads all of its right
/// side.
constexpr int64_t minRows = 32;

class Blocks {
public:
  explicit Blocks(kernel::AttentionOp op)
      : attention(kernel::expandAttention(op)), first(attention.scores),
        last(attention.product),
        rows(Emitter::shape(first.getOut()).drop_back()) {}

  void block(const kernel::Target &target) {
    int64_t batches = ShapedType::getNumElements(batchShape());
    bool byBatches = batches >= enoughWorkItems;
    size = rowsOfBlock(target.l2 / 2, batches);
    int64_t blocks = llvm::divideCeil(rows.back(), size);
    SmallVector<int64_t> all(batchShape());
    if (!byBatches)
      all.push_back(blocks);
    packsAtProduct = byBatches && blocks == 1;
    Emitter e(last.getLoc(), last);
    e.share(cycles(target));
    auto body = [&](ValueRange at) {
      if (!byBatches)
        return blockOfRows(e, at.drop_back(), at.back());
      if (!packsAtProduct)
        for (kernel::MatmulOp product : {first, last})
          pack(e, product, at);
      e.loop(blocks, [&](Value index) { blockOfRows(e, at, index); });
    };
    e.parallel(ShapedType::getNumElements(all), /*coarse=*/false,
               [&](Value from, Value end) {
                 makeBuffers(e);
                 e.loops(all, from, end, body);
               });
    erase(byBatches);
  }

private:
  ArrayRef<int64_t> batchShape() const {
    return ArrayRef<int64_t>(rows).drop_back();
  }

  double cycles(const kernel::Target &target) const {
    double total = 0;
    for (linalg::LinalgOp op : attention.softmax)
      total += loopCycles(op);
    for (kernel::MatmulOp op : {first, last}) {
      int64_t depth =
          Emitter::shape(op.getA()).take_back(2)[!op.getTransposeA()];
      Type sum = op.getEpilogue().front().getArgument(0).getType();
      total += kernel::productCycles(
          double(ShapedType::getNumElements(Emitter::shape(op.getOut()))) *
              depth,
          target.lanes(sum));
    }
    return total;
  }

  /// As many rows as fit into so many bytes, if possible a divisor of all, but
  /// few enough to leave enough work items.
  int64_t rowsOfBlock(int64_t most, int64_t batches) const {
    int64_t bytes = 1, count = ShapedType::getNumElements(rows);
    for (Value buffer : attention.buffers)
      bytes += ShapedType::getNumElements(Emitter::shape(buffer)) / count *
               Emitter::elementBytes(buffer);
    int64_t block = std::max(most / bytes, minRows / 2);
    if (batches < enoughWorkItems)
      block =
          std::min(block, std::max<int64_t>(minRows, count / enoughWorkItems));
    return cpu::rowsOfBlock(rows.back(), block);
  }

  void makeBuffers(Emitter &e) {
    for (Value buffer : attention.buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      SmallVector<int64_t> shape(type.getShape());
      std::fill_n(shape.begin(), rows.size(), 1);
      shape[rows.size() - 1] = size;
      small[buffer] = rowsApart(e, shape, type.getElementType());
    }
  }

  /// A buffer whose rows are a line further apart where they would fall on the
  /// same sets of a cache.
  static Value rowsApart(Emitter &e, ArrayRef<int64_t> shape, Type element) {
    SmallVector<int64_t> padded(shape);
    int64_t line = Emitter::elementsOfLine(element);
    if (llvm::isPowerOf2_64(shape.back()) && shape.back() > line)
      padded.back() += line;
    Value buffer = e.buffer(padded, element);
    if (ArrayRef<int64_t>(padded) == shape)
      return buffer;
    SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1);
    return e.create<memref::SubViewOp>(buffer, zeros, shape, ones);
  }

  /// The packing of a product's right side for it alone.
  static kernel::PackOp packOf(kernel::MatmulOp op) {
    Value b = op.getB();
    if (!b.getDefiningOp<memref::AllocOp>() || op.getShared() ||
        !llvm::hasNItems(b.getUsers(), 2))
      return {};
    for (Operation *user : b.getUsers())
      if (auto pack = dyn_cast<kernel::PackOp>(user);
          pack && pack.getOut() == b)
        return pack;
    return {};
  }

  Value sliceOf(Emitter &e, Value buffer, ArrayRef<OpFoldResult> offsets,
                ArrayRef<int64_t> sizes) const {
    SmallVector<OpFoldResult> lengths, ones(sizes.size(), e.getIndexAttr(1));
    for (int64_t size : sizes)
      lengths.push_back(e.getIndexAttr(size));
    return e.create<memref::SubViewOp>(buffer, offsets, lengths, ones);
  }

  /// A product's batch of one of its sides, all else of it.
  Value batchOf(Emitter &e, Value buffer, ValueRange batch) const {
    SmallVector<int64_t> sizes(Emitter::shape(buffer));
    SmallVector<OpFoldResult> offsets(sizes.size(), e.getIndexAttr(0));
    for (auto [i, index] : llvm::enumerate(batch)) {
      sizes[i] = 1;
      offsets[i] = index;
    }
    return sliceOf(e, buffer, offsets, sizes);
  }

  /// Packs the right side of a product for the batch at hand.
  void pack(Emitter &e, kernel::MatmulOp op, ValueRange batch) {
    kernel::PackOp pack = packOf(op);
    if (!pack)
      return;
    auto type = cast<MemRefType>(pack.getOut().getType());
    SmallVector<int64_t> shape(type.getShape());
    std::fill_n(shape.begin(), batch.size(), 1);
    Value to = e.buffer(shape, type.getElementType());
    e.create<kernel::PackOp>(TypeRange(), batchOf(e, pack.getB(), batch), to,
                             pack.getLayout(), pack.getTransposeB());
    right[op] = to;
  }

  /// A product of a block of rows.
  void product(Emitter &e, kernel::MatmulOp op, ValueRange batch, Value row,
               int64_t count, Value a, Value out) {
    size_t rank = rows.size() + 1;
    SmallVector<OpFoldResult> context(rank, e.getIndexAttr(0));
    SmallVector<int64_t> sizes(Emitter::shape(op.getOut()));
    for (auto [i, index] : llvm::enumerate(batch)) {
      context[i] = index;
      sizes[i] = 1;
    }
    context[rank - 2] = row;
    sizes[rank - 2] = count;
    if (!out)
      out = sliceOf(e, op.getOut(), context, sizes);
    if (!a) {
      SmallVector<int64_t> left(Emitter::shape(op.getA()));
      std::fill_n(left.begin(), batch.size(), 1);
      SmallVector<OpFoldResult> from(context);
      left[op.getTransposeA() ? rank - 1 : rank - 2] = count;
      if (op.getTransposeA())
        std::swap(from[rank - 1], from[rank - 2]);
      a = sliceOf(e, op.getA(), from, left);
    }
    Value b = op.getB();
    if (Value packed = right.lookup(op))
      b = packed;
    else if (!op.getShared())
      b = batchOf(e, b, batch);
    SmallVector<Value> extras;
    for (auto [extra, map] :
         llvm::zip(op.getExtras(),
                   op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
      SmallVector<int64_t> size(Emitter::shape(extra));
      SmallVector<OpFoldResult> from(size.size(), e.getIndexAttr(0));
      for (auto [i, result] : llvm::enumerate(map.getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(result)) {
          from[i] = context[dim.getPosition()];
          size[i] = sizes[dim.getPosition()];
        }
      extras.push_back(sliceOf(e, extra, from, size));
    }
    auto part = e.create<kernel::MatmulOp>(
        TypeRange(), a, b, op.getDepth(), extras, out, op.getTransposeA(),
        op.getShared(), op.getExtraMaps(), op.getUnsignedA(), op.getLayout());
    IRMapping map;
    op.getEpilogue().cloneInto(&part.getEpilogue(), map);
    if (op == first && attrs::columns.isOn(op->getParentOfType<func::FuncOp>()))
      attrs::endsColumns.set(part);
  }

  /// Block `index` of a batch's rows; the last may have fewer.
  void blockOfRows(Emitter &e, ValueRange batch, Value index) {
    Value row = e.times(index, size);
    emitBlock(e, index, rows.back(), size,
              [&](int64_t count) { someRows(e, batch, row, count); });
  }

  void someRows(Emitter &e, ValueRange batch, Value row, int64_t count) {
    DenseMap<Value, Value> parts;
    auto partOf = [&](Value buffer) -> Value {
      Value whole = small.lookup(buffer);
      if (!whole)
        return {};
      Value &part = parts[whole];
      if (!part)
        part = firstOf(e, whole, rows.size() - 1, count);
      return part;
    };
    SmallVector<LoopSlice> slices;
    for (Value index : batch)
      slices.push_back({index, 1});
    slices.push_back({row, count});
    if (packsAtProduct)
      pack(e, first, batch);
    product(e, first, batch, row, count, nullptr, partOf(first.getOut()));
    for (linalg::LinalgOp op : attention.softmax)
      makeSlice(e, op, slices, partOf);
    if (packsAtProduct)
      pack(e, last, batch);
    product(e, last, batch, row, count, partOf(last.getA()), nullptr);
  }

  /// Removes what the blocks do now.
  void erase(bool packed) {
    SmallVector<kernel::PackOp> packs;
    if (packed)
      for (kernel::MatmulOp product : {first, last})
        if (kernel::PackOp pack = packOf(product))
          packs.push_back(pack);
    first.erase();
    last.erase();
    for (linalg::LinalgOp op : attention.softmax)
      op.erase();
    for (Value buffer : attention.buffers)
      kernel::eraseBuffer(buffer);
    for (kernel::PackOp pack : packs)
      kernel::eraseBuffer(pack.getOut());
  }

  kernel::ExpandedAttention attention;
  kernel::MatmulOp first, last;       // products
  SmallVector<int64_t> rows;          // batches, and the rows of each
  DenseMap<Value, Value> small;       // of a block of rows, by buffer of all
  DenseMap<Operation *, Value> right; // packed for the batch at hand
  int64_t size = 0;                   // of a block of rows
  bool packsAtProduct = false;        // as each batch has one block
};

struct BlockAttention : impl::BlockAttentionBase<BlockAttention> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    auto target = kernel::Target::of(kernel);
    SmallVector<kernel::AttentionOp> all;
    // Without a row there is nothing to divide.
    kernel.walk([&](kernel::AttentionOp op) {
      if (!llvm::is_contained(op.scoreShape(), 0) &&
          !llvm::is_contained(Emitter::shape(op.getOut()), 0))
        all.push_back(op);
    });
    for (kernel::AttentionOp op : all)
      Blocks(op).block(target);
  }
};

} // namespace
} // namespace weir::cpu
