// The windows of a convolution over images, of one spatial dimension or two.

#ifndef WEIR_PASSES_CPU_WINDOWS_SPATIALWINDOWS_H
#define WEIR_PASSES_CPU_WINDOWS_SPATIALWINDOWS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// Sizes and steps of a convolution's windows. Images are [n, y, x, channels]
/// or, where they are `flat`, [n, x, channels], which is as of height 1.
struct SpatialWindows {
  bool flat;
  int64_t height, width, outHeight, outWidth;
  int64_t windowHeight, windowWidth;
  int64_t strideY, strideX, lowY, lowX, dilationY, dilationX;

  /// `window` are the spatial sizes of the filter.
  template <typename Op>
  SpatialWindows(Op op, llvm::ArrayRef<int64_t> window) {
    llvm::ArrayRef<int64_t> x = Emitter::shape(op.getX()),
                            out = Emitter::shape(op.getOut());
    flat = x.size() == 3;
    auto pair = [&](llvm::ArrayRef<int64_t> values, int64_t missing, int64_t &a,
                    int64_t &b) {
      a = flat ? missing : values[0];
      b = values.back();
    };
    pair(x.slice(1, x.size() - 2), 1, height, width);
    pair(out.slice(1, out.size() - 2), 1, outHeight, outWidth);
    pair(window, 1, windowHeight, windowWidth);
    pair(op.getStrides(), 1, strideY, strideX);
    pair(op.getPadding(), 0, lowY, lowX);
    pair(op.getDilations(), 1, dilationY, dilationX);
  }
};

/// A line of `count` results in tiles of up to `most`, whose widths differ by
/// one at most. `tile(first, wide, key)` is emitted once for neighbours that
/// are as wide and have one `keyOf(first, wide)`, in a loop over where they
/// begin. With `low` and `high` these tiles alone, of their numbers.
template <typename KeyOf, typename Tile>
void eachTileOfLine(Emitter &e, int64_t count, int64_t most, KeyOf keyOf,
                    Tile tile, mlir::Value low = {}, mlir::Value high = {}) {
  EvenSplit split(count, most);
  auto startOf = [&](int64_t t) {
    return t * split.size + std::min(t, split.larger);
  };
  auto wideOf = [&](int64_t t) { return split.size + (t < split.larger); };
  for (int64_t t = 0, end; t < split.count; t = end) {
    int64_t wide = wideOf(t);
    auto key = keyOf(startOf(t), wide);
    for (end = t + 1; end < split.count && wideOf(end) == wide &&
                      keyOf(startOf(end), wide) == key;)
      ++end;
    auto startsAt = [&](mlir::Value i) {
      return e.plus(e.times(i, wide), startOf(t) - t * wide);
    };
    mlir::Value from = e.index(startOf(t)), to = e.index(startOf(end));
    if (low) {
      from = startsAt(e.larger(low, e.index(t)));
      to = startsAt(e.smaller(high, e.index(end)));
    }
    e.loop(from, to, wide, [&](mlir::Value first) { tile(first, wide, key); });
  }
}

} // namespace weir

#endif // WEIR_PASSES_CPU_WINDOWS_SPATIALWINDOWS_H
