// How tile registers read the windows of a convolution.

#ifndef WEIR_DIALECTS_KERNEL_TILEWINDOWS_H
#define WEIR_DIALECTS_KERNEL_TILEWINDOWS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace weir::kernel {

/// The windows along one axis. Pixels `stride` apart are of one phase, in which
/// they are adjacent. Positions of a phase count from the first window. So
/// adjacent results read adjacent positions of one phase, for each tap.
/// Positions outside of the image are zero.
struct TileAxis {
  int64_t stride = 1, dilation = 1, low = 0, size = 1, results = 1, taps = 1;

  int64_t phaseOf(int64_t tap) const { return tap * dilation % stride; }
  /// The position of a tap of the first result.
  int64_t positionOf(int64_t tap) const { return tap * dilation / stride; }
  /// The distance between the positions of a window's first and last tap.
  int64_t reach() const { return positionOf(taps - 1); }
  /// The number of positions of a phase.
  int64_t extent() const { return results + reach(); }
  /// One more than the largest phase of a tap.
  int64_t phases() const;
  bool reads(int64_t phase) const;
  /// The first position of a phase inside of the image, and the end of these.
  int64_t first(int64_t phase) const;
  int64_t end(int64_t phase) const;
};

/// The results of an image as rows of tile. A tile has results of one line. If
/// lines are too short or uneven for that, it has adjacent positions of all
/// lines with their borders; the results at borders are computed and dropped.
struct TileWindows {
  TileAxis y, x;
  bool byLine;
  int64_t height;     // rows of a tile
  int64_t tiles;      // of an image
  int64_t tilesALine; // if tiles are of lines

  /// Tiles of up to 16 rows, as even as possible.
  TileWindows(TileAxis y, TileAxis x);
  /// Tiles of `height` rows, of lines or of positions.
  TileWindows(TileAxis y, TileAxis x, bool byLine, int64_t height);
  /// For one or two spatial dimensions, without padding.
  static TileWindows of(llvm::ArrayRef<int64_t> results,
                        llvm::ArrayRef<int64_t> taps,
                        llvm::ArrayRef<int64_t> strides,
                        llvm::ArrayRef<int64_t> dilations);

  /// The positions of a line.
  int64_t pitch() const { return x.extent(); }
  /// The number of positions from the first result to the last one.
  int64_t positions() const { return (y.results - 1) * pitch() + x.results; }
  int64_t phases() const { return y.phases() * x.phases(); }
  int64_t taps() const { return y.taps * x.taps; }
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_TILEWINDOWS_H
