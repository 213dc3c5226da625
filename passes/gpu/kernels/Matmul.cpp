// Emits matrix products: by tiles, or an element for each thread.

#include "passes/gpu/kernels/Products.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace weir::gpu {
namespace {

/// Whether the dimension, counted from the last, is contiguous in memory.
bool isFastest(MemRefType type, unsigned fromLast) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(getStridesAndOffset(type, strides, offset)) &&
         strides[strides.size() - 1 - fromLast] == 1;
}

} // namespace

Side sideOf(Value memory, bool depthIsLast,
            llvm::function_ref<Position(Value, Value, Value)> position) {
  auto type = cast<MemRefType>(memory.getType());
  bool lastIsFastest = isFastest(type, 0);
  return {memory, position, lastIsFastest == depthIsLast,
          lastIsFastest || isFastest(type, 1)
              ? type.getDimSize(type.getRank() - (lastIsFastest ? 1 : 2))
              : 1};
}

void readUnpacked(kernel::MatmulOp op) {
  auto buffer = op.getB().getDefiningOp<memref::AllocOp>();
  if (!buffer || !op.getLayout().isPanels() ||
      !llvm::hasNItems(buffer->getUsers(), 2))
    return;
  kernel::PackOp pack;
  for (Operation *user : buffer->getUsers())
    if (auto packs = dyn_cast<kernel::PackOp>(user))
      pack = packs;
  if (!pack || pack.getOut() != buffer.getResult() ||
      pack->getBlock() != op->getBlock() || !pack->isBeforeInBlock(op))
    return;
  // The packed operand must not change between packing and product.
  for (Operation *between = pack->getNextNode(); between != op;
       between = between->getNextNode())
    if (!isMemoryEffectFree(between) && !isa<memref::AllocOp>(between))
      return;
  Value right = pack.getB();
  if (pack.getTransposeB()) {
    OpBuilder b(op);
    auto type = cast<MemRefType>(right.getType());
    AffineMap swap = b.getMultiDimIdentityMap(type.getRank());
    SmallVector<AffineExpr> dims(swap.getResults());
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    right = b.create<memref::TransposeOp>(
        op.getLoc(), right,
        AffineMapAttr::get(
            AffineMap::get(dims.size(), 0, dims, b.getContext())));
  }
  op.getBMutable().assign(right);
  op.setLayoutAttr(kernel::LayoutAttr::plain(op.getContext()));
  pack.erase();
  buffer.erase();
}

void shareMatmul(ThreadBuilder &b, kernel::MatmulOp op, bool mayUseBarriers) {
  auto out = cast<MemRefType>(op.getOut().getType());
  auto right = cast<MemRefType>(op.getB().getType());
  ArrayRef<int64_t> batchShape = out.getShape().drop_back(2);
  int64_t depth = right.getDimSize(right.getRank() - 2);
  int64_t width = right.getShape().back();
  Type sumType = op.getEpilogue().front().getArgument(0).getType();
  auto leftAt = [&](ArrayRef<Value> batch, Value row, Value k) {
    SmallVector<Value> at(batch);
    at.append({op.getTransposeA() ? k : row, op.getTransposeA() ? row : k});
    return at;
  };
  auto rightAt = [&](ArrayRef<Value> batch, Value k, Value column) {
    SmallVector<Value> at;
    if (!op.getShared())
      at.assign(batch.begin(), batch.end());
    if (!op.getLayout().isPlain())
      at.append({b.dividedBy(column, width), k, b.modulo(column, width)});
    else
      at.append({k, column});
    return at;
  };
  int64_t batches = 1;
  for (int64_t size : batchShape)
    batches *= size;
  auto left = [&](Value batch, Value row, Value k) {
    return Position{leftAt(b.delinearize(batch, batchShape), row, k)};
  };
  auto rightOf = [&](Value batch, Value column, Value k) {
    return Position{rightAt(b.delinearize(batch, batchShape), k, column)};
  };
  auto store = [&](Value batch, Value row, Value column, ArrayRef<Value> sums) {
    SmallVector<Value> at = b.delinearize(batch, batchShape);
    at.append({row, column});
    finishTogether(b, op, sums, at);
  };
  TiledProduct product = {{batches, out.getDimSize(out.getRank() - 2),
                           out.getShape().back(), depth},
                          sumType,
                          sideOf(op.getA(), !op.getTransposeA(), left),
                          sideOf(op.getB(), /*depthIsLast=*/false, rightOf),
                          store};
  if (mayUseBarriers && product.isWorthTiles())
    return product.share(b);
  b.workItems(out.getNumElements(), [&](Value workItem) {
    SmallVector<Value> at = b.delinearize(workItem, out.getShape());
    ArrayRef<Value> batch = ArrayRef<Value>(at).drop_back(2);
    Value row = at[at.size() - 2], column = at.back();
    auto sum = b.loop(depth, b.zero(sumType), [&](Value k, ValueRange sum) {
      return SmallVector<Value>{
          b.multiplyAdd(b.load(op.getA(), leftAt(batch, row, k)),
                        b.load(op.getB(), rightAt(batch, k, column)), sum[0])};
    });
    finish(b, op, sum[0], at);
  });
}

} // namespace weir::gpu
