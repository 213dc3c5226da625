// How constant weights lie in memory, before they are packed and after.

#ifndef WEIR_PASSES_LOWER_WEIGHTS_PACKING_H
#define WEIR_PASSES_LOWER_WEIGHTS_PACKING_H

#include "passes/lower/weights/PairWeights.h"
#include "passes/lower/weights/TileWeights.h"
#include "passes/lower/weights/WordWeights.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/MinimalFilter.h"

#include <array>
#include <optional>

namespace weir {

/// A matrix of bytes and its panels: `batches` times, element (k, n) of group g
/// is at `k * depthStride + (g * columns + n) * columnStride`.
struct Packing {
  int64_t batches, groups, depth, columns, depthStride, columnStride, width;
  // For kernel.winograd.
  std::optional<kernel::MinimalWindow> window = {};
  int64_t tileParts = 0;                // of each element, in tiles; 0: panels
  llvm::SmallVector<int64_t> taps = {}; // of a filter in tiles
  std::optional<WordPacking> words = {};
  bool paired = false;

  static Packing of(kernel::PackOp op);
  static Packing of(kernel::PackFilterOp op);
  static Packing of(kernel::TransformFilterOp op);
  /// So many elements stay in their order.
  static Packing copy(int64_t elements);

  PairPacking pairs() const;
  TilePacking tiles() const;

  /// The part that distinguishes packings of one constant to one type.
  using Key = std::array<int64_t, 12>;
  Key key() const;

  /// Writes the packed elements, of type `element`. The memory at `to` is zero
  /// before.
  void run(const char *from, char *to, mlir::Type element) const;

private:
  void transform(const float *from, float *to) const;
  void toPanels(const char *from, char *to, int64_t bytes) const;
};

} // namespace weir

#endif // WEIR_PASSES_LOWER_WEIGHTS_PACKING_H
