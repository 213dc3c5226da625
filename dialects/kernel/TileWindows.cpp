// How tile registers read the windows of a convolution.

#include "dialects/kernel/TileWindows.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace weir::kernel {

int64_t TileAxis::phases() const {
  int64_t most = 0;
  for (int64_t tap = 0; tap < std::min(taps, stride); ++tap)
    most = std::max(most, phaseOf(tap));
  return most + 1;
}

bool TileAxis::reads(int64_t phase) const {
  for (int64_t tap = 0; tap < std::min(taps, stride); ++tap)
    if (phaseOf(tap) == phase)
      return true;
  return false;
}

int64_t TileAxis::first(int64_t phase) const {
  return std::clamp<int64_t>(llvm::divideCeilSigned(low - phase, stride), 0,
                             extent());
}

int64_t TileAxis::end(int64_t phase) const {
  return std::clamp(llvm::divideCeilSigned(size + low - phase, stride),
                    first(phase), extent());
}

// Tiles of fewer rows take no less time: those of the right side are loaded.
static constexpr int64_t maxRows = 16, minRows = 12;

TileWindows::TileWindows(TileAxis y, TileAxis x) : y(y), x(x) {
  tilesALine = llvm::divideCeil(x.results, maxRows);
  int64_t ofLine = llvm::divideCeil(x.results, tilesALine);
  int64_t ofPositions = llvm::divideCeil(positions(), maxRows);
  byLine = y.results * tilesALine * std::max(ofLine, minRows) <=
           ofPositions * maxRows;
  tiles = byLine ? y.results * tilesALine : ofPositions;
  height = byLine ? ofLine : llvm::divideCeil(positions(), tiles);
}

TileWindows::TileWindows(TileAxis y, TileAxis x, bool byLine, int64_t height)
    : y(y), x(x), byLine(byLine), height(height),
      tilesALine(llvm::divideCeil(x.results, height)) {
  tiles =
      byLine ? y.results * tilesALine : llvm::divideCeil(positions(), height);
}

TileWindows TileWindows::of(llvm::ArrayRef<int64_t> results,
                            llvm::ArrayRef<int64_t> taps,
                            llvm::ArrayRef<int64_t> strides,
                            llvm::ArrayRef<int64_t> dilations) {
  auto axis = [&](size_t d) {
    return TileAxis{strides[d], dilations[d], 0, 1, results[d], taps[d]};
  };
  return results.size() == 1 ? TileWindows(TileAxis(), axis(0))
                             : TileWindows(axis(0), axis(1));
}

} // namespace weir::kernel
