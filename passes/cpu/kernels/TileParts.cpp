// Elements as sums of parts that tiles can multiply: taken apart, if that loses
// nothing, and put together again.

#include "passes/cpu/kernels/TileLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

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

// The parts of `x` in turn: the upper halves of words, rounded, ties away from
// zero, or cut off where bits are left below. Of three the last has all that is
// left. Those of one operand are rounded, so that what products leave out has
// either sign. Calls `join` with the words of both vectors, whose lower halves
// are of no use.
void TileLoops::takeParts(Value x, Value y, bool rounds,
                          function_ref<Value(Value, Value)> join,
                          function_ref<void(int64_t, Value)> body) {
  auto bits = VectorType::get(half, e.getI32Type());
  auto pieces = VectorType::get(2 * half, e.getBF16Type());
  for (int64_t part = 0; part < parts; ++part) {
    bool rest = part + 1 < parts;
    auto take = [&](Value &x) {
      Value top = e.create<arith::BitcastOp>(bits, x);
      if (parts == 2 || (rounds && rest))
        top = e.create<arith::AddIOp>(top, words(0x8000));
      if (rest)
        x = e.create<arith::SubFOp>(
            x, e.create<arith::BitcastOp>(
                   x.getType(), e.create<arith::AndIOp>(top, words(-65536))));
      return top;
    };
    Value first = take(x), second = take(y);
    body(part, e.create<vector::BitCastOp>(pieces, join(first, second)));
  }
}

void TileLoops::eachPartOfRow(Value left, Value right,
                              function_ref<void(int64_t, Value)> body) {
  auto halves = VectorType::get(2 * half, e.getI16Type());
  SmallVector<int64_t> upper;
  for (int64_t k = 0; k < 2 * half; ++k)
    upper.push_back(2 * k + 1);
  auto join = [&](Value left, Value right) -> Value {
    return e.create<vector::ShuffleOp>(
        e.create<vector::BitCastOp>(halves, left),
        e.create<vector::BitCastOp>(halves, right), upper);
  };
  takeParts(left, right, /*rounds=*/true, join, body);
}

void TileLoops::storeApart(ArrayRef<Value> halves, Emitter::Values to,
                           unsigned part) {
  if (getElementTypeOrSelf(halves[0]).isF32())
    return eachPartOfRow(halves[0], halves[1], [&](int64_t i, Value pieces) {
      to[part] = e.index(i);
      e.store(pieces, split, to, stepDepth);
    });
  auto type = VectorType::get(half, e.element(split));
  for (auto [i, elements] : llvm::enumerate(halves)) {
    Value x = elements;
    if (x.getType() != type)
      x = e.create<arith::TruncIOp>(type, x);
    to.back() = e.index(i * half);
    e.store(x, split, to, half);
  }
}

void TileLoops::eachPartOfRows(Value even, Value odd,
                               function_ref<void(int64_t, Value)> body) {
  auto join = [&](Value even, Value odd) -> Value {
    Value low = e.create<arith::ShRUIOp>(even, words(16));
    return isa->mergeBits(e, odd, -65536, low);
  };
  takeParts(even, odd, /*rounds=*/false, join, body);
}

Emitter::Values TileLoops::weights(Value panel, Value step, Value line,
                                   int64_t columnHalf) {
  Emitter::Values rows(rowsALine());
  if (takesApart()) {
    Value first = e.plus(weightRow(step), e.times(line, rows.size()));
    for (auto [i, row] : llvm::enumerate(rows)) {
      Value at = e.smaller(e.plus(first, i), e.index(e.shape(b)[1] - 1));
      row = e.load(b, {panel, at, e.index(columnHalf * half)}, half, half);
    }
    return rows;
  }
  auto bits = VectorType::get(half, e.getI32Type());
  for (int64_t part = 0; part < parts; ++part) {
    Emitter::Values at = {panel, step,      e.index(part), e.index(columnHalf),
                          line,  e.index(0)};
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

} // namespace weir::cpu
