// Packs the right side of a matmul into panels at run time.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/kernels/PanelCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

void emitPack(Emitter &e, kernel::PackOp op, const kernel::Target &target) {
  Value out = op.getOut();
  ArrayRef<int64_t> shape = e.shape(out);
  int64_t width = shape.back(), depth = shape[shape.size() - 2];
  int64_t columns = e.shape(op.getB()).take_back(2)[!op.getTransposeB()];
  PanelCopy copy(e, op, width, target);
  auto panel = [&](ValueRange batch, Value j, int64_t valid) {
    Emitter::Values position(batch);
    position.push_back(j);
    copy.run(batch, e.times(j, width), valid, e.index(0), depth, out, position);
  };
  int64_t whole = columns / width;
  double bytes = 0.25 * e.element(out).getIntOrFloatBitWidth();
  for (int64_t size : shape)
    bytes *= size;
  e.share(kernel::movingCycles(bytes));
  int64_t panels = shape[shape.size() - 3];
  auto panelsOf = [&](ValueRange at, Value low, Value high) {
    e.loop(low, e.smaller(high, e.index(whole)), 1,
           [&](Value j) { panel(at, j, width); });
    if (columns % width)
      e.loop(e.larger(low, e.index(whole)), high, 1,
             [&](Value j) { panel(at, j, columns % width); });
  };
  ArrayRef<int64_t> batches = shape.drop_back(3);
  int64_t count = ShapedType::getNumElements(batches);
  e.parallel(std::max(count, panels), /*coarse=*/false,
             [&](Value low, Value high) {
               if (e.isShared() && count >= panels)
                 e.loops(batches, low, high, [&](ValueRange at) {
                   panelsOf(at, e.index(0), e.index(panels));
                 });
               else
                 e.loops(batches, [&](ValueRange at) {
                   panelsOf(at, e.isShared() ? low : e.index(0),
                            e.isShared() ? high : e.index(panels));
                 });
             });
}

void emitPackFilter(Emitter &e, kernel::PackFilterOp op,
                    const kernel::Target &target) {
  ArrayRef<int64_t> shape = e.shape(op.getFilter());
  int64_t rank = shape.size();
  // All but the channels of the result are the depth of a matrix.
  SmallVector<ReassociationIndices> from(2), to = {{0}, {}, {rank}};
  for (int64_t i = 0; i + 1 < rank; ++i) {
    from[0].push_back(i);
    to[1].push_back(i + 1);
  }
  from[1].push_back(rank - 1);
  Value filter = e.create<memref::CollapseShapeOp>(op.getFilter(), from);
  Value out = e.create<memref::CollapseShapeOp>(op.getOut(), to);
  int64_t groups = op.getGroups(), each = shape.back() / groups;
  int64_t depth = e.shape(filter)[0], width = e.shape(out)[2];
  int64_t lanes = target.lanesWithin(e.element(out), width);
  int64_t panels = (each + width - 1) / width;
  auto panel = [&](Value group, Value j, int64_t valid, Value low, Value high) {
    Value first = e.plus(e.times(group, each), e.times(j, width));
    Value to = e.plus(e.times(group, panels), j);
    e.loop(low, high, 1, [&](Value k) {
      for (int64_t c = 0; c < width; c += lanes) {
        Value vector =
            c < valid ? e.load(filter, {k, e.plus(first, c)}, lanes, valid - c)
                      : e.zeros(e.element(out), lanes);
        e.store(vector, out, {to, k, e.index(c)}, lanes);
      }
    });
  };
  double bytes = 2. * Emitter::elementBytes(out) *
                 double(ShapedType::getNumElements(e.shape(out)));
  e.share(kernel::movingCycles(bytes));
  e.parallel(depth, /*coarse=*/false, [&](Value low, Value high) {
    e.loop(groups, [&](Value group) {
      e.loop(each / width, [&](Value j) { panel(group, j, width, low, high); });
      if (each % width)
        panel(group, e.index(each / width), each % width, low, high);
    });
  });
}

} // namespace weir::cpu
