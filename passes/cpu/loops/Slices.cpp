// A linalg op on buffers, confined to a box of its loops.

#include "passes/cpu/loops/Slices.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;

namespace weir {

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

bool isByRows(AffineMap map, size_t rows) {
  if (map.getNumResults() < rows)
    return false;
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    for (size_t d = 0; d < rows; ++d)
      if (i == d ? result != getAffineDimExpr(d, map.getContext())
                 : result.isFunctionOfDim(d))
        return false;
  return true;
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

void eraseBuffer(Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
    user->erase();
  buffer.getDefiningOp()->erase();
}

} // namespace weir
