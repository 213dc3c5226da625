// How a product of matrices takes two products of terms for one.

#ifndef WEIR_DIALECTS_KERNEL_PAIRS_H
#define WEIR_DIALECTS_KERNEL_PAIRS_H

#include <cstdint>

namespace weir::kernel {

/// Two neighbouring terms of a sum of products are one product of sums, but for
/// what each side has alone (S. Winograd, "A New Algorithm for Inner Product",
/// IEEE Transactions on Computers C-17, 1968):
///
///     x1 y1 + x2 y2 = (x1 + y2) (x2 + y1) - x1 x2 - y1 y2
///                   = (x1 - y2) (y1 - x2) + x1 x2 + y1 y2
///
/// The two forms take turns, so that of rows without negative elements, too,
/// what is subtracted in the end stays about as small as the result. A third of
/// the terms are no pairs: additions and multiply-adds are then equally many.
struct Pairs {
  /// Terms of a group: a pair by the first form, one term, a pair by the second
  /// form, one term. Terms after the last whole group are no pairs.
  static constexpr int64_t group = 6;
  /// Columns of a panel of weights.
  static constexpr int64_t panelWidth = 32;
  /// Lines that a panel has after its last row: what each column has alone, and
  /// the power of two by which it is multiplied in the end.
  static constexpr int64_t linesAfter = 2;
  /// Both sides are scaled by powers of two to a mean square of 1/2 to 2, from
  /// one within 2^-120 and 2^120. What a pair has alone is then of the order of
  /// one, and its mean square is at most this.
  static constexpr int64_t mostExponent = 120, mostSquare = 16;
  /// A row of which at most one element in so many is not zero makes no pairs.
  static constexpr int64_t sparse = 16;
  /// Weights that are whole multiples, smaller than this, of one power of two,
  /// as integers, masks and those that were quantized are, make none: sums of
  /// products are exact, and a graph may rely on that.
  static constexpr int64_t fewSteps = 1 << 12;

  static int64_t grouped(int64_t depth) { return depth / group * group; }
  /// By which sign what the pair of term `k` and the next has alone is
  /// subtracted; 0 where no pair begins there.
  static int64_t sign(int64_t k, int64_t depth) {
    if (k >= grouped(depth))
      return 0;
    return k % group == 0 ? 1 : k % group == group / 2 ? -1 : 0;
  }
  static int64_t count(int64_t depth) { return depth / group * 2; }
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_PAIRS_H
