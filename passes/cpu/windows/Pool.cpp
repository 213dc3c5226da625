// Pools, by tiles of neighbouring results.

#include "passes/cpu/loops/Accumulators.h"
#include "passes/cpu/windows/ChannelTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct PoolEmitter : ChannelTiles {
  kernel::PoolOp pool;

  PoolEmitter(Emitter &e, kernel::PoolOp op, const kernel::Target &target)
      : ChannelTiles(e, op, target), pool(op) {}

  Value isNan(Value x) {
    return e.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  }

  // Takes the elements of all windows of a tile into its sums. `meet` sees each
  // vector of them once before, with which of a line it is.
  using Combine = function_ref<Value(Value sum, Value element)>;
  using Observe =
      function_ref<void(Value element, int64_t v, Emitter::Values &carried)>;
  static void nothing(Value, int64_t, Emitter::Values &) {}
  Emitter::Values overWindow(const Box &box, const Tile &shape,
                             Emitter::Values carried, Combine combine,
                             Observe observe) {
    return e.loop(box.low, box.high, 1, carried,
                  [&](Value k, ValueRange carried) {
                    Emitter::Values now(carried);
                    for (int64_t v = 0; v < shape.vectors(); ++v) {
                      llvm::SmallDenseMap<int64_t, Value> elements;
                      Value c = e.plus(box.channel, v * lanes);
                      for (auto [i, kx] : box.pairs) {
                        int64_t column = columnOf(i, kx);
                        Value &element = elements[column];
                        if (!element) {
                          element = pixel(box, k, column, c, shape.valid(v),
                                          /*isUnsigned=*/false);
                          observe(element, v, now);
                        }
                        Value &sum = now[i * shape.vectors() + v];
                        sum = combine(sum, element);
                      }
                    }
                    return now;
                  });
  }

  // The maxima of common processors lose a NaN. So the kernel also adds up all
  // elements times zero, which is a NaN where one is a NaN or infinite. It then
  // computes the tile again, with a choice for each element.
  Emitter::Values extremes(const Box &box, const Tile &shape) {
    int64_t count = shape.count();
    auto type = cast<FloatType>(sumElement);
    APFloat lowest =
        APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true);
    Emitter::Values begin(count,
                          e.create<arith::ConstantOp>(DenseElementsAttr::get(
                              VectorType::get(lanes, sumElement), lowest)));
    auto larger = [&](Value sum, Value x) { return greater(e, sum, x); };
    Value zeros = e.zeros(sumElement, lanes);
    Emitter::Values marked = begin;
    marked.append(shape.vectors(), zeros);
    marked = overWindow(box, shape, marked, larger,
                        [&](Value x, int64_t v, Emitter::Values &carried) {
                          Value &mark = carried[count + v];
                          mark = e.multiplyAdd(x, zeros, mark);
                        });
    Value mark = marked[count];
    for (int64_t v = 1; v < shape.vectors(); ++v)
      mark = e.sum(mark, marked[count + v]);
    marked.truncate(count);
    Value any =
        e.create<vector::ReductionOp>(vector::CombiningKind::OR, isNan(mark));
    auto choice = e.create<scf::IfOp>(ValueRange(marked).getTypes(), any);
    OpBuilder::InsertionGuard guard(e);
    e.createBlock(&choice.getThenRegion());
    e.create<scf::YieldOp>(overWindow(
        box, shape, begin,
        [&](Value sum, Value x) -> Value {
          return e.create<arith::SelectOp>(isNan(x), x, larger(sum, x));
        },
        nothing));
    e.createBlock(&choice.getElseRegion());
    e.create<scf::YieldOp>(marked);
    return Emitter::Values(choice.getResults());
  }

  // Divides by how many elements each window has or covers: so many in each of
  // the rows.
  void divide(const Box &box, const Tile &shape, Emitter::Values &sums) {
    SmallVector<int64_t> columns(box.wide, 0);
    for (auto [i, kx] : box.pairs)
      ++columns[i];
    Value rows = e.create<arith::SubIOp>(box.high, box.low);
    for (int64_t i = 0; i < box.wide; ++i) {
      Value covered = pool.getCountsPadding()
                          ? e.index(windowHeight * windowWidth)
                          : e.times(rows, columns[i]);
      Value count = e.create<arith::IndexCastOp>(e.getI32Type(), covered);
      Value number =
          e.splat(e.create<arith::SIToFPOp>(sumElement, count), lanes);
      for (int64_t v = 0; v < shape.vectors(); ++v) {
        Value &sum = sums[i * shape.vectors() + v];
        sum = e.create<arith::DivFOp>(sum, number);
      }
    }
  }

  Emitter::Values means(const Box &box, const Tile &shape) {
    Emitter::Values sums(shape.count(), e.zeros(sumElement, lanes));
    sums = overWindow(
        box, shape, sums, [&](Value sum, Value x) { return e.sum(sum, x); },
        nothing);
    divide(box, shape, sums);
    return sums;
  }

  void run() {
    ChannelTiles::run([&](const Box &box) {
      withTile(box, [&](const Tile &shape) {
        finishTile(e, op, shape,
                   pool.getLargest() ? extremes(box, shape)
                                     : means(box, shape));
      });
    });
  }
};

} // namespace

void emitPool(Emitter &e, kernel::PoolOp op, const kernel::Target &target) {
  PoolEmitter(e, op, target).run();
}

} // namespace weir::cpu
