// Inner-product pairing: one multiplication for two terms of a matrix product.

#ifndef WEIR_DIALECTS_KERNEL_PAIRINGSCHEME_H
#define WEIR_DIALECTS_KERNEL_PAIRINGSCHEME_H

#include <cstdint>

namespace weir::kernel {

/// Two adjacent terms of an inner product are one product of sums, except for
/// correction terms that depend on one side only (S. Winograd, "A New Algorithm
/// for Inner Product", IEEE Transactions on Computers C-17, 1968):
///
///     x1 y1 + x2 y2 = (x1 + y2) (x2 + y1) - x1 x2 - y1 y2
///                   = (x1 - y2) (y1 - x2) + x1 x2 + y1 y2
///
/// The two forms alternate. So the correction stays about as small as the
/// result, even for rows without negative elements. A third of the terms are
/// not paired, so that there are as many additions as multiply-adds.
struct PairingScheme {
  /// The terms of a group: a pair of the first form, one term, a pair of the
  /// second form, one term. Terms after the last whole group are not paired.
  static constexpr int64_t group = 6;
  /// The columns of a panel of weights.
  static constexpr int64_t panelWidth = 32;
  /// The trailer rows of a panel: the correction term of each column, and the
  /// power of two by which its results are multiplied.
  static constexpr int64_t trailerRows = 2;
  /// Both sides are scaled by powers of two to a mean square of 1/2 to 2, if it
  /// is within 2^-120 and 2^120 before. The products in the correction terms
  /// are then of the order of one, and their mean square is limited by
  /// `maxSquare`.
  static constexpr int64_t maxExponent = 120, maxSquare = 16;
  /// A row is not eligible for pairing if at most one of so many elements is
  /// nonzero.
  static constexpr int64_t sparse = 16;
  /// Weights on a fixed-point grid with integers below this limit, such as
  /// integers, masks and quantized weights, are not eligible for pairing. Sums
  /// of their products are exact, and a model may rely on that.
  static constexpr int64_t fewSteps = 1 << 12;

  static int64_t grouped(int64_t depth) { return depth / group * group; }
  /// The sign of the correction for the pair of term `k` and the next; 0 if no
  /// pair begins there.
  static int64_t sign(int64_t k, int64_t depth) {
    if (k >= grouped(depth))
      return 0;
    return k % group == 0 ? 1 : k % group == group / 2 ? -1 : 0;
  }
  static int64_t count(int64_t depth) { return depth / group * 2; }
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_PAIRINGSCHEME_H
