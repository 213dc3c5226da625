// How a convolution is cut for registers and caches.

#ifndef WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H
#define WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H

#include "passes/cpu/windows/SpatialWindows.h"

namespace weir {

struct ConvolutionBlocks : SpatialWindows {
  int64_t images, channels, outChannels, groups, groupInputs, groupOutputs;
  int64_t panel;
  mlir::Type sumElement;
  int64_t lanes, tileColumns, tileHeight, tileWidth;
  int64_t bytes;
  int64_t blockRows; // of tiles, as many as keep their part of x in L2
  bool fetchesAhead; // whether the filter is more than L2 holds
  bool words;
  int64_t unit;   // bytes of a word, or 1: what one step of a sum takes
  int64_t filled; // channels of x in a copied pixel
  // The type of a copy of an image, or null; what a pixel takes of it.
  mlir::MemRefType copyType;
  int64_t copyHeight, copyWidth, copyChannels;

  bool fewRegisters; // of the target

  ConvolutionBlocks(kernel::ConvolutionOp op, const kernel::Target &target);

  /// Whether the channels of a row of a window are one run in memory.
  bool isRun(int64_t pixel) const {
    return groups == 1 && dilationX == 1 && pixel == channels;
  }

private:
  bool pixelsCollide(const kernel::Target &target) const;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H
