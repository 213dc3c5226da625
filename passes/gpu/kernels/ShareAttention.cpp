// Which attentions blocks of threads compute, and how many blocks.

#include "passes/gpu/kernels/AttentionPlan.h"

#include "dialects/target/Precision.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// The deepest head, and the widest: blocks that share the results of a row make
// its scores again.
constexpr int64_t deepest = 512, widest = 512;
// Below this there is too little for blocks: of some rows, and of fewer.
constexpr int64_t minSide = 16, minScores = 1024, minColumns = 64;

Multiplier multiplierOf(const Attention &a) {
  if (!cast<MemRefType>(a.v.getType()).getElementType().isF32())
    return Multiplier::Float16;
  kernel::MatmulOp product = a.product;
  bool isByDepth = sideOf(a.v, false, nullptr).byDepth;
  return isForTf32(product) && !isByDepth ? Multiplier::Tf32
                                          : Multiplier::Threads;
}

} // namespace

bool Attention::share() {
  if (!isReadable)
    return false;
  for (Value memory : {q, k, v})
    if (Side side{memory, nullptr, false, 1}; !side.hasAddresses())
      return false;
  int64_t bytes = cast<MemRefType>(v.getType()).getElementTypeBitWidth() / 8;
  AttentionPlan plan(*this, multiplierOf(*this), bytes);
  bool isLarge =
      plan.rows < minSide
          ? plan.columns >= minColumns
          : plan.columns >= minSide && plan.rows * plan.columns >= minScores;
  if (!isLarge || plan.depth < 1 || plan.depth > deepest || plan.width < 1 ||
      plan.width > widest)
    return false;
  auto out = cast<MemRefType>(product.getOut().getType());
  SmallVector<int64_t> shape(out.getShape().drop_back(2));
  shape.append({plan.blocksOfRows(), plan.blocksOfWidth()});
  int64_t blocks = 1;
  for (int64_t size : shape)
    if (size < 1 || llvm::MulOverflow(blocks, size, blocks) ||
        blocks > INT32_MAX)
      return false;
  plan.shareColumns(blocks, gpuOf(product).processors);
  shape.insert(shape.begin(), plan.parts);
  writeInPlace();
  ThreadBuilder b(product.getLoc(), product);
  AttentionParts parts;
  if (plan.parts > 1)
    parts = AttentionParts(b, *this, plan.parts);
  b.blocks(
      plan.parts * blocks, plan.warps * warp, [&](Value block, Value thread) {
        SmallVector<Value> at = b.delinearize(block, shape);
        size_t rank = at.size();
        AttentionPosition position = {at[0], ArrayRef(at).slice(1, rank - 3),
                                      b.times(at[rank - 2], plan.rowsOfBlock()),
                                      b.times(at[rank - 1], plan.widthOfTile)};
        emitAttention(b, *this, plan, parts, position, thread);
      });
  if (plan.parts > 1)
    parts.combine(b, *this);
  erase();
  return true;
}

void shareAttentions(func::FuncOp kernel, bool canSplit) {
  SmallVector<kernel::AttentionOp> all;
  kernel.walk([&](kernel::AttentionOp op) { all.push_back(op); });
  for (kernel::AttentionOp op : all) {
    Attention attention(op);
    if (canSplit)
      attention.share();
  }
}

} // namespace weir::gpu
