// Windows that slide over images, and what convolutions and pools make of them.
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

  /// The shape of what has an element for each window and channel of `x`.
  llvm::SmallVector<int64_t> resultShape(Expr x) const;
};

/// Those of the convolution that the gradient is of, whose margins behind are
/// the least that they need.
Windows windowsOf(FilterGradientOp op);

/// Reports what is wrong with the windows of a node.
using ReportError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Whether sizes, strides and dilations are positive, and what a dilated window
/// reaches over can be counted; an error where not.
mlir::LogicalResult checkWindows(ReportError error, const Windows &windows);
/// Margins for as many windows as strides fit into `extents`, of checked
/// windows; of an odd one the larger half lies behind, or before with
/// `moreBefore`.
mlir::LogicalResult padToStrides(ReportError error, Windows &windows,
                                 llvm::ArrayRef<int64_t> extents,
                                 bool moreBefore = false);
/// How many windows with such margins there are over images of `extents`; an
/// error where there is no place for one.
mlir::LogicalResult countWindows(ReportError error, Windows &windows,
                                 llvm::ArrayRef<int64_t> extents);

/// Images with channels behind the batch from and to those with channels last.
Expr channelsLast(Expr x);
Expr channelsFirst(Expr x);

/// x and filter (`spatial..., CI / groups, CO`); without a value where they do
/// not fit.
Expr convolve(Expr x, Expr filter, const Windows &windows, int64_t groups);
/// The transpose of `convolve` as a linear map of images to results: from
/// results to images of the shape `images`. Each result adds its multiple of
/// the filter to the images.
Expr convolveBack(Expr results, Expr filter, llvm::ArrayRef<int64_t> images,
                  const Windows &windows, int64_t groups);

/// The transpose of `convolve` as a linear map of filters to results: from
/// results of images `x` to a filter of the shape `filter`. A
/// `graph.filter_gradient`, whose channels change places.
Expr convolveFilter(Expr x, Expr results, llvm::ArrayRef<int64_t> filter,
                    const Windows &windows, int64_t groups);
/// The same by convolutions or products of matrices.
Expr convolveFilterByConvolution(Expr x, Expr results,
                                 llvm::ArrayRef<int64_t> filter,
                                 const Windows &windows, int64_t groups);
/// Filters of `CO, window..., CI / groups` as `convolve` takes them.
Expr channelsOfFiltersLast(Expr filters);

/// The largest element or the mean of each window, where it does not reach into
/// its margins, and where that largest element stands in its image. Windows
/// must not be dilated, and their margins must be smaller than they are.
Expr poolMax(Expr x, const Windows &windows);
Expr poolAverage(Expr x, const Windows &windows);
/// The mean of each window, with its margins as zeros.
Expr poolAverageWithMargins(Expr x, const Windows &windows);
Expr poolArgMax(Expr x, const Windows &windows);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_WINDOWS_H
