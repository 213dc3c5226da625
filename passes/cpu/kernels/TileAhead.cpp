// What is done about the next panel while blocks meet one: it is fetched, and
// weights of f32 come apart.

#include "passes/cpu/kernels/TileLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

// What comes into L2 meanwhile: the next panel, by `turns` blocks or more, of
// which this is block `turn`; after the last the first, at the next depth.
TileLoops::Ahead TileLoops::aheadOf(const Unit &unit, const Panels &panels,
                                    const Depth &d) {
  Value next = e.plus(unit.panel, 1);
  Value wraps =
      e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, next, panels.end);
  auto select = [&](Value then, Value otherwise) -> Value {
    return e.create<arith::SelectOp>(wraps, then, otherwise);
  };
  Value step = d.ends ? e.index(0) : e.plus(d.first, d.count);
  Value here = e.modulo(e.create<arith::SubIOp>(unit.panel, panels.first), 2);
  Value there = e.create<arith::SubIOp>(e.index(1), here);
  return {select(panels.first, next),
          select(step, d.first),
          unit.block,
          panels.fewest,
          here,
          there};
}

// The next panel comes into L2 while this one is used: each block of a slab
// fetches a run of it, a share in each of its steps, between all products.
void TileLoops::fetchAhead(const Ahead &ahead, Value step, const Depth &d,
                           int64_t made, int64_t all) {
  if (!schedule.prefetch)
    return;
  int64_t line = Emitter::elementsOfLine(e.element(b)),
          lines = parts * 2 * half;
  int64_t share = llvm::divideCeil(lines, ahead.turns);
  int64_t first = made * share / all, end = (made + 1) * share / all;
  if (first == end)
    return;
  Value run = e.create<memref::CollapseShapeOp>(
      b, SmallVector<ReassociationIndices>{{0}, {1, 2, 3, 4, 5}});
  // Where blocks are more than shares, the last share is fetched again.
  Value turn =
      e.smaller(ahead.turn, e.index(llvm::divideCeil(lines, share) - 1));
  Value from =
      e.plus(e.times(ahead.first, lines * line),
             e.times(e.plus(e.times(turn, d.count), step), share * line));
  for (int64_t i = first; i < end; ++i)
    e.prefetch(run, {ahead.panel, e.plus(from, i * line)}, 2);
}

// A line of tiles of the next panel: two rows of a step, of 16 columns.
void TileLoops::takeLine(const Ahead &ahead, const Far &far, Value step,
                         Value line, int64_t columnHalf) {
  // Steps of the last block of the depth are fewer than those taken before it.
  bool isInside = hasWholeSteps() && steps % stepsABlock == 0;
  Value column = e.index(columnHalf * half);
  Value first = e.plus(weightRow(e.plus(ahead.first, step)), e.times(line, 2));
  Emitter::Values rows;
  for (int64_t k = 0; k < 2; ++k) {
    Value row = e.plus(first, k);
    if (!isInside)
      row = e.smaller(row, e.index(e.shape(b)[1] - 1));
    rows.push_back(e.load(b, {ahead.panel, row, column}, half, half));
    if (schedule.prefetch)
      e.prefetch(
          b, {far.panel, e.plus(e.plus(far.row, e.times(line, 2)), k), column},
          2);
  }
  eachPartOfRows(rows[0], rows[1], [&](int64_t part, Value pieces) {
    e.store(pieces, ready,
            {ahead.there, step, e.index(part), e.index(columnHalf), line,
             e.index(0)},
            stepDepth);
  });
}

// What is fetched meanwhile is 4 steps or 16 KB further on, also where the rest
// of the next panel is of another depth.
TileLoops::Far TileLoops::farFrom(const Ahead &ahead, const Panels &panels,
                                  Value step, const Depth &d) {
  auto select = [&](Value condition, Value then, Value otherwise) -> Value {
    return e.create<arith::SelectOp>(condition, then, otherwise);
  };
  int64_t distance = std::min<int64_t>(4, d.count);
  Value far = e.plus(step, distance), count = e.index(d.count);
  Value inside = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, far, count);
  Value next = e.plus(ahead.panel, 1);
  Value isLast =
      e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, next, panels.end);
  Value panel = select(isLast, panels.first, next);
  Value first = select(isLast, e.plus(ahead.first, count), ahead.first);
  Value beyond = e.plus(first, e.create<arith::SubIOp>(far, count));
  return {select(inside, ahead.panel, panel),
          weightRow(select(inside, e.plus(ahead.first, far), beyond))};
}

// Each block takes a share of the lines of each step apart, between all
// products.
void TileLoops::takeAhead(const Ahead &ahead, const Far &far, Value step,
                          int64_t made, int64_t all) {
  int64_t wide = columns > half ? 2 : 1;
  int64_t share = llvm::divideCeil(half, ahead.turns);
  int64_t first = made * share * wide / all;
  int64_t end = (made + 1) * share * wide / all;
  // Where blocks are more than shares, the last share is taken again.
  Value turn =
      e.smaller(ahead.turn, e.index(llvm::divideCeil(half, share) - 1));
  for (int64_t i = first; i < end; ++i) {
    Value line = e.plus(e.times(turn, share), i / wide);
    if (half % share)
      line = e.smaller(line, e.index(half - 1));
    takeLine(ahead, far, step, line, i % wide);
  }
}

void TileLoops::takeAll(const Ahead &ahead, const Panels &panels,
                        const Depth &d) {
  e.loop(d.count, [&](Value step) {
    takeAhead(ahead, farFrom(ahead, panels, step, d), step, 0, 1);
  });
}

} // namespace weir::cpu
