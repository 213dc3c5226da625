// Which attentions blocks of threads compute, and how many blocks.

#include "passes/gpu/kernels/AttentionPlan.h"

#include "passes/gpu/Precision.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// The deepest head: its products are unrolled.
constexpr int64_t deepest = 256;
// Below this there is too little for blocks: of some rows, and of fewer.
constexpr int64_t leastSide = 16, leastScores = 1024, leastColumns = 64;

Multiplier multiplierOf(const Attention &a) {
  if (!cast<MemRefType>(a.v.getType()).getElementType().isF32())
    return Multiplier::Halves;
  kernel::MatmulOp product = a.product;
  bool isByDepth = sideOf(a.v, false, nullptr).byDepth;
  return isForTf32(product) && !isByDepth ? Multiplier::Tf32
                                          : Multiplier::Threads;
}

} // namespace

bool Attention::share() {
  for (Value memory : {q, k, v})
    if (Side side{memory, nullptr, false, 1}; !side.hasAddresses())
      return false;
  int64_t bytes = cast<MemRefType>(v.getType()).getElementTypeBitWidth() / 8;
  AttentionPlan plan(*this, multiplierOf(*this), bytes);
  if (plan.multiplier == Multiplier::Tf32 && !plan.fits())
    plan = AttentionPlan(*this, Multiplier::Threads, bytes);
  bool isLarge = plan.rows < leastSide
                     ? plan.columns >= leastColumns
                     : plan.columns >= leastSide &&
                           plan.rows * plan.columns >= leastScores;
  if (!isLarge || plan.depth < 1 || plan.depth > deepest || plan.width < 1 ||
      !plan.fits())
    return false;
  auto out = cast<MemRefType>(product.getOut().getType());
  SmallVector<int64_t> shape(out.getShape().drop_back(2));
  shape.push_back(plan.blocksOfRows());
  int64_t blocks = 1;
  for (int64_t size : shape)
    if (size < 1 || llvm::MulOverflow(blocks, size, blocks) ||
        blocks > INT32_MAX)
      return false;
  plan.shareColumns(blocks, processorsOf(product));
  shape.insert(shape.begin(), plan.parts);
  writeInPlace();
  ThreadBuilder b(product.getLoc(), product);
  AttentionParts parts;
  if (plan.parts > 1)
    parts = AttentionParts(b, product, plan.parts);
  b.blocks(
      plan.parts * blocks, plan.warps * warp, [&](Value block, Value thread) {
        SmallVector<Value> at = b.delinearize(block, shape);
        Value firstRow = b.times(at.back(), plan.rowsOfBlock());
        emitAttention(b, *this, plan, parts, at[0],
                      ArrayRef(at).drop_front().drop_back(), firstRow, thread);
      });
  if (plan.parts > 1)
    parts.combine(b, product);
  erase();
  return true;
}

void shareAttention(func::FuncOp kernel) {
  SmallVector<kernel::MatmulOp> products(
      kernel.getBody().front().getOps<kernel::MatmulOp>());
  // One that is the scores of another is gone with that.
  for (kernel::MatmulOp product : llvm::reverse(products))
    if (std::optional<Attention> found = Attention::endingIn(product))
      if (found->share())
        return;
}

} // namespace weir::gpu
