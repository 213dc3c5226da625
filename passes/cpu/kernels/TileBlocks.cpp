// One block of a product by tiles: taken apart, or multiplied without them.

#include "passes/cpu/kernels/Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

TileProduct::TileProduct(Emitter &e, kernel::MatmulOp op,
                         const kernel::Target &target)
    : TileLoops(e, op, op.getB(), op.getOut(), kernel::TilesShape(op, target),
                target),
      product(op), a(op.getA()), rows(shape.rows), depth(shape.depth) {}

Emitter::Values TileProduct::position(Value row) {
  return e.indicesOf(row, e.shape(out).drop_back());
}

Value TileProduct::rowsFrom(Value row) {
  if (rows % blockRows() == 0)
    return e.index(blockRows());
  return e.smaller(e.index(blockRows()),
                   e.create<arith::SubIOp>(e.index(rows), row));
}

Value TileProduct::firstRowOf(const Unit &unit) {
  return e.times(e.plus(unit.first, unit.block), blockRows());
}

void TileProduct::loadLeft(int tile, const Unit &unit, const Depth &,
                           Value step, int part, int i) {
  registers->load(tile, split, {unit.block, step, e.index(part), e.index(i)});
}

void TileProduct::atResult(const Unit &unit, Value i,
                           function_ref<void(const Emitter::Values &)> body) {
  body(position(e.plus(firstRowOf(unit), i)));
}

// Takes elements of a row apart, and into the range.
void TileProduct::splitLine(Value row, Value step, int64_t valid,
                            Emitter::Values to, Emitter::Values &range) {
  SmallVector<Value> halves;
  for (int64_t i = 0; i < stepDepth; i += half) {
    Emitter::Values at = position(row);
    at.push_back(e.plus(e.times(step, stepDepth), i));
    Value x = valid > i ? e.load(a, at, half, valid - i)
                        : e.zeros(e.element(a), half);
    halves.push_back(x);
    addToRange(range, e.widen(x, sumType));
  }
  storeApart(halves, to, /*part=*/2);
}

void TileProduct::splitBlock(Value first, Value block, const Depth &d) {
  if (dots && bytes)
    return shiftBlock(first, block, d);
  Value firstRow = e.times(e.plus(first, block), blockRows());
  int64_t tail = d.ends ? depth % stepDepth : 0;
  Emitter::Values range = emptyRange();
  range = e.loop(
      e.index(0), rowsFrom(firstRow), 1, range, [&](Value i, ValueRange soFar) {
        Value row = e.plus(firstRow, i);
        auto line = [&](Value step, ValueRange soFar, int64_t valid) {
          Emitter::Values range(soFar);
          splitLine(row, e.plus(d.first, step), valid,
                    {block, step, e.index(0), e.dividedBy(i, height),
                     e.modulo(i, height), e.index(0)},
                    range);
          return range;
        };
        int64_t whole = d.count - (tail != 0);
        Emitter::Values range = e.loop(e.index(0), e.index(whole), 1, soFar,
                                       [&](Value step, ValueRange so) {
                                         return line(step, so, stepDepth);
                                       });
        return tail ? line(e.index(whole), range, tail) : range;
      });
  storeFit(range, product.getLayout().getSafeRange(), block);
}

void TileProduct::byVectors(const Unit &unit, const Depth &d) {
  constexpr int64_t height = 8;
  Value firstRow = firstRowOf(unit), panel = unit.panel;
  Value lastRow = e.index(rows - 1), firstK = e.times(d.first, stepDepth);
  Emitter::Values at = sumsOf(unit);
  int64_t wide = columns > half ? 2 : 1;
  e.loop(e.index(0), rowsFrom(firstRow), height, [&](Value row) {
    auto sumAt = [&](int64_t i, int64_t j) {
      return Emitter::Values{at[0], at[1], e.plus(row, i), e.index(j * half)};
    };
    SmallVector<Emitter::Values> rowAt;
    for (int64_t i = 0; i < height; ++i)
      rowAt.push_back(
          position(e.smaller(e.plus(e.plus(firstRow, row), i), lastRow)));
    Emitter::Values made;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < wide; ++j)
        made.push_back(d.begins ? e.zeros(sumType, half)
                                : e.load(sums, sumAt(i, j), half, half));
    auto multiply = [&](Value line, int64_t valid, ValueRange carried) {
      Emitter::Values made(carried), right[2];
      for (int64_t j = 0; j < wide; ++j)
        right[j] = weights(panel, e.plus(d.first, e.dividedBy(line, half)),
                           e.modulo(line, half), j);
      for (int64_t k = 0; k < valid; ++k)
        for (int64_t i = 0; i < height; ++i) {
          Emitter::Values from = rowAt[i];
          from.push_back(e.plus(firstK, e.plus(e.times(line, rowsALine()), k)));
          Value x = e.widen(e.create<memref::LoadOp>(a, from), sumType);
          for (int64_t j = 0; j < wide; ++j)
            made[i * wide + j] = e.multiplyAdd(e.splat(x, half), right[j][k],
                                               made[i * wide + j]);
        }
      return made;
    };
    int64_t valid = d.count * stepDepth;
    if (d.ends && depth % stepDepth)
      valid -= stepDepth - depth % stepDepth;
    int64_t lines = valid / rowsALine(), rest = valid % rowsALine();
    made = e.loop(e.index(0), e.index(lines), 1, made,
                  [&](Value line, ValueRange so) {
                    return multiply(line, rowsALine(), so);
                  });
    if (rest)
      made = multiply(e.index(lines), rest, made);
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < wide; ++j)
        e.store(made[i * wide + j], sums, sumAt(i, j), half);
  });
}

} // namespace weir::cpu
