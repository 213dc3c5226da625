// Products by matrices each of whose columns is a run: dot products.
//
// Few columns in panels of rows of B would be mostly padding, and what the run
// computes would have to be transposed. Here vectors are pieces of the depth:
// those of some rows are multiplied by those of some columns, whose sums stand
// side by side in registers. In the end each vector of partial sums becomes one
// sum, all of them together, by halves.

#include "dialects/kernel/cost/Cost.h"
#include "dialects/kernel/schedule/dot/DotShape.h"
#include "passes/cpu/kernels/BlockedSums.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/kernels/LaneSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct DotsEmitter : kernel::DotShape, kernel::DotSchedule {
  Emitter &e;
  const kernel::Target &target;
  kernel::MatmulOp op;
  Value a, b;
  EvenSplit tiles; // of the rows

  DotsEmitter(Emitter &e, kernel::MatmulOp op, const kernel::Target &target)
      : DotShape(op, target),
        DotSchedule(
            cast<kernel::DotScheduleAttr>(op.getScheduleAttr()).getValue()),
        e(e), target(target), op(op), a(op.getA()), tiles(rows, tileRows) {
    b = e.joinLast(op.getB());
  }

  // The results of `height` rows from `row` on and of `count` columns from
  // `first` on.
  void tile(ValueRange batch, Value row, int64_t height, Value first,
            int64_t count) {
    auto step = [&](Value k, int64_t valid, MutableArrayRef<Value> sums) {
      auto vectorOf = [&](Value from, bool batched, Value line) {
        Emitter::Values at;
        if (batched)
          at.assign(batch.begin(), batch.end());
        at.append({line, k});
        return e.widen(e.load(from, at, lanes, valid), sumElement);
      };
      Emitter::Values right(count);
      for (int64_t i = 0; i < height; ++i) {
        Value left = vectorOf(a, /*batched=*/true, e.plus(row, i));
        for (int64_t c = 0; c < count; ++c) {
          if (!right[c])
            right[c] = vectorOf(b, !op.getShared(), e.plus(first, c));
          Value &sum = sums[i * count + c];
          sum = e.multiplyAdd(left, right[c], sum);
        }
      }
    };
    int64_t vectors = depth / lanes, sets = accumulatorSets;
    int64_t sumsASet = height * count;
    auto steps = [&](Value vector, int64_t some, Emitter::Values &sums) {
      for (int64_t u = 0; u < some; ++u)
        step(e.times(e.plus(vector, u), lanes), lanes,
             MutableArrayRef<Value>(sums).slice(u % sets * sumsASet, sumsASet));
    };
    Emitter::Values sums(sumsASet, e.zeros(sumElement, lanes));
    BlockedSums blocked{e, chain, target.sumsFillRegisters()};
    if (vectors)
      sums =
          blocked.loop(vectors, std::max<int64_t>(sets, 2), sums, steps, sets);
    if (int64_t rest = depth % lanes)
      step(e.index(depth - rest), rest, sums);
    auto position = [&](Value, Value x) {
      Emitter::Values at(batch);
      at.push_back(e.plus(row, x));
      return at;
    };
    finishDots(e, op, {1, height, count, lanes, position, first}, sums);
  }

  void tilesOf(ValueRange batch, Value row, int64_t height, Value block) {
    int64_t blocks = llvm::divideCeil(columns, tileColumns);
    int64_t rest = columns % tileColumns;
    Value first = e.times(block, tileColumns);
    if (rest == 0 || blocks == 1)
      return tile(batch, row, height, first, rest ? rest : tileColumns);
    Value whole = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, block,
                                          e.index(blocks - 1));
    e.ifElse(
        whole, [&] { tile(batch, row, height, first, tileColumns); },
        [&] { tile(batch, row, height, first, rest); });
  }

  // Tiles of rows by blocks of columns, of one product after the other.
  void run() {
    e.share(kernel::cyclesOf(*this), share != kernel::DotShare::none);
    SmallVector<int64_t> sizes(e.shape(op.getOut()).drop_back(2));
    sizes.append(
        {tiles.count, int64_t(llvm::divideCeil(columns, tileColumns))});
    e.parallel(ShapedType::getNumElements(sizes), /*coarse=*/false,
               [&](Value low, Value high) {
                 e.loops(sizes, low, high, [&](ValueRange at) {
                   ValueRange batch = at.drop_back(2);
                   Value t = at[at.size() - 2], block = at.back();
                   Value row = e.beginOf(tiles, t);
                   e.eachSize(tiles, t, [&](int64_t height) {
                     tilesOf(batch, row, height, block);
                   });
                 });
               });
  }
};

} // namespace

void emitColumnDots(Emitter &e, kernel::MatmulOp op,
                    const kernel::Target &target) {
  kernel::MatmulOp joined = joinBatches(e, op);
  DotsEmitter(e, joined, target).run();
  if (joined != op)
    joined->erase();
}

} // namespace weir::cpu
