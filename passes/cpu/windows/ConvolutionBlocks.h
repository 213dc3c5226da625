// The loops of a convolution: sizes that follow from its shape and its
// schedule.

#ifndef WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H
#define WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H

#include "dialects/kernel/schedule/ConvolutionShape.h"

namespace weir::cpu {

struct ConvolutionBlocks : kernel::ConvolutionShape,
                           kernel::ConvolutionSchedule {
  /// What tiles read of x down and across.
  TileReach reachY, reachX;
  /// The type of a copy of an image, or null; the elements of a pixel in it.
  mlir::MemRefType copyType;
  int64_t copyChannels;

  /// Of an op with a schedule.
  ConvolutionBlocks(kernel::ConvolutionOp op, const kernel::Target &target);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_WINDOWS_CONVOLUTIONBLOCKS_H
