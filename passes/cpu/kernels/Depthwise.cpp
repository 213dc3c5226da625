// Depthwise convolutions: a tile of neighbouring results of one vector of
// channels, or two where these are a line and neighbours share few pixels:
// lines are then fetched, and those of results written, as a whole. Padding is
// never read: rows outside bound the loop over the window, columns outside are
// left out of the tiles at the border.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/kernels/SpatialWindows.h"

using namespace mlir;

namespace weir {
namespace {

struct DepthwiseEmitter : SpatialWindows {
  Emitter &e;
  kernel::DepthwiseOp op;
  Value x, filter, out;
  Type sumElement;
  int64_t channels, lanes;
  int64_t mostWide = 7, mostColumns; // of a tile
  Value image;

  DepthwiseEmitter(Emitter &e, kernel::DepthwiseOp op,
                   const kernel::Target &target)
      : SpatialWindows(op, Emitter::shape(op.getFilter()).drop_back()), e(e),
        op(op), x(op.getX()), filter(op.getFilter()), out(op.getOut()) {
    channels = e.shape(x).back();
    sumElement = op.getEpilogue().front().getArgument(0).getType();
    lanes = target.lanes(sumElement);
    while (lanes > 1 && lanes / 2 >= channels)
      lanes /= 2;
    mostColumns = lanes;
    int64_t bytes = lanes * e.element(x).getIntOrFloatBitWidth() / 8;
    if (strideX > 1 && outWidth > mostWide && 2 * bytes <= Emitter::lineBytes) {
      mostWide = 4;
      mostColumns = 2 * lanes;
    }
  }

  /// The column of x under result `i` and element `k` of the window.
  int64_t columnOf(int64_t i, int64_t k) const {
    return i * strideX + k * dilationX - lowX;
  }

  /// Which products of a tile have a column of x, as pairs of result and
  /// element of the window.
  SmallVector<std::pair<int64_t, int64_t>> products(int64_t first,
                                                    int64_t wide) const {
    SmallVector<std::pair<int64_t, int64_t>> result;
    for (int64_t k = 0; k < windowWidth; ++k)
      for (int64_t i = 0; i < wide; ++i) {
        int64_t column = columnOf(first + i, k);
        if (column >= 0 && column < width)
          result.push_back({i, k});
      }
    return result;
  }

  void tile(Value y, Value low, Value high, Value first, int64_t wide,
            ArrayRef<std::pair<int64_t, int64_t>> products, Value channel,
            int64_t valid) {
    auto position = [&](Value, Value dx) {
      Emitter::Values at = {image};
      if (!flat)
        at.push_back(y);
      at.push_back(e.plus(first, dx));
      return at;
    };
    Tile shape{1, wide, valid, lanes, position, channel};
    Value top = e.times(y, strideY), left = e.times(first, strideX);
    Emitter::Values sums(shape.count(), e.zeros(sumElement, lanes));
    sums = e.loop(low, high, 1, sums, [&](Value k, ValueRange carried) {
      Emitter::Values sums(carried);
      Value row = e.plus(e.plus(top, e.times(k, dilationY)), -lowY);
      for (int64_t v = 0; v < shape.vectors(); ++v) {
        llvm::SmallDenseMap<int64_t, Value> weights, pixels;
        Value c = e.plus(channel, v * lanes);
        for (auto [i, kx] : products) {
          Value &weight = weights[kx];
          if (!weight) {
            Emitter::Values at = {e.index(kx), c};
            if (!flat)
              at.insert(at.begin(), k);
            weight =
                e.widen(e.load(filter, at, lanes, shape.valid(v)), sumElement);
          }
          int64_t column = columnOf(i, kx);
          Value &pixel = pixels[column];
          if (!pixel) {
            Emitter::Values at = {image};
            if (!flat)
              at.push_back(row);
            at.append({e.plus(left, column), c});
            pixel = e.widen(e.load(x, at, lanes, shape.valid(v)), sumElement,
                            op.getUnsignedX());
          }
          Value &sum = sums[i * shape.vectors() + v];
          sum = e.multiplyAdd(pixel, weight, sum);
        }
      }
      return sums;
    });
    finishTile(e, op, shape, sums);
  }

  void row(Value y) {
    // The rows of the window that meet x.
    Value above = e.plus(e.times(y, -strideY), lowY);
    auto steps = [&](Value distance) {
      return e.dividedBy(e.plus(e.larger(distance, e.index(0)), dilationY - 1),
                         dilationY);
    };
    Value low = steps(above);
    Value high = e.smaller(steps(e.plus(above, height)), e.index(windowHeight));
    bool inside =
        lowY == 0 &&
        (outHeight - 1) * strideY + (windowHeight - 1) * dilationY < height;
    if (inside) {
      low = e.index(0);
      high = e.index(windowHeight);
    }

    EvenSplit split(outWidth, mostWide);
    auto startOf = [&](int64_t t) {
      return t * split.size + std::min(t, split.larger);
    };
    auto wideOf = [&](int64_t t) { return split.size + (t < split.larger); };
    for (int64_t t = 0; t < split.count;) {
      int64_t wide = wideOf(t), end = t + 1;
      auto these = products(startOf(t), wide);
      while (end < split.count && wideOf(end) == wide &&
             products(startOf(end), wide) == these)
        ++end;
      e.loop(e.index(startOf(t)), e.index(startOf(end)), wide,
             [&](Value first) {
               auto part = [&](Value channel, int64_t valid) {
                 tile(y, low, high, first, wide, these, channel, valid);
               };
               int64_t whole = channels / mostColumns * mostColumns;
               e.loop(e.index(0), e.index(whole), mostColumns,
                      [&](Value channel) { part(channel, mostColumns); });
               if (whole < channels)
                 part(e.index(whole), channels - whole);
             });
      t = end;
    }
  }

  void run() {
    int64_t images = e.shape(x)[0];
    double results = double(images) * outHeight * outWidth * channels;
    e.share(std::max(
        productTime(results * windowHeight * windowWidth, lanes),
        movingTime(results * e.element(out).getIntOrFloatBitWidth() / 4)));
    e.parts(images * outHeight, /*few=*/false, [&](Value first, Value last) {
      if (images == 1 || e.isShared())
        return e.loop(first, last, 1, [&](Value t) {
          image = images == 1 ? e.index(0) : e.dividedBy(t, outHeight);
          row(images == 1 ? t : e.modulo(t, outHeight));
        });
      e.loop(images, [&](Value n) {
        image = n;
        e.loop(outHeight, [&](Value y) { row(y); });
      });
    });
  }
};

} // namespace

void emitDepthwise(Emitter &e, kernel::DepthwiseOp op,
                   const kernel::Target &target) {
  if (op.getRows())
    return emitDepthwiseDots(e, op);
  DepthwiseEmitter(e, op, target).run();
}

} // namespace weir
