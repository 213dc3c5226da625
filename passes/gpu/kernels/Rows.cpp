// Reduces a row by the threads of a block.
//
// Each thread combines every 32nd, or 256th, element of the row. Warps exchange
// partial results by shuffles, and blocks of several warps by shared memory.
// The order of the combinations depends on the sizes only.

#include "passes/gpu/kernels/Blocks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// A shorter row is reduced by one thread, as most lanes of a warp would be
// idle.
constexpr int64_t shortRow = 64;
// From this length on, a row is reduced by a block of several warps.
constexpr int64_t longRow = 1024;
constexpr int64_t wideBlock = 256;

} // namespace

TypedAttr identityOf(Operation *combiner) {
  OpBuilder b(combiner);
  Type type = combiner->getResult(0).getType();
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp>(combiner))
    return b.getFloatAttr(type, -0.0);
  if (isa<arith::MulFOp>(combiner))
    return b.getFloatAttr(type, 1);
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
    return b.getFloatAttr(type, -infinity);
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(combiner))
    return b.getFloatAttr(type, infinity);
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp>(combiner))
    return b.getIntegerAttr(type, 0);
  if (isa<arith::MulIOp>(combiner))
    return b.getIntegerAttr(type, 1);
  if (isa<arith::AndIOp>(combiner))
    return b.getIntegerAttr(type, -1);
  if (isa<arith::MaxSIOp>(combiner))
    return b.getIntegerAttr(type, INT32_MIN);
  if (isa<arith::MinSIOp>(combiner))
    return b.getIntegerAttr(type, INT32_MAX);
  return nullptr;
}

Operation *combinerOf(linalg::LinalgOp op, unsigned i) {
  if (i >= op.getRegionOutputArgs().size())
    return nullptr;
  BlockArgument last = op.getRegionOutputArgs()[i];
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(i).getDefiningOp();
  Type type = last.getType();
  // The combiner must be the only user of the last value, and its result must
  // only be yielded.
  if (!combiner || !last.hasOneUse() || *last.user_begin() != combiner ||
      combiner->getNumOperands() != 2 || !combiner->hasOneUse() ||
      !(type.isF32() || type.isInteger(32)) || !identityOf(combiner))
    return nullptr;
  return combiner;
}

Value combine(ThreadBuilder &b, Operation *combiner, Value x, Value y) {
  IRMapping mapping;
  mapping.map(combiner->getOperand(0), x);
  mapping.map(combiner->getOperand(1), y);
  return b.clone(*combiner, mapping)->getResult(0);
}

Value combineBlock(ThreadBuilder &b, Operation *combiner, Value value,
                   Value thread, int64_t threads) {
  auto butterfly = [&](int64_t lanes) {
    for (int64_t distance = lanes / 2; distance > 0; distance /= 2)
      value = combine(b, combiner, value, b.exchange(value, distance));
  };
  butterfly(std::min(threads, warp));
  int64_t warps = threads / warp;
  if (warps <= 1)
    return value;
  Value shared = b.shared({warps}, value.getType());
  b.onlyIf(b.equals(b.modulo(thread, warp), 0),
           [&] { b.store(value, shared, b.dividedBy(thread, warp)); });
  b.barrier();
  value = b.load(shared, b.modulo(thread, warps));
  butterfly(warps);
  return value;
}

bool isRowReduction(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || !combinerOf(op, 0))
    return false;
  int64_t length = 1, rows = 1;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned last = 0;
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduction = kind == utils::IteratorType::reduction;
    if (ShapedType::isDynamic(ranges[d]) ||
        isReduction == out.isFunctionOfDim(d))
      return false;
    (isReduction ? length : rows) *= ranges[d];
    last = isReduction ? d : last;
  }
  if (!out.isProjectedPermutation() || length < shortRow || rows < 1 ||
      rows > INT32_MAX)
    return false;
  // If the rows are contiguous or few, a block for each row is faster than a
  // thread.
  if (rows < 4096)
    return true;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() > 0 &&
           map.getResult(map.getNumResults() - 1).isFunctionOfDim(last);
  });
}

void shareRows(ThreadBuilder &b, linalg::LinalgOp op, NestBody nest) {
  Operation *combiner = combinerOf(op, 0);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), outer, inner;
  SmallVector<unsigned> rows, columns;
  int64_t count = 1, length = 1;
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduction = kind == utils::IteratorType::reduction;
    (isReduction ? inner : outer).push_back(ranges[d]);
    (isReduction ? columns : rows).push_back(d);
    (isReduction ? length : count) *= ranges[d];
  }
  int64_t threads = length >= longRow ? wideBlock : warp;
  b.blocks(count, threads, [&](Value row, Value thread) {
    SmallVector<Value> at(ranges.size());
    for (auto [d, index] : llvm::zip_equal(rows, b.delinearize(row, outer)))
      at[d] = index;
    Value start = b.create<arith::ConstantOp>(identityOf(combiner));
    auto loop = b.create<scf::ForOp>(thread, b.index(length), b.index(threads),
                                     ValueRange(start));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      for (auto [d, index] : llvm::zip_equal(
               columns, b.delinearize(loop.getInductionVar(), inner)))
        at[d] = index;
      b.create<scf::YieldOp>(nest(at, loop.getRegionIterArgs()));
    }
    Value sum = combineBlock(b, combiner, loop.getResult(0), thread, threads);
    b.onlyIf(b.equals(thread, 0), [&] {
      OpOperand *init = op.getDpsInitOperand(0);
      SmallVector<Value> position;
      for (AffineExpr e : op.getMatchingIndexingMap(init).getResults())
        position.push_back(at[cast<AffineDimExpr>(e).getPosition()]);
      Value last = b.load(init->get(), position);
      b.store(combine(b, combiner, last, sum), init->get(), position);
    });
  });
}

} // namespace weir::gpu
