// Restricts a linalg op on buffers to a box of its loops.

#include "passes/cpu/loops/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

bool isSliceable(linalg::LinalgOp op) {
  bool all = true;
  for (AffineMap map : op.getIndexingMapsArray()) {
    all &= map.getNumSymbols() == 0;
    map.walkExprs([&](AffineExpr expression) {
      all &=
          llvm::is_contained({AffineExprKind::Add, AffineExprKind::Mul,
                              AffineExprKind::DimId, AffineExprKind::Constant},
                             expression.getKind());
      if (auto constant = dyn_cast<AffineConstantExpr>(expression))
        all &= constant.getValue() >= 0;
    });
  }
  return all;
}

void makeSlice(Emitter &e, linalg::LinalgOp op, ArrayRef<LoopSlice> slices,
               function_ref<Value(Value)> instead) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> sizes(ranges.size(), e.getIndexAttr(0)), bounds,
      offsets(ranges.size(), e.getIndexAttr(0)), given;
  for (auto [d, slice] : llvm::enumerate(slices)) {
    if (!slice.size)
      continue;
    sizes[d] = e.getIndexAttr(slice.size);
    offsets[d] = slice.first;
    given.push_back(slice.first);
  }
  for (int64_t range : ranges)
    bounds.push_back(e.getIndexAttr(range));
  SmallVector<Value> operands = linalg::makeTiledShapes(
      e, e.getLoc(), op, op->getOperands(), given, sizes, bounds,
      /*omitPartialTileCheck=*/true);
  if (instead)
    for (OpOperand &operand : op->getOpOperands())
      if (Value other = instead(operand.get()))
        operands[operand.getOperandNumber()] = other;
  auto slice =
      cast<linalg::LinalgOp>(clone(e, op, op->getResultTypes(), operands));
  linalg::offsetIndices(e, slice, offsets);
}

int64_t rowsOfBlock(int64_t rows, int64_t most) {
  most = std::min(most, rows);
  for (int64_t less = most; less > most / 2; --less)
    if (rows % less == 0)
      return less;
  EvenSplit blocks(rows, most);
  return blocks.most();
}

void emitBlock(Emitter &e, Value index, int64_t rows, int64_t size,
               function_ref<void(int64_t)> body) {
  int64_t whole = rows / size, rest = rows % size;
  if (!rest)
    return body(size);
  Value isWhole =
      e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, index, e.index(whole));
  e.ifElse(isWhole, [&] { body(size); }, [&] { body(rest); });
}

Value firstOf(Emitter &e, Value buffer, size_t dim, int64_t count) {
  SmallVector<int64_t> sizes(Emitter::shape(buffer)), zeros(sizes.size(), 0),
      ones(sizes.size(), 1);
  if (sizes[dim] == count)
    return buffer;
  sizes[dim] = count;
  return e.create<memref::SubViewOp>(buffer, zeros, sizes, ones);
}

} // namespace weir::cpu
