// Constant weights in the tiles of Intel AMX (kernel.matmul with `range`), or
// for the dot products of AVX-512 VNNI and BF16.

#ifndef WEIR_PASSES_LOWER_TILEWEIGHTS_H
#define WEIR_PASSES_LOWER_TILEWEIGHTS_H

#include "dialects/kernel/Kernel.h"

#include <optional>

namespace weir {

/// How many parts the weights of a product are worth taking apart into, of
/// which `packed` are the panels: parts of bf16, or one of i8; 0 where vector
/// registers are the quicker, or tiles cannot make the product.
int64_t partsInTiles(mlir::Operation *packed);

/// The product of the panels that `packed` makes, which has no other user.
kernel::MatmulOp productOf(mlir::Operation *packed);

/// The magnitudes of a product's left side, but for 0, for which the products
/// of parts lose nothing that sums of f32 have: none is denormal, and no sum
/// overflows. Of integers, their range as i8, where weights are of that.
struct TileRange {
  float least = 0x1p127f, most = 0; // of the weights, but for 0
  bool fits = true;

  /// Takes in weights of f32, bf16, i32 or i8.
  void add(llvm::ArrayRef<char> weights, mlir::Type element);
  /// The bits of both bounds; none where they are too close to be of use.
  std::optional<std::pair<int32_t, int32_t>> bounds(int64_t depth,
                                                    mlir::Type element) const;
};

/// Writes the tiles of a matrix, of which element (k, n) lies `k * depthStride
/// + n * columnStride` elements from its begin.
struct TilePacking {
  int64_t depth, columns, depthStride, columnStride, parts;

  mlir::RankedTensorType type(mlir::Type element) const;
  /// `to` is zero before.
  void run(const char *from, mlir::Type element, char *to) const;
};

} // namespace weir

#endif // WEIR_PASSES_LOWER_TILEWEIGHTS_H
