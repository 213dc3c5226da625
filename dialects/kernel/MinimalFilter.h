// Convolutions with fewer products than a direct sum has: Winograd's minimal
// filtering, for windows, strides and tiles of several sizes.

#ifndef WEIR_DIALECTS_KERNEL_MINIMALFILTER_H
#define WEIR_DIALECTS_KERNEL_MINIMALFILTER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace weir::kernel {

/// One axis: a tile of `results` neighbouring results is made of products of
/// sums of pixels and sums of taps. Some of the products are added up first,
/// also over the channels; the results are sums of these sums.
struct MinimalFilter {
  struct Product {
    int64_t sum;
    llvm::SmallVector<int> pixels; // a sign or 0 for each pixel of the tile
    llvm::SmallVector<double> taps;
  };
  int64_t results, window, stride;
  llvm::SmallVector<Product> products;
  /// Of each result, a sign or 0 for each sum.
  llvm::SmallVector<llvm::SmallVector<int>> ofSums;
  /// Terms of one class are added first: what several sums have in common.
  llvm::SmallVector<int> pixelClasses, sumClasses;

  int64_t sums() const { return static_cast<int64_t>(sumClasses.size()); }
  /// The pixels under a tile.
  int64_t reach() const { return (results - 1) * stride + window; }

  /// None where there is no such filter, or it saves nothing.
  static std::optional<MinimalFilter> of(int64_t results, int64_t window,
                                         int64_t stride);
};

/// Both axes. The sums, and with them the products, are ordered by how many
/// products each has: those alike are one batch of matrix products, whose depth
/// is these products by the channels.
struct MinimalWindow {
  MinimalFilter y, x;
  struct Group {
    int64_t depth;    // products of a sum
    int64_t firstSum; // sums of the groups before
    int64_t firstProduct;
    int64_t sums = 0;
  };
  llvm::SmallVector<Group> groups;
  /// The place of each sum, `sumY * x.sums() + sumX`.
  llvm::SmallVector<int64_t> sumPlace;
  /// The place of each product, `productY * x.products.size() + productX`.
  llvm::SmallVector<int64_t> productPlace;

  int64_t sums() const { return static_cast<int64_t>(sumPlace.size()); }
  int64_t products() const { return static_cast<int64_t>(productPlace.size()); }
  /// The group of the product at a place.
  const Group &groupOf(int64_t place) const;

  /// Of two axes each, results of a tile, taps of a window and strides.
  static std::optional<MinimalWindow> of(llvm::ArrayRef<int64_t> tiles,
                                         llvm::ArrayRef<int64_t> windows,
                                         llvm::ArrayRef<int64_t> strides);
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_MINIMALFILTER_H
