// Tiles of a line of results.

#ifndef WEIR_PASSES_CPU_WINDOWS_LINETILES_H
#define WEIR_PASSES_CPU_WINDOWS_LINETILES_H

#include "dialects/kernel/schedule/SpatialWindows.h"
#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

/// Divides a line of `count` results into tiles of up to `most`, whose widths
/// differ by at most one. `tile(first, wide, key)` is emitted once for adjacent
/// tiles of equal width and equal `keyOf(first, wide)`, in a loop over their
/// first results. With `low` and `high`, only for tiles with these indices.
template <typename KeyOf, typename Tile>
void eachTileOfLine(Emitter &e, int64_t count, int64_t most, KeyOf keyOf,
                    Tile tile, mlir::Value low = {}, mlir::Value high = {}) {
  EvenSplit split(count, most);
  for (int64_t t = 0, end; t < split.count; t = end) {
    int64_t wide = split.sizeOf(t);
    auto key = keyOf(split.beginOf(t), wide);
    for (end = t + 1; end < split.count && split.sizeOf(end) == wide &&
                      keyOf(split.beginOf(end), wide) == key;)
      ++end;
    auto startsAt = [&](mlir::Value i) {
      return e.plus(e.times(i, wide), split.beginOf(t) - t * wide);
    };
    mlir::Value from = e.index(split.beginOf(t)),
                to = e.index(split.beginOf(end));
    if (low) {
      from = startsAt(e.larger(low, e.index(t)));
      to = startsAt(e.smaller(high, e.index(end)));
    }
    e.loop(from, to, wide, [&](mlir::Value first) { tile(first, wide, key); });
  }
}

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_WINDOWS_LINETILES_H
