// One block of a product of bytes by AVX-512 VNNI, whose dot products are of
// four unsigned bytes by four signed ones.
//
// Weights are the signed ones. Elements of A become their distances from the
// least of their block, which are unsigned bytes if the greatest is no farther
// than that; what the least makes of a column is then its sum of weights times
// the least, exact modulo 2^32 as all sums are.

#include "passes/cpu/kernels/Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

/// Elements of a row that fit one vector of words.
static void eachPart(int64_t valid, int64_t stepDepth, int64_t lanes,
                     function_ref<void(int64_t, int64_t)> body) {
  for (int64_t i = 0; i < stepDepth; i += lanes)
    body(i, std::clamp<int64_t>(valid - i, 0, lanes));
}

void TileProduct::shiftBlock(Value first, Value block, const Depth &d) {
  Value firstRow = e.times(e.plus(first, block), side);
  int64_t tail = d.ends ? depth % stepDepth : 0;
  int64_t whole = d.count - (tail != 0);
  // Calls `line` for each row and step of the block, which carries values.
  auto eachLine =
      [&](Emitter::Values carried,
          function_ref<void(Value, Value, int64_t, Emitter::Values &)> line) {
        return e.loop(e.index(0), validRows(firstRow), 1, carried,
                      [&](Value i, ValueRange soFar) {
                        Emitter::Values now =
                            e.loop(e.index(0), e.index(whole), 1, soFar,
                                   [&](Value step, ValueRange so) {
                                     Emitter::Values values(so);
                                     line(i, step, stepDepth, values);
                                     return values;
                                   });
                        if (tail)
                          line(i, e.index(whole), tail, now);
                        return now;
                      });
      };
  auto load = [&](Value i, Value step, int64_t part, int64_t valid) {
    Emitter::Values at = place(e.plus(firstRow, i));
    at.push_back(e.plus(e.times(e.plus(d.first, step), stepDepth), part));
    return e.widen(e.load(a, at, half, valid), sumType);
  };

  Value lowest = word(-128);
  Value inside = e.create<arith::ConstantOp>(e.getBoolAttr(true));
  if (!e.element(a).isInteger(8)) {
    Emitter::Values range = {words(INT32_MAX), words(INT32_MIN)};
    range = eachLine(
        range, [&](Value i, Value step, int64_t valid, Emitter::Values &range) {
          eachPart(valid, stepDepth, half, [&](int64_t part, int64_t valid) {
            if (valid == 0)
              return;
            Value x = load(i, step, part, valid);
            range[0] = e.create<arith::MinSIOp>(range[0], x);
            range[1] = e.create<arith::MaxSIOp>(range[1], x);
          });
        });
    using vector::CombiningKind;
    lowest = e.create<vector::ReductionOp>(CombiningKind::MINSI, range[0]);
    Value most = e.create<vector::ReductionOp>(CombiningKind::MAXSI, range[1]);
    inside = e.create<arith::CmpIOp>(arith::CmpIPredicate::ule,
                                     e.create<arith::SubIOp>(most, lowest),
                                     word(255));
  }
  e.create<memref::StoreOp>(lowest, least, block);
  e.create<memref::StoreOp>(e.create<arith::ExtUIOp>(e.getI32Type(), inside),
                            fits, block);
  Value low = e.splat(lowest, half);
  auto bytesType = VectorType::get(half, e.element(split));
  eachLine({}, [&](Value i, Value step, int64_t valid, Emitter::Values &) {
    eachPart(valid, stepDepth, half, [&](int64_t part, int64_t valid) {
      // Past the depth weights are zero, and any byte does.
      Value x = valid ? load(i, step, part, valid) : words(0);
      x = e.create<arith::TruncIOp>(bytesType, e.create<arith::SubIOp>(x, low));
      e.store(x, split,
              {block, step, e.index(0), e.dividedBy(i, half), e.modulo(i, half),
               e.index(part)},
              half);
    });
  });
}

// One line of the tile: for each of 16 columns four weights.
Value TileProduct::wordsOf(Value panel, Value step, Value line,
                           int64_t columnHalf) {
  Emitter::Values at = {panel, step,      e.index(0), e.index(columnHalf),
                        line,  e.index(0)};
  return e.loadWords(b, at, half);
}

void TileProduct::byDots(Value block, Value panel, const Depth &d) {
  int64_t wide = columns > half ? 2 : 1;
  constexpr int64_t mostRows = 12, unroll = 4;
  Emitter::Values at = sumsOf(block, panel);
  auto lines = [&](Emitter::Values carried, int64_t unroll,
                   function_ref<void(Value, Value, Emitter::Values &)> line) {
    return e.loop(e.index(0), e.index(d.count), 1, carried,
                  [&](Value step, ValueRange soFar) {
                    return e.loop(e.index(0), e.index(half), unroll, soFar,
                                  [&](Value first, ValueRange so) {
                                    Emitter::Values values(so);
                                    for (int64_t u = 0; u < unroll; ++u)
                                      line(step, e.plus(first, u), values);
                                    return values;
                                  });
                  });
  };
  Value ones = words(0x01010101);
  Emitter::Values base(wide, words(0));
  base = lines(
      base, 2 * unroll, [&](Value step, Value line, Emitter::Values &base) {
        for (int64_t j = 0; j < wide; ++j)
          base[j] = e.dot(base[j], ones,
                          wordsOf(panel, e.plus(d.first, step), line, j));
      });
  Value low = e.splat(e.create<memref::LoadOp>(least, ValueRange{block}), half);
  for (Value &sum : base)
    sum = e.create<arith::MulIOp>(sum, low);

  auto rowsFrom = [&](Value firstRow, int64_t height) {
    auto sumAt = [&](int64_t i, int64_t j) {
      return Emitter::Values{at[0], at[1], e.plus(firstRow, i),
                             e.index(j * half)};
    };
    Emitter::Values made;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < wide; ++j)
        made.push_back(
            d.begins ? base[j]
                     : e.sum(base[j], e.load(sums, sumAt(i, j), half, half)));
    made =
        lines(made, unroll, [&](Value step, Value line, Emitter::Values &made) {
          Emitter::Values right;
          for (int64_t j = 0; j < wide; ++j)
            right.push_back(wordsOf(panel, e.plus(d.first, step), line, j));
          for (int64_t i = 0; i < height; ++i) {
            Value row = e.plus(firstRow, i);
            Emitter::Values from = {block,
                                    step,
                                    e.index(0),
                                    e.dividedBy(row, half),
                                    e.modulo(row, half),
                                    e.times(line, 4)};
            Value four = e.create<vector::BitCastOp>(
                VectorType::get(1, e.getI32Type()), e.load(split, from, 4, 4));
            Value left = e.splat(e.create<vector::ExtractOp>(four, 0), half);
            for (int64_t j = 0; j < wide; ++j) {
              Value &sum = made[i * wide + j];
              sum = e.dot(sum, left, right[j]);
            }
          }
        });
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < wide; ++j)
        e.store(made[i * wide + j], sums, sumAt(i, j), half);
  };
  // Of a last block that is not whole all rows are made, and only its own used.
  EvenSplit tiles(std::min(rows, side), mostRows);
  for (int64_t t = 0, row = 0; t < tiles.count; ++t) {
    int64_t height = tiles.size + (t < tiles.larger);
    rowsFrom(e.index(row), height);
    row += height;
  }
}

} // namespace weir
