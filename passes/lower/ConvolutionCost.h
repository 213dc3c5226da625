// The cost model that chooses between algorithms of a convolution.

#ifndef WEIR_PASSES_LOWER_CONVOLUTIONCOST_H
#define WEIR_PASSES_LOWER_CONVOLUTIONCOST_H

#include "dialects/graph/Neural.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/TileWindows.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace weir::lower {

/// The algorithm of a convolution: kernel.winograd, or a direct sum if `tiles`
/// is empty. Times are cycles of a core.
struct ConvolutionChoice {
  // results of a tile, vertically and horizontally
  llvm::SmallVector<int64_t> tiles;
  double cycles = 0;
  double directCycles = 0;
  int64_t filterElements = 0; // of the transformed filter
  // part of `cycles`, if the filter is transformed at run time
  double transformCycles = 0;
};

/// The fastest choice. `filter` is `KH x KW x CI x CO`, `result` is `N x OH x
/// OW x CO`. `inside` is the fraction of taps inside of the image, for the
/// direct sum. The filter is transformed at compile time if `isKnown`, else at
/// run time.
ConvolutionChoice chooseConvolution(llvm::ArrayRef<int64_t> filter,
                                    llvm::ArrayRef<int64_t> result,
                                    llvm::ArrayRef<int64_t> strides,
                                    double inside, int64_t lanes, bool isKnown,
                                    const kernel::Target &target);

/// As above for an op. It is a direct sum if kernel.winograd cannot compute the
/// op.
ConvolutionChoice chooseConvolution(graph::ConvolutionOp op, bool isKnown);

/// The fraction of the taps of all `results` along an axis of `size` elements
/// that is inside.
double tapsInside(int64_t size, int64_t results, int64_t stride, int64_t taps,
                  int64_t dilation, int64_t padding);

/// Cycles of a core for the convolution of so many images by tile
/// registers, its filter in so many parts.
double tileCycles(const kernel::TileWindows &windows, int64_t images,
                  int64_t inputs, int64_t outputs, int64_t parts);

/// Cycles to load so many bytes from the last-level cache, on a processor by
/// tile registers.
double farCycles(double bytes);

/// Cycles until so many bytes have come from memory.
double memoryCycles(double bytes);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_CONVOLUTIONCOST_H
