// Stores the results of a product by inner-product pairing.

#include "passes/cpu/pairing/PairingResults.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

static bool isRun(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || type.getRank() < 3)
    return true;
  SmallVector<ReassociationIndices> rows(2);
  for (int64_t i = 0; i + 1 < type.getRank(); ++i)
    rows[0].push_back(i);
  rows[1].push_back(type.getRank() - 1);
  return memref::CollapseShapeOp::isGuaranteedCollapsible(type, rows);
}

PairingResults::PairingResults(Emitter &e, kernel::KernelOpInterface op)
    : e(e), op(op),
      inRuns(isRun(op.getOut()) && llvm::all_of(op.getExtras(), isRun)) {}

Emitter::Values PairingResults::positionOf(Value row) {
  return e.indicesOf(row, e.shape(op.getOut()).drop_back());
}

void PairingResults::prefetch(const Tile &tile) {
  if (inRuns)
    prefetchTile(e, op, tile, /*finishes=*/true);
}

// Each row by itself where rows are no run: the place of a tile is told by its
// first.
void PairingResults::finish(const Tile &tile, Value row, ArrayRef<Value> sums) {
  if (inRuns)
    return finishTile(e, op, tile, sums);
  for (int64_t i = 0; i < tile.width; ++i) {
    auto position = [&](Value, Value) { return positionOf(e.plus(row, i)); };
    Tile one{1, 1, tile.columns, tile.lanes, position, tile.column};
    finishTile(e, op, one, sums.slice(i * tile.vectors(), tile.vectors()));
  }
}

} // namespace weir::cpu
