// Winograd convolutions, for windows, strides and tiles of several sizes.

#ifndef WEIR_DIALECTS_KERNEL_WINOGRADTRANSFORM_H
#define WEIR_DIALECTS_KERNEL_WINOGRADTRANSFORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace weir::kernel {

/// A Winograd transform along one axis: the steps from the pixels of an input
/// tile to a tile of `results` adjacent results. Products multiply sums of
/// pixels by sums of taps. Some products are summed first, also over the
/// channels; each result is a signed sum of these sums.
struct WinogradAxis {
  struct Product {
    int64_t sum;
    // a sign or 0 for each pixel of the input tile
    llvm::SmallVector<int> pixels;
    llvm::SmallVector<double> taps;
  };
  int64_t results, window, stride;
  llvm::SmallVector<Product> products;
  /// For each result, a sign or 0 for each sum.
  llvm::SmallVector<llvm::SmallVector<int>> ofSums;
  /// Terms with equal class are summed first, because several sums have them in
  /// common.
  llvm::SmallVector<int> pixelClasses, sumClasses;

  int64_t sums() const { return static_cast<int64_t>(sumClasses.size()); }
  /// The size of an input tile.
  int64_t reach() const { return (results - 1) * stride + window; }

  /// No value if there is no such transform, or if it saves no products.
  static std::optional<WinogradAxis> of(int64_t results, int64_t window,
                                        int64_t stride);
};

/// The transforms along both axes. Sums, and with them the products, are
/// ordered by their number of products. Sums with equally many form one batch
/// of matrix products, whose depth is these products by the channels.
struct WinogradTransform {
  WinogradAxis y, x;
  struct Group {
    int64_t depth;    // products of a sum
    int64_t firstSum; // the number of sums in earlier groups
    int64_t firstProduct;
    int64_t sums = 0;
  };
  llvm::SmallVector<Group> groups;
  /// The index of each sum `sumY * x.sums() + sumX` in this order.
  llvm::SmallVector<int64_t> sumIndex;
  /// The index of each product `productY * x.products.size() + productX` in
  /// this order.
  llvm::SmallVector<int64_t> productIndex;

  int64_t sums() const { return static_cast<int64_t>(sumIndex.size()); }
  int64_t products() const { return static_cast<int64_t>(productIndex.size()); }
  /// The group of the product with this index.
  const Group &groupOf(int64_t position) const;

  /// For two axes each: results of a tile, taps of a window, and strides.
  static std::optional<WinogradTransform> of(llvm::ArrayRef<int64_t> tiles,
                                             llvm::ArrayRef<int64_t> windows,
                                             llvm::ArrayRef<int64_t> strides);
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_WINOGRADTRANSFORM_H
