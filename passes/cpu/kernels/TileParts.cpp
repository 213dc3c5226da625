// Elements as sums of parts that tiles can multiply: taken apart, if that loses
// nothing, and put together again.

#include "passes/cpu/kernels/TileLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

Emitter::Values TileLoops::emptyRange() {
  return {words(bytes ? INT32_MAX : -1), words(bytes ? INT32_MIN : 0)};
}

void TileLoops::addToRange(Emitter::Values &range, Value x) {
  if (bytes) {
    range[0] = e.create<arith::MinSIOp>(range[0], x);
    range[1] = e.create<arith::MaxSIOp>(range[1], x);
    return;
  }
  auto bits = VectorType::get(half, e.getI32Type());
  Value magnitude = e.create<arith::AndIOp>(e.create<arith::BitcastOp>(bits, x),
                                            words(0x7fffffff));
  // Zero becomes the largest.
  range[0] = e.create<arith::MinUIOp>(
      range[0], e.create<arith::AddIOp>(magnitude, words(-1)));
  range[1] = e.create<arith::MaxUIOp>(range[1], magnitude);
}

void TileLoops::storeFit(ValueRange range, ArrayRef<int32_t> bounds, Value at) {
  using arith::CmpIPredicate;
  using vector::CombiningKind;
  Value least = e.create<vector::ReductionOp>(
      bytes ? CombiningKind::MINSI : CombiningKind::MINUI, range[0]);
  Value most = e.create<vector::ReductionOp>(
      bytes ? CombiningKind::MAXSI : CombiningKind::MAXUI, range[1]);
  Value inside = e.create<arith::AndIOp>(
      e.create<arith::CmpIOp>(bytes ? CmpIPredicate::sge : CmpIPredicate::uge,
                              least, word(bounds[0] - !bytes)),
      e.create<arith::CmpIOp>(bytes ? CmpIPredicate::sle : CmpIPredicate::ule,
                              most, word(bounds[1])));
  e.create<memref::StoreOp>(e.create<arith::ExtUIOp>(e.getI32Type(), inside),
                            fits, at);
}

// Part `i` of 32 elements: the upper halves of their words, which are rounded,
// ties away from zero, where bits are left below. What is left stays in
// `halves`. Of three parts the last has all that is left.
Value TileLoops::nextPart(MutableArrayRef<Value> halves, int64_t i) {
  auto bits = VectorType::get(half, e.getI32Type());
  auto pieces = VectorType::get(2 * half, e.getI16Type());
  bool rest = i + 1 < parts;
  SmallVector<Value, 2> tops;
  for (Value &x : halves) {
    Value top = e.create<arith::BitcastOp>(bits, x);
    if (rest || parts == 2)
      top = e.create<arith::AddIOp>(top, words(0x8000));
    tops.push_back(e.create<vector::BitCastOp>(pieces, top));
    if (rest)
      x = e.create<arith::SubFOp>(
          x, e.create<arith::BitcastOp>(
                 x.getType(), e.create<arith::AndIOp>(top, words(-65536))));
  }
  SmallVector<int64_t> upper;
  for (int64_t k = 0; k < 2 * half; ++k)
    upper.push_back(2 * k + 1);
  Value part = e.create<vector::ShuffleOp>(tops[0], tops[1], upper);
  return e.create<arith::BitcastOp>(VectorType::get(2 * half, e.element(split)),
                                    part);
}

// The rows of 16 columns of the weights that one line holds, parts summed.
Emitter::Values TileLoops::weights(Value panel, Value line,
                                   int64_t columnHalf) {
  auto bits = VectorType::get(half, e.getI32Type());
  Emitter::Values rows(rowsALine());
  for (int64_t part = 0; part < parts; ++part) {
    Emitter::Values at = {panel,
                          e.dividedBy(line, half),
                          e.index(part),
                          e.index(columnHalf),
                          e.modulo(line, half),
                          e.index(0)};
    Value all =
        e.create<vector::BitCastOp>(bits, e.load(b, at, stepDepth, stepDepth));
    for (auto [i, row] : llvm::enumerate(rows)) {
      int64_t low = i * 32 / rows.size(), high = 32 - 32 / rows.size();
      Value now = e.create<arith::ShLIOp>(all, words(high - low));
      if (bytes) {
        row = e.create<arith::ShRSIOp>(now, words(high));
        continue;
      }
      now = e.create<arith::BitcastOp>(
          VectorType::get(half, sumType),
          e.create<arith::AndIOp>(now, words(-65536)));
      row = part ? e.sum(row, now) : now;
    }
  }
  return rows;
}

} // namespace weir
