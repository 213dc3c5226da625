// How tile registers read the windows of a convolution.

#ifndef WEIR_DIALECTS_KERNEL_TILEWINDOWS_H
#define WEIR_DIALECTS_KERNEL_TILEWINDOWS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace weir::kernel {

/// What windows read along one axis. Pixels `stride` apart are of one phase, in
/// which they are neighbours, at positions from the first window's on: so
/// neighbouring results read neighbouring positions, for each tap those of one
/// phase. Positions outside of the image are zero.
struct TileAxis {
  int64_t stride = 1, dilation = 1, low = 0, size = 1, results = 1, taps = 1;

  int64_t phaseOf(int64_t tap) const { return tap * dilation % stride; }
  /// Of a tap of the first result.
  int64_t positionOf(int64_t tap) const { return tap * dilation / stride; }
  /// How far the positions of a window's taps are apart.
  int64_t reach() const { return positionOf(taps - 1); }
  /// Positions of a phase.
  int64_t extent() const { return results + reach(); }
  /// One more than the largest phase that a tap reads.
  int64_t phases() const;
  bool reads(int64_t phase) const;
  /// Of a phase, the first position inside of the image, and the one after the
  /// last.
  int64_t first(int64_t phase) const;
  int64_t end(int64_t phase) const;
};

/// The results of an image as rows of tiles. A tile has so many results of one
/// line, or where lines are too short or uneven for that, as many neighbouring
/// positions of all lines, each with its border; the results at borders are
/// made and dropped.
struct TileWindows {
  TileAxis y, x;
  bool byLine;
  int64_t height;     // rows of a tile
  int64_t tiles;      // of an image
  int64_t tilesALine; // where they are of lines

  TileWindows(TileAxis y, TileAxis x);
  /// Of two spatial dimensions or one, without padding.
  static TileWindows of(llvm::ArrayRef<int64_t> results,
                        llvm::ArrayRef<int64_t> taps,
                        llvm::ArrayRef<int64_t> strides,
                        llvm::ArrayRef<int64_t> dilations);

  /// Positions of a line.
  int64_t pitch() const { return x.extent(); }
  /// Positions from the first result's to the last one's.
  int64_t places() const { return (y.results - 1) * pitch() + x.results; }
  int64_t phases() const { return y.phases() * x.phases(); }
  int64_t taps() const { return y.taps * x.taps; }
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_TILEWINDOWS_H
