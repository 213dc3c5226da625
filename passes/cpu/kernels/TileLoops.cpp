// Blocks of rows against panels by tiles.

#include "passes/cpu/kernels/TileLoops.h"

#include "dialects/kernel/cost/Cost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

constexpr int sumsAt = 0; // tiles 0 to 3: sums, 4 and 5: A, 6 and 7: B
constexpr int leftAt = 4, rightAt = 6;

TileLoops::TileLoops(Emitter &e, kernel::KernelOpInterface op, Value b,
                     Value out, const kernel::TilesShape &shape,
                     const kernel::Target &target)
    : e(e), isa(Isa::of(target)), registers(TileRegisters::of(target, e)),
      op(op), target(target), shape(shape),
      schedule(
          op->getAttrOfType<kernel::TilesScheduleAttr>("schedule").getValue()),
      b(b), out(out), bytes(shape.areBytes),
      dots(schedule.instructions == kernel::TilesInstructions::dots),
      columns(shape.columns), parts(shape.split), stepDepth(shape.stepDepth),
      steps(shape.steps), panels(shape.panels),
      stepsABlock(std::min(steps, schedule.depthBlock)),
      depthBlocks(llvm::divideCeil(steps, stepsABlock)),
      blocks(shape.blocks(schedule)) {
  sumType = bytes ? Type(e.getI32Type()) : Type(e.getF32Type());
  tall = dots ? 2 : schedule.blockRows / schedule.tileRows;
  height = dots ? half : schedule.tileRows;
  slabs.setCount(blocks, schedule.slabs);
}

void TileLoops::eachShare(int64_t images,
                          function_ref<void(Value, Value, Value, Value)> body) {
  using kernel::TilesShare;
  e.share(kernel::cyclesOf(shape), schedule.share != TilesShare::none);
  int64_t count = images * slabs.count;
  Value zero = e.index(0), end = e.index(panels);
  if (schedule.share == TilesShare::panels)
    return e.parallel(panels, schedule.coarse, [&](Value low, Value high) {
      body(zero, e.index(count), low, high);
    });
  e.parallel(count, schedule.coarse,
             [&](Value low, Value high) { body(low, high, zero, end); });
}

void TileLoops::eachDepth(function_ref<void(const Depth &)> body) {
  if (depthBlocks == 1)
    return body({e.index(0), steps, true, true});
  int64_t last = (depthBlocks - 1) * stepsABlock;
  body({e.index(0), stepsABlock, true, false});
  e.loop(e.index(stepsABlock), e.index(last), stepsABlock,
         [&](Value step) { body({step, stepsABlock, false, false}); });
  body({e.index(last), steps - last, false, true});
}

void TileLoops::allocateScratch(int64_t blocks) {
  bool all = depthBlocks > 1;
  int64_t waiting = dots ? 1 : 2;
  sums =
      e.buffer({all ? blocks : waiting, all ? panels : 1, side, side}, sumType);
  if (all && !bytes && !dots)
    partial = e.buffer({1, 1, side, side}, sumType);
  if (takesApart())
    ready =
        e.buffer({2, stepsABlock, parts, 2, half, stepDepth}, e.getBF16Type());
}

void TileLoops::configured(function_ref<void()> body) {
  if (!dots)
    registers->configure(height);
  body();
  if (!dots)
    registers->release();
}

Value TileLoops::word(int64_t value) {
  return e.create<arith::ConstantOp>(e.getI32IntegerAttr(value));
}

Emitter::Values TileLoops::sumsOf(const Unit &unit) {
  if (depthBlocks > 1)
    return {unit.block, unit.panel};
  return {unit.slot, e.index(0)};
}

// Which parts are multiplied: from one product to the next one side changes, so
// that 14 tiles are loaded for the 24 products of a step.
static ArrayRef<std::pair<int, int>> products(int64_t parts) {
  static constexpr std::pair<int, int> one[] = {{0, 0}},
                                       three[] = {{1, 0}, {0, 0}, {0, 1}},
                                       six[] = {{2, 0}, {1, 0}, {1, 1},
                                                {0, 1}, {0, 0}, {0, 2}};
  if (parts == 1)
    return one;
  if (parts == 2)
    return three;
  return six;
}

// The sums of one block against one panel. In each step `meanwhile` is called
// for some rows of a block, so that vector registers are at work while tiles
// are multiplied.
void TileLoops::byTiles(const Unit &unit, const Depth &d, const Panels &panels,
                        Rows meanwhile) {
  Ahead ahead = aheadOf(unit, panels, d);
  int wide = columns > half ? 2 : 1;
  Emitter::Values at = sumsOf(unit);
  bool adds = !d.begins && !bytes;
  Value to = adds ? partial : sums;
  if (adds)
    at.assign(2, e.index(0));
  Value flat = e.create<memref::CollapseShapeOp>(
      to, SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
  auto eachSum = [&](llvm::function_ref<void(int, ValueRange)> body) {
    for (int i = 0; i < tall; ++i)
      for (int j = 0; j < wide; ++j)
        body(sumsAt + 2 * i + j,
             {at[0], at[1], e.index(i * height * side + j * half)});
  };
  constexpr int64_t stride = side * sizeof(float);
  eachSum([&](int sum, ValueRange from) {
    if (d.begins || adds)
      registers->zero(sum);
    else
      registers->load(sum, flat, from, stride);
  });
  ArrayRef<std::pair<int, int>> order = products(parts);
  e.loop(d.count, [&](Value step) {
    Far far;
    if (takesApart())
      far = farFrom(ahead, panels, step, d);
    auto loadPart = [&](int part, int i) {
      loadLeft(leftAt + i, unit, d, step, part, i);
    };
    auto loadRight = [&](int part, int j) {
      if (takesApart())
        registers->load(rightAt + j, ready,
                        {ahead.here, step, e.index(part), e.index(j)});
      else
        registers->load(
            rightAt + j, b,
            {unit.panel, e.plus(d.first, step), e.index(part), e.index(j)});
    };
    for (int i = 0; i < tall; ++i)
      loadPart(order[0].first, i);
    for (int j = 0; j < wide; ++j)
      loadRight(order[0].second, j);
    int64_t made = 0, all = order.size() * tall * wide;
    // Many rows are not left to one place, behind which products would wait.
    int64_t share = llvm::divideCeil(blockRows(), d.count);
    int64_t pieces = share > 4 && order.size() > 1 ? order.size() : 1;
    int64_t some = llvm::divideCeil(share, pieces);
    auto goOn = [&](int64_t piece) {
      Value first = e.plus(e.times(step, share), piece * some);
      Value end = e.plus(first, std::min(some, share - piece * some));
      if (some * piece < share)
        meanwhile(first, end);
    };
    for (auto [n, now] : llvm::enumerate(order)) {
      bool ends = n + 1 == order.size();
      // A register is loaded again as soon as nothing more is made of it, under
      // products that do not need it: a row at a time where the left changes.
      bool leftChanges = ends || order[n + 1].first != now.first;
      int outer = leftChanges ? tall : wide, inner = leftChanges ? wide : tall;
      for (int x = 0; x < outer; ++x) {
        for (int y = 0; y < inner; ++y) {
          int i = leftChanges ? x : y, j = leftChanges ? y : x;
          registers->multiply(bytes, sumsAt + 2 * i + j, leftAt + i,
                              rightAt + j);
          if (takesApart())
            takeAhead(ahead, far, step, made++, all);
          else
            fetchAhead(ahead, step, d, made++, all);
        }
        if (!ends && leftChanges)
          loadPart(order[n + 1].first, x);
        else if (!ends)
          loadRight(order[n + 1].second, x);
      }
      if (pieces > 1 || n == order.size() / 2)
        goOn(pieces > 1 ? n : 0);
    }
  });
  eachSum([&](int sum, ValueRange indices) {
    registers->store(sum, flat, indices, stride);
  });
  if (adds)
    addPartial(unit);
}

// A sum of floats is of chains, each of a block of the depth.
void TileLoops::addPartial(const Unit &unit) {
  Emitter::Values at = sumsOf(unit);
  e.loop(blockRows(), [&](Value i) {
    for (int64_t column = 0; column < side; column += half) {
      Emitter::Values to = {at[0], at[1], i, e.index(column)};
      Value part = e.load(partial, {e.index(0), e.index(0), i, e.index(column)},
                          half, half);
      e.store(e.sum(e.load(sums, to, half, half), part), sums, to, half);
    }
  });
}

// Calls `body` for rows of a block that have results, with where these are, of
// columns of which `valid` are inside.
void TileLoops::eachRow(const Unit &unit, Value low, Value high, int64_t valid,
                        function_ref<void(Value, const Tile &)> body) {
  int64_t lanes = std::min(side, target.lanes(sumType));
  e.loop(low, high, 1, [&](Value i) {
    atResult(unit, i, [&](const Emitter::Values &at) {
      auto position = [&](Value, Value) { return at; };
      body(i, {1, 1, valid, lanes, position, e.times(unit.panel, side)});
    });
  });
}

// The sums of some rows of a block through the epilogue.
void TileLoops::finish(const Unit &unit, Value low, Value high, int64_t valid) {
  Emitter::Values at = sumsOf(unit);
  eachRow(unit, low, high, valid, [&](Value i, const Tile &tile) {
    Emitter::Values made;
    for (int64_t v = 0; v < tile.vectors(); ++v)
      made.push_back(e.load(sums, {at[0], at[1], i, e.index(v * tile.lanes)},
                            tile.lanes, tile.lanes));
    finishTile(e, op, tile, made);
  });
}

void TileLoops::finish(const Unit &unit, Value low, Value high) {
  int64_t rest = columns % side;
  if (!rest || panels == 1)
    return finish(unit, low, high, rest ? rest : side);
  Value whole = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, unit.panel,
                                        e.index(panels - 1));
  e.ifElse(
      whole, [&] { finish(unit, low, high, side); },
      [&] { finish(unit, low, high, rest); });
}

void TileLoops::fetchResults(const Unit &unit, Value low, Value high) {
  eachRow(unit, low, high, std::min(side, columns),
          [&](Value, const Tile &tile) {
            prefetchTile(e, op, tile, /*finishes=*/true);
          });
}

// One block of rows against one panel. Of the block before it `before` rows are
// still to be finished, or none.
void TileLoops::multiplyBlock(const Unit &unit, const Depth &d,
                              const Panels &panels, const Unit &previous,
                              Value before) {
  Value fit = e.create<arith::CmpIOp>(
      arith::CmpIPredicate::ne,
      e.create<memref::LoadOp>(fits, ValueRange{fitOf(unit)}), word(0));
  e.ifElse(
      fit,
      [&] {
        if (dots)
          return byDots(unit, d);
        byTiles(unit, d, panels, [&](Value low, Value high) {
          if (!d.ends)
            return;
          finish(previous, low, e.smaller(high, before));
          if (schedule.prefetchResult)
            fetchResults(unit, low, high);
        });
      },
      [&] {
        if (!dots && d.ends)
          finish(previous, e.index(0), before);
        if (takesApart())
          takeAll(aheadOf(unit, panels, d), panels, d);
        byVectors(unit, d);
      });
  if (dots && d.ends)
    finish(unit, e.index(0), validRows(unit));
}

TileLoops::Unit TileLoops::unitOf(Value first, Value block, Value panel,
                                  Value count) {
  if (dots || depthBlocks > 1)
    return {first, block, panel, e.index(0)};
  Value turn = e.plus(e.create<arith::MulIOp>(panel, count), block);
  return {first, block, panel, e.modulo(turn, 2)};
}

void TileLoops::multiply(Value first, const Panels &panels, const Depth &d) {
  auto equal = [&](Value a, Value b) -> Value {
    return e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
  };
  auto select = [&](Value condition, Value then, Value otherwise) -> Value {
    return e.create<arith::SelectOp>(condition, then, otherwise);
  };
  Value count = panels.count, lastBlock = e.plus(count, -1);
  if (takesApart()) {
    Ahead begin = {panels.first, d.first,   e.index(0), 1,
                   e.index(1),   e.index(0)};
    takeAll(begin, panels, d);
  }
  e.loop(panels.first, panels.end, 1, [&](Value panel) {
    e.loop(e.index(0), count, 1, [&](Value block) {
      Unit unit = unitOf(first, block, panel, count);
      Value turns = equal(block, e.index(0));
      Value begins = e.create<arith::AndIOp>(turns, equal(panel, panels.first));
      // Where there is none before, this panel, of which nothing is finished.
      Unit previous =
          unitOf(first, select(turns, lastBlock, e.plus(block, -1)),
                 select(begins, panel, select(turns, e.plus(panel, -1), panel)),
                 count);
      Value before = select(begins, e.index(0), validRows(previous));
      multiplyBlock(unit, d, panels, previous, before);
    });
  });
}

void TileLoops::finishLast(Value first, const Panels &panels) {
  if (dots)
    return;
  Unit last = unitOf(first, e.plus(panels.count, -1), e.plus(panels.end, -1),
                     panels.count);
  finish(last, e.index(0), validRows(last));
}

} // namespace weir::cpu
