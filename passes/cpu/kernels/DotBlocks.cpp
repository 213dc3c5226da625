// One block of a product by dot products: of two bf16 by two others, or of four
// unsigned bytes by four signed ones.
//
// The weights are the signed bytes. Elements of A become their distances from
// the least element of their block, which are unsigned bytes if the greatest
// element is near enough. Each column then lacks the sum of its weights times
// the least element. All sums are exact modulo 2^32.

#include "passes/cpu/kernels/Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

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
        return e.loop(e.index(0), rowsFrom(firstRow), 1, carried,
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
    Emitter::Values at = position(e.plus(firstRow, i));
    at.push_back(e.plus(e.times(e.plus(d.first, step), stepDepth), part));
    return e.widen(e.load(a, at, half, valid), sumType);
  };

  Value lowest = word(-128);
  Value inside = e.create<arith::ConstantOp>(e.getBoolAttr(true));
  if (!e.element(a).isInteger(8)) {
    Emitter::Values range =
        eachLine(emptyRange(), [&](Value i, Value step, int64_t valid,
                                   Emitter::Values &range) {
          eachPart(valid, stepDepth, half, [&](int64_t part, int64_t valid) {
            if (valid == 0)
              return;
            addToRange(range, load(i, step, part, valid));
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

// One line of the tile: for each of 16 columns four bytes of weights.
Value TileProduct::wordsOf(Value panel, Value step, Value line,
                           int64_t columnHalf) {
  Emitter::Values at = {panel, step,      e.index(0), e.index(columnHalf),
                        line,  e.index(0)};
  return e.loadWords(b, at, half);
}

// Calls `line` for each step of this depth and each line of its tiles, which is
// the `u`th of `unroll`.
Emitter::Values TileProduct::overLines(const Depth &d, int64_t unroll,
                                       Emitter::Values carried, Line line) {
  return e.loop(e.index(0), e.index(d.count), 1, carried,
                [&](Value step, ValueRange so) {
                  return linesOf(step, unroll, so, line);
                });
}

Emitter::Values TileProduct::linesOf(Value step, int64_t unroll,
                                     ValueRange carried, Line line) {
  return e.loop(e.index(0), e.index(half), unroll, carried,
                [&](Value first, ValueRange so) {
                  Emitter::Values values(so);
                  for (int64_t u = 0; u < unroll; ++u)
                    line(step, e.plus(first, u), u, values);
                  return values;
                });
}

// The sums of the weights of each column times the block's least.
Emitter::Values TileProduct::timesLeast(const Unit &unit, const Depth &d) {
  Value ones = words(0x01010101);
  Emitter::Values base(columns > half ? 2 : 1, words(0));
  base = overLines(d, 8, base,
                   [&](Value step, Value line, int64_t, Emitter::Values &base) {
                     step = e.plus(d.first, step);
                     for (auto [j, sum] : llvm::enumerate(base))
                       sum = isa->addByteProducts(
                           e, sum, ones, wordsOf(unit.panel, step, line, j));
                   });
  Value low =
      e.splat(e.create<memref::LoadOp>(least, ValueRange{unit.block}), half);
  for (Value &sum : base)
    sum = e.create<arith::MulIOp>(sum, low);
  return base;
}

// What a line of products reads of the weights comes into L2 by now: they lie
// there one half of the columns after the other, and the processor expects
// neither. On a Zen 4 half of this distance is too short from memory.
void TileProduct::fetchLine(Value panel, Value step, Value line) {
  constexpr int64_t ahead = 8192;
  int64_t perLine = Emitter::elementsOfLine(e.element(b)),
          tile = half * perLine;
  Value run = e.create<memref::CollapseShapeOp>(
      b, SmallVector<ReassociationIndices>{{0}, {1, 2, 3, 4, 5}});
  Value at = e.plus(e.times(step, 2 * tile), e.times(line, perLine));
  for (int64_t j = 0; j < (columns > half ? 2 : 1); ++j)
    e.prefetch(run, {panel, e.plus(at, j * tile + ahead / e.elementBytes(b))},
               2);
}

// `height` rows from `firstRow` on, whose sums begin with `base`. Several sets
// of sums read the weights as they lie.
void TileProduct::dotRows(const Unit &unit, const Depth &d, ValueRange base,
                          int64_t firstRow, int64_t height) {
  Value block = unit.block, panel = unit.panel;
  int64_t wide = base.size(), count = height * wide;
  int64_t sets = schedule.accumulatorSets, unroll = schedule.unroll;
  bool fetches = schedule.prefetch && firstRow == 0;
  Emitter::Values at = sumsOf(unit);
  auto sumAt = [&](int64_t i, int64_t j) {
    return Emitter::Values{at[0], at[1], e.index(firstRow + i),
                           e.index(j * half)};
  };
  // The products of a line with all rows, in columns `first` to `end`.
  auto multiply = [&](int64_t first, int64_t end) {
    return [&, first, end](Value step, Value line, int64_t u,
                           Emitter::Values &made) {
      Emitter::Values right;
      for (int64_t j = first; j < end; ++j)
        right.push_back(wordsOf(panel, e.plus(d.first, step), line, j));
      if (fetches)
        fetchLine(panel, e.plus(d.first, step), line);
      for (int64_t i = 0; i < height; ++i) {
        int64_t row = firstRow + i;
        Emitter::Values from = {block,
                                step,
                                e.index(0),
                                e.index(row / half),
                                e.index(row % half),
                                e.times(line, rowsALine())};
        Value left = e.splatWord(split, from, half);
        for (int64_t j = first; j < end; ++j) {
          Value &sum = made[u % sets * count + i * wide + j];
          sum = bytes ? isa->addByteProducts(e, sum, left, right[j - first])
                      : isa->addBf16Products(e, sum, left, right[j - first]);
        }
      }
    };
  };
  Emitter::Values made;
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < wide; ++j)
      made.push_back(
          d.begins ? base[j]
                   : e.sum(base[j], e.load(sums, sumAt(i, j), half, half)));
  made.resize(sets * count, e.zeros(sumType, half));
  if (sets > 1)
    made = e.loop(e.index(0), e.index(d.count), 1, made,
                  [&](Value step, ValueRange so) {
                    Emitter::Values made(so);
                    for (int64_t j = 0; j < wide; ++j)
                      made = linesOf(step, unroll, made, multiply(j, j + 1));
                    return made;
                  });
  else
    made = overLines(d, unroll, made, multiply(0, wide));
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t set = sets / 2; set > 0; set /= 2)
      for (int64_t k = 0; k < set; ++k)
        made[k * count + i] =
            e.sum(made[k * count + i], made[(set + k) * count + i]);
    e.store(made[i], sums, sumAt(i / wide, i % wide), half);
  }
}

void TileProduct::byDots(const Unit &unit, const Depth &d) {
  Emitter::Values base(columns > half ? 2 : 1, e.zeros(sumType, half));
  if (bytes)
    base = timesLeast(unit, d);
  // Of a last block that is not whole all rows are made, and only its own used.
  EvenSplit tiles = shape.dotTiles(schedule);
  for (int64_t t = 0, row = 0; t < tiles.count; ++t) {
    int64_t height = tiles.sizeOf(t);
    dotRows(unit, d, base, row, height);
    row += height;
  }
}

} // namespace weir::cpu
