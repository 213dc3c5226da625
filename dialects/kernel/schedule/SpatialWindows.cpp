// The elements that tiles of a convolution read along an axis.

#include "dialects/kernel/schedule/SpatialWindows.h"

namespace weir {

TileReach TileReach::of(const WindowAxis &axis, int64_t most, bool skip) {
  auto [results, size, window, stride, dilation, padding] = axis;
  TileReach reach;
  EvenSplit tiles(results, most);
  reach.steps = (results + tiles.count) * window;
  int64_t least = std::min<int64_t>(0, -padding);
  int64_t end = (results - 1) * stride + (window - 1) * dilation - padding + 1;
  if (skip)
    least = end = 0;
  for (int64_t t = 0; skip && t < tiles.count; ++t) {
    int64_t start = tiles.beginOf(t), count = tiles.beginOf(t + 1) - start;
    for (int64_t tap = 0; tap < window; ++tap) {
      int64_t first = start * stride + tap * dilation - padding;
      int64_t last = first + (count - 1) * stride;
      if (last < 0 || first >= size) {
        ++reach.skipped;
        reach.steps -= count + 1;
        continue;
      }
      least = std::min(least, first);
      end = std::max(end, last + 1);
    }
  }
  reach.skips = reach.skipped > 0;
  reach.border = -least;
  reach.extent = std::max<int64_t>(1, end - least);
  return reach;
}

} // namespace weir
