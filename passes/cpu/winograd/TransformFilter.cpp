// Filters for Winograd's products where they are not known when compiled.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct FilterTransform {
  Emitter &e;
  kernel::TransformFilterOp op;
  kernel::WinogradTransform window;
  Value filter, out;
  // Of sums: f64 for a constant, as PackWeights has it, so that both ways to
  // transform it make the same bits.
  Type element;
  int64_t columns, panel, lanes;

  // The sum of the taps that a product takes along one axis.
  Value sum(ArrayRef<double> factors, function_ref<Value(int64_t)> tap) {
    Value sum;
    for (auto [i, factor] : llvm::enumerate(factors)) {
      if (factor == 0)
        continue;
      Value scale = e.splat(
          e.create<arith::ConstantOp>(FloatAttr::get(element, factor)), lanes);
      Value term = e.create<arith::MulFOp>(tap(i), scale);
      sum = sum ? Value(e.create<arith::AddFOp>(sum, term)) : term;
    }
    return sum;
  }

  Value tapOf(int64_t y, int64_t x, Value column, Value channel,
              int64_t valid) {
    if (valid <= 0)
      return e.zeros(element, lanes);
    return e.widen(
        e.load(filter, {e.index(y), e.index(x), channel, column}, lanes, valid),
        element);
  }

  void vector(Value j, Value to, Value channel, int64_t c, int64_t valid) {
    Value column = e.plus(e.times(j, panel), c);
    for (auto [i, down] : llvm::enumerate(window.y.products)) {
      SmallVector<Value> row;
      for (int64_t x = 0; x < window.x.window; ++x)
        row.push_back(sum(down.taps, [&](int64_t y) {
          return tapOf(y, x, column, channel, valid);
        }));
      for (auto [k, across] : llvm::enumerate(window.x.products)) {
        int64_t origin = window.productIndex[i * window.x.products.size() + k];
        Value value = sum(across.taps, [&](int64_t x) { return row[x]; });
        if (!element.isF32())
          value = e.create<arith::TruncFOp>(
              VectorType::get(lanes, e.getF32Type()), value);
        e.store(value, out, {to, e.index(origin), channel, e.index(c)}, lanes);
      }
    }
  }

  // Of panel `j`, which has `valid` columns, the channels from `first` to
  // before `end`, to panel `to` of `out`.
  void channels(Value j, Value to, int64_t valid, Value first, Value end) {
    e.loop(first, end, 1, [&](Value channel) {
      for (int64_t c = 0; c < panel; c += lanes)
        vector(j, to, channel, c, valid - c);
    });
  }

  // Threads share the channels of each panel.
  void run() {
    e.share(
        kernel::movingCycles(2. * Emitter::elementBytes(out) *
                             double(ShapedType::getNumElements(e.shape(out)))));
    e.parallel(e.shape(filter)[2], /*coarse=*/false,
               [&](Value first, Value end) {
                 e.loop(columns / panel,
                        [&](Value j) { channels(j, j, panel, first, end); });
                 if (Value j = e.index(columns / panel); columns % panel)
                   channels(j, j, columns % panel, first, end);
               });
  }
};

FilterTransform transformOf(Emitter &e, kernel::TransformFilterOp op, Value out,
                            const kernel::Target &target) {
  int64_t columns = e.shape(op.getFilter())[3], panel = e.shape(out)[3];
  int64_t lanes = target.lanesWithin(e.getF32Type(), panel);
  Type element = op.getAtRun() ? e.getF64Type() : e.getF32Type();
  return {e,       op,      *op.getWindow(), op.getFilter(), out,
          element, columns, panel,           lanes};
}

} // namespace

void emitTransformFilter(Emitter &e, kernel::TransformFilterOp op,
                         const kernel::Target &target) {
  transformOf(e, op, op.getOut(), target).run();
}

kernel::TransformFilterOp transformOfFilter(kernel::WinogradOp op) {
  auto buffer = op.getFilter().getDefiningOp<memref::AllocOp>();
  if (!buffer || !llvm::hasNItems(buffer->getUsers(), 2))
    return {};
  for (Operation *user : buffer->getUsers())
    if (auto transform = dyn_cast<kernel::TransformFilterOp>(user))
      // A kernel's input is there to its end.
      if (transform.getOut() == buffer &&
          isa<BlockArgument>(transform.getFilter()) &&
          transform->getBlock() == op->getBlock() &&
          transform->isBeforeInBlock(op))
        return transform;
  return {};
}

void emitTransformPanel(Emitter &e, kernel::TransformFilterOp op, Value j,
                        int64_t valid, Value to, const kernel::Target &target) {
  FilterTransform transform = transformOf(e, op, to, target);
  transform.channels(j, e.index(0), valid, e.index(0),
                     e.index(e.shape(op.getFilter())[2]));
}

} // namespace weir::cpu
