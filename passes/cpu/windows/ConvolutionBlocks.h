// How a convolution is cut for registers and caches.

#ifndef WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H
#define WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H

#include "passes/cpu/windows/SpatialWindows.h"

namespace weir {

/// What the tiles of a convolution read along one axis of x.
struct TileReach {
  /// Whether some tile has taps of the window, first or last, that all its
  /// results have outside of x, and which it leaves out.
  bool skips = false;
  /// Elements before x that tiles read, and all that they read from there on.
  int64_t border = 0, extent = 1;
  /// What all tiles take, in steps of a result: each tap takes one more, for
  /// the filter.
  int64_t steps = 0;
};

struct ConvolutionBlocks : SpatialWindows {
  int64_t images, channels, outChannels, groups, groupInputs, groupOutputs;
  int64_t panel;
  mlir::Type sumElement;
  int64_t lanes, tileColumns, tileHeight, tileWidth;
  int64_t bytes;
  int64_t blockRows; // of tiles, as many as keep their part of x in L2
  bool fetchesAhead; // whether L2 does not hold the filter, but much of a panel
  bool words;
  int64_t unit;   // bytes of a word, or 1: what one step of a sum takes
  int64_t filled; // channels of x in a copied pixel
  TileReach reachY, reachX;
  // The type of a copy of an image, or null; what a pixel takes of it.
  mlir::MemRefType copyType;
  int64_t copyChannels;
  // Rows of the window of fewer terms are several to a chain of additions.
  static constexpr int64_t shortRow = 96;

  bool sumsFillRegisters; // of the target

  ConvolutionBlocks(kernel::ConvolutionOp op, const kernel::Target &target);

  /// Whether the channels of a row of a window are one run in memory.
  bool isRun(int64_t pixel) const {
    return groups == 1 && dilationX == 1 && pixel == channels;
  }
  bool hasShortRows() const {
    return windowWidth * groupInputs / unit < shortRow;
  }

private:
  bool pixelsCollide(const kernel::Target &target) const;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H
