// Which products and convolutions are made of pairs (kernel.matmul with
// `paired`, kernel.convolution with `pairs_of`), and their constant weights.

#ifndef WEIR_PASSES_LOWER_WEIGHTS_PAIRWEIGHTS_H
#define WEIR_PASSES_LOWER_WEIGHTS_PAIRWEIGHTS_H

#include "dialects/kernel/Kernel.h"

namespace weir {

/// Whether a product or a convolution is worth making of pairs, of which
/// `packed` are the panels: those of a constant, or such as each run packs.
bool isWorthPairing(mlir::Operation *packed, bool isConstant);

/// Has the convolution or product whose weights `packed` packs read `panels`
/// instead, in pairs. A convolution by windows of one element, all inside,
/// becomes a product.
void pair(mlir::Operation *packed, mlir::Value panels);

/// Of a matrix of f32, of which element (k, n) lies `k * depthStride + n *
/// columnStride` elements from its begin, the panels that pairs are made of.
struct PairPacking {
  int64_t depth, columns, depthStride, columnStride;

  mlir::RankedTensorType type(mlir::Type element) const;
  /// Whether no sum of a column is less exact for what its pairs have alone,
  /// and none overflows.
  bool suits(const float *from) const;
  /// `to` is zero before. A column of zeros has a scale of zero, so that its
  /// sums are zeros.
  void run(const float *from, float *to) const;
};

} // namespace weir

#endif // WEIR_PASSES_LOWER_WEIGHTS_PAIRWEIGHTS_H
