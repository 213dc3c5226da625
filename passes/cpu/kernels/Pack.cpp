// Packs the right side of a matmul into panels at run time.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

/// The vectors' columns as vectors; as many as lanes, a power of two. Each
/// round exchanges the halves of blocks half as large (Eklundh).
static void transpose(Emitter &e, MutableArrayRef<Value> rows) {
  size_t count = rows.size();
  for (size_t half = count / 2; half > 0; half /= 2) {
    SmallVector<int64_t> upper, lower;
    for (size_t lane = 0; lane < count; ++lane) {
      bool second = lane & half;
      upper.push_back(second ? count + lane - half : lane);
      lower.push_back(second ? count + lane : lane + half);
    }
    for (size_t i = 0; i < count; ++i) {
      if (i & half)
        continue;
      Value a = rows[i], b = rows[i + half];
      rows[i] = e.create<vector::ShuffleOp>(a, b, upper);
      rows[i + half] = e.create<vector::ShuffleOp>(a, b, lower);
    }
  }
}

void emitPack(Emitter &e, kernel::PackOp op, const kernel::Target &target) {
  Value b = op.getB(), out = op.getOut();
  ArrayRef<int64_t> shape = e.shape(out);
  int64_t width = shape.back(), depth = shape[shape.size() - 2];
  int64_t columns = e.shape(b).take_back(2)[!op.getTransposeB()];
  int64_t lanes = std::min(target.lanes(e.element(out)), width);
  while (width % lanes)
    --lanes;
  Value none = e.create<arith::ConstantOp>(e.getZeroAttr(e.element(out)));

  auto panel = [&](ValueRange batch, Value j, int64_t valid) {
    Emitter::Values from(batch), to(batch);
    from.append(2, nullptr);
    to.append({j, nullptr, nullptr});
    Value *source = &from[batch.size()], *target = &to[batch.size() + 1];
    Value first = e.times(j, width);
    if (!op.getTransposeB())
      return e.loop(depth, [&](Value k) {
        source[0] = target[0] = k;
        for (int64_t c = 0; c < width; c += lanes) {
          source[1] = e.plus(first, c);
          target[1] = e.index(c);
          Value vector = c < valid ? e.load(b, from, lanes, valid - c)
                                   : e.zeros(e.element(b), lanes);
          e.store(vector, out, to, lanes);
        }
      });
    auto one = [&](Value column, Value k) {
      source[0] = e.plus(first, column);
      source[1] = target[0] = k;
      target[1] = column;
      e.create<memref::StoreOp>(e.create<memref::LoadOp>(b, from), out, to);
    };
    bool turns = lanes > 1 && llvm::isPowerOf2_64(lanes);
    int64_t columns = turns ? valid / lanes * lanes : 0;
    int64_t lines = turns ? depth / lanes * lanes : 0;
    e.loop(e.index(0), e.index(columns), lanes, [&](Value column) {
      e.loop(e.index(0), e.index(lines), lanes, [&](Value k) {
        Emitter::Values rows;
        source[1] = k;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          source[0] = e.plus(e.plus(first, column), lane);
          rows.push_back(e.load(b, from, lanes, lanes));
        }
        transpose(e, rows);
        target[1] = column;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          target[0] = e.plus(k, lane);
          e.store(rows[lane], out, to, lanes);
        }
      });
      e.loop(lanes, [&](Value lane) {
        e.loop(e.index(lines), e.index(depth), 1,
               [&](Value k) { one(e.plus(column, lane), k); });
      });
    });
    e.loop(e.index(columns), e.index(valid), 1, [&](Value column) {
      e.loop(depth, [&](Value k) { one(column, k); });
    });
    e.loop(e.index(valid), e.index(width), 1, [&](Value column) {
      target[1] = column;
      e.loop(depth, [&](Value k) {
        target[0] = k;
        e.create<memref::StoreOp>(none, out, to);
      });
    });
  };
  int64_t whole = columns / width;
  double bytes = 0.25 * e.element(out).getIntOrFloatBitWidth();
  for (int64_t size : shape)
    bytes *= size;
  e.share(movingTime(bytes));
  int64_t panels = shape[shape.size() - 3];
  auto panelsOf = [&](ValueRange at, Value low, Value high) {
    Emitter::Values batch(at);
    e.loop(low, e.smaller(high, e.index(whole)), 1,
           [&](Value j) { panel(batch, j, width); });
    if (columns % width)
      e.loop(e.larger(low, e.index(whole)), high, 1,
             [&](Value j) { panel(batch, j, columns % width); });
  };
  ArrayRef<int64_t> batches = shape.drop_back(3);
  int64_t count = ShapedType::getNumElements(batches);
  e.parts(std::max(count, panels), /*few=*/false, [&](Value low, Value high) {
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
  int64_t lanes = std::min(target.lanes(e.element(out)), width);
  while (width % lanes)
    --lanes;
  int64_t panels = (each + width - 1) / width;
  auto panel = [&](Value group, Value j, int64_t valid) {
    Value first = e.plus(e.times(group, each), e.times(j, width));
    Value to = e.plus(e.times(group, panels), j);
    e.loop(depth, [&](Value k) {
      for (int64_t c = 0; c < width; c += lanes) {
        Value vector =
            c < valid ? e.load(filter, {k, e.plus(first, c)}, lanes, valid - c)
                      : e.zeros(e.element(out), lanes);
        e.store(vector, out, {to, k, e.index(c)}, lanes);
      }
    });
  };
  e.loop(groups, [&](Value group) {
    e.loop(each / width, [&](Value j) { panel(group, j, width); });
    if (each % width)
      panel(group, e.index(each / width), each % width);
  });
}

} // namespace weir
