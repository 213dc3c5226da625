// Constant weights in the VNNI layout, for dot products of four bytes.

#ifndef WEIR_PASSES_LOWER_WEIGHTS_WORDWEIGHTS_H
#define WEIR_PASSES_LOWER_WEIGHTS_WORDWEIGHTS_H

#include "dialects/kernel/Kernel.h"

#include <optional>

namespace weir {

/// Writes the weights of a kernel of unsigned bytes in the words that it takes.
class WordPacking {
public:
  /// For the weights that `user` packs or, of a depthwise convolution,
  /// flattens; nothing where its kernel cannot take words, or the target has no
  /// such dot products.
  static std::optional<WordPacking> of(mlir::Operation *user);

  mlir::RankedTensorType type() const { return words; }
  /// `to` is zero before.
  void run(const char *from, char *to) const;
  /// Has the kernel take `packed`, of `type()`, instead of what `user` makes,
  /// which is then not used.
  void give(mlir::Operation *user, mlir::Value packed) const;

private:
  void runDepthwise(const char *from, char *to) const;

  mlir::Operation *kernel = nullptr;
  mlir::RankedTensorType words;
  // Of panels: `taps` times, element (k, n) of group g of the matrix of a tap
  // is at `k * depthStride + (g * columns + n) * columnStride`.
  int64_t groups = 1, taps = 1, depth = 0, columns = 0, width = 0;
  int64_t depthStride = 0, columnStride = 1;
  // Of a depthwise convolution: its windows and channels.
  int64_t rows = 0, across = 0, channels = 0;
};

} // namespace weir

#endif // WEIR_PASSES_LOWER_WEIGHTS_WORDWEIGHTS_H
