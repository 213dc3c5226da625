// Sliding windows over images, and the convolutions and pools that use them.
// Images are `N, spatial..., C`.

#ifndef WEIR_DIALECTS_GRAPH_BUILD_WINDOWS_H
#define WEIR_DIALECTS_GRAPH_BUILD_WINDOWS_H

#include "dialects/graph/build/Expr.h"

namespace weir::graph {
class FilterGradientOp;
}

namespace weir::graph::build {

/// Windows over the spatial dimensions, and how many there are.
struct Windows {
  llvm::SmallVector<int64_t> size, strides, dilations, low, high, counts;

  /// The shape with an element for each window and channel of `x`.
  llvm::SmallVector<int64_t> resultShape(Expr x) const;
};

/// The windows of the convolution whose gradient this is, with the least
/// padding after the images.
Windows windowsOf(FilterGradientOp op);

/// Reports an error in the windows of a node.
using ReportError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Verifies that sizes, strides and dilations are positive and do not overflow;
/// reports an error otherwise.
mlir::LogicalResult checkWindows(ReportError error, const Windows &windows);
/// Sets the padding for as many windows as strides fit into `extents`. If it is
/// odd, the larger half is after the image, or before it with `moreBefore`.
mlir::LogicalResult padToStrides(ReportError error, Windows &windows,
                                 llvm::ArrayRef<int64_t> extents,
                                 bool moreBefore = false);
/// Counts the windows over images of `extents`; an error if none fits.
mlir::LogicalResult countWindows(ReportError error, Windows &windows,
                                 llvm::ArrayRef<int64_t> extents);

/// Moves the channels of images to the end, and back to the dimension after the
/// batch.
Expr channelsLast(Expr x);
Expr channelsFirst(Expr x);

/// Convolves x with the filter (`spatial..., CI / groups, CO`). Empty if their
/// shapes do not match.
Expr convolve(Expr x, Expr filter, const Windows &windows, int64_t groups);
/// The transpose of `convolve` as a linear map of images to results. It maps
/// results to images of the shape `images`.
Expr convolveBack(Expr results, Expr filter, llvm::ArrayRef<int64_t> images,
                  const Windows &windows, int64_t groups);

/// The transpose of `convolve` as a linear map of filters to results. It maps
/// results for images `x` to a filter of the shape `filter`. The op is a
/// `graph.filter_gradient` with swapped channels.
Expr convolveFilter(Expr x, Expr results, llvm::ArrayRef<int64_t> filter,
                    const Windows &windows, int64_t groups);
/// As above, by convolutions or matrix products.
Expr convolveFilterByConvolution(Expr x, Expr results,
                                 llvm::ArrayRef<int64_t> filter,
                                 const Windows &windows, int64_t groups);
/// Converts filters from `CO, window..., CI / groups` to the layout of
/// `convolve`.
Expr channelsOfFiltersLast(Expr filters);

/// The maximum or the mean of each window without its padding, and the index of
/// the maximum in its image. Windows are not dilated, and their padding is
/// smaller than they are.
Expr poolMax(Expr x, const Windows &windows);
Expr poolAverage(Expr x, const Windows &windows);
/// The mean of each window, counting its padding as zeros.
Expr poolAverageWithMargins(Expr x, const Windows &windows);
Expr poolArgMax(Expr x, const Windows &windows);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_WINDOWS_H
