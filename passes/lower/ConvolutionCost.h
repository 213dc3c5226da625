// By what a convolution takes the least time.

#ifndef WEIR_PASSES_LOWER_CONVOLUTIONCOST_H
#define WEIR_PASSES_LOWER_CONVOLUTIONCOST_H

#include "dialects/kernel/Target.h"
#include "dialects/kernel/TileWindows.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace weir {

/// The results of a tile of the minimal filter that takes less time than all
/// others and a direct sum, or nothing. Shapes are those of the filter, `KH x
/// KW x CI x CO`, and of the result, `N x OH x OW x CO`; `inside` is the part
/// of its taps that a direct sum makes products of. The filter may be known
/// when compiled, or only to the run.
llvm::SmallVector<int64_t> tilesWorthFiltering(llvm::ArrayRef<int64_t> filter,
                                               llvm::ArrayRef<int64_t> result,
                                               llvm::ArrayRef<int64_t> strides,
                                               double inside, int64_t lanes,
                                               bool isKnown,
                                               const kernel::Target &target);

/// The part of the taps of all `results` along an axis of `size` elements that
/// is inside.
double tapsInside(int64_t size, int64_t results, int64_t stride, int64_t taps,
                  int64_t dilation, int64_t padding);

/// Cycles of a core for the convolution of so many images by the tiles of Intel
/// AMX, its filter in so many parts.
double tileCycles(const kernel::TileWindows &windows, int64_t images,
                  int64_t inputs, int64_t outputs, int64_t parts);

/// Cycles until so many bytes have come from the last level of cache, of a
/// processor with tiles.
double farCycles(double bytes);

} // namespace weir

#endif // WEIR_PASSES_LOWER_CONVOLUTIONCOST_H
