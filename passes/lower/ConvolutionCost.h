// Which way to compute a convolution takes the least time.

#ifndef WEIR_PASSES_LOWER_CONVOLUTIONCOST_H
#define WEIR_PASSES_LOWER_CONVOLUTIONCOST_H

#include "dialects/graph/Neural.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/TileWindows.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace weir {

/// How a convolution is computed: by kernel.winograd, or by a direct sum where
/// there are no `tiles`. Times are cycles of a core.
struct ConvolutionChoice {
  llvm::SmallVector<int64_t> tiles; // results of a tile, down and across
  double cycles = 0;
  double directCycles = 0;
  int64_t filterElements = 0; // of the transformed filter
  double transformCycles = 0; // of these, for the filter at run time
};

/// The choice that takes the least time. Shapes are those of the filter, `KH x
/// KW x CI x CO`, and of the result, `N x OH x OW x CO`; `inside` is the part
/// of its taps that a direct sum makes products of. The filter is transformed
/// by the compiler, or by each run.
ConvolutionChoice chooseConvolution(llvm::ArrayRef<int64_t> filter,
                                    llvm::ArrayRef<int64_t> result,
                                    llvm::ArrayRef<int64_t> strides,
                                    double inside, int64_t lanes, bool isKnown,
                                    const kernel::Target &target);

/// The same for an op. Every choice is a direct sum where kernel.winograd
/// cannot compute the op.
ConvolutionChoice chooseConvolution(graph::ConvolutionOp op, bool isKnown);

/// The part of the taps of all `results` along an axis of `size` elements that
/// is inside.
double tapsInside(int64_t size, int64_t results, int64_t stride, int64_t taps,
                  int64_t dilation, int64_t padding);

/// Cycles of a core for the convolution of so many images by tile
/// registers, its filter in so many parts.
double tileCycles(const kernel::TileWindows &windows, int64_t images,
                  int64_t inputs, int64_t outputs, int64_t parts);

/// Cycles until so many bytes have come from the last level of cache, of a
/// processor with tiles.
double farCycles(double bytes);

/// Cycles until so many bytes have come from memory.
double memoryCycles(double bytes);

} // namespace weir

#endif // WEIR_PASSES_LOWER_CONVOLUTIONCOST_H
