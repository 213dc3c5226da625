// The tiles of a product that a thread computes.

#include "passes/cpu/kernels/TileRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {

// Of this many columns, one more for some threads than for others is little.
static constexpr int64_t manyColumns = 64;

static bool sharesTiles(const MatmulBlocks &blocks) {
  return blocks.rowTiles() > 1 && blocks.columnTiles() < manyColumns;
}

TileRange TileRange::all(Emitter &e, const MatmulBlocks &blocks) {
  TileRange range;
  range.firstRow = range.firstColumn = e.index(0);
  range.endRow = e.index(blocks.rowTiles());
  range.endColumn = e.index(blocks.columnTiles());
  return range;
}

TileRange TileRange::ofRows(Emitter &e, const MatmulBlocks &blocks, Value first,
                            Value end) {
  TileRange range = all(e, blocks);
  range.firstRow = first, range.endRow = end;
  return range;
}

TileRange TileRange::ofColumns(Emitter &e, const MatmulBlocks &blocks,
                               Value first, Value end) {
  TileRange range = all(e, blocks);
  range.firstColumn = first, range.endColumn = end;
  if (!sharesTiles(blocks))
    return range;
  int64_t rows = blocks.rowTiles();
  range.firstColumn = e.dividedBy(first, rows);
  range.endColumn = e.dividedBy(e.plus(end, rows - 1), rows);
  range.beginsAt = e.plus(first, e.times(range.firstColumn, -rows));
  range.endsAt = e.plus(end, e.times(e.plus(range.endColumn, -1), -rows));
  return range;
}

void TileRange::endAt(Emitter &e, const MatmulBlocks &blocks, Value columns) {
  if (!columns)
    return;
  Value tiles =
      e.dividedBy(e.plus(columns, blocks.tileColumns - 1), blocks.tileColumns);
  endColumn = e.smaller(endColumn, tiles);
}

int64_t TileRange::columnWorkItems(const MatmulBlocks &blocks) {
  return blocks.columnTiles() * (sharesTiles(blocks) ? blocks.rowTiles() : 1);
}

void TileRange::confine(Emitter &e, const MatmulBlocks &blocks, Value column,
                        Value &first, Value &end) const {
  if (!beginsAt)
    return;
  auto isTile = [&](Value tile) -> Value {
    return e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, column,
                                   e.times(tile, blocks.tileColumns));
  };
  auto select = [&](Value condition, Value then, Value otherwise) -> Value {
    return e.create<arith::SelectOp>(condition, then, otherwise);
  };
  first = e.larger(first, select(isTile(firstColumn), beginsAt, e.index(0)));
  end = e.smaller(end, select(isTile(e.plus(endColumn, -1)), endsAt, end));
}

} // namespace weir::cpu
