// Windows over images whose size is known only at run time.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_WINDOWS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_WINDOWS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// The windows along one dimension, whose padding may depend on its size:
/// "SAME" has as many windows as strides, and half of what they reach too far
/// lies before the images, rounded down, or up where there is `moreBefore`.
struct Along {
  int64_t dim, reach, stride;
  Size size;
  bool moreBefore = false;

  /// How far behind the images kernels read.
  int64_t behind() const {
    constexpr int64_t more = 16; // windows
    return reach + more * stride;
  }
  /// What lies before where the last stride has `rest` elements.
  int64_t before(int64_t rest) const {
    int64_t total = std::max<int64_t>(reach - rest, 0);
    return moreBefore ? total - total / 2 : total / 2;
  }
  /// How much more can lie before than where strides are whole.
  int64_t maxShift() const { return before(1) - before(stride); }

  /// How many windows there are, with `margins` around the images.
  Expr count(mlir::ImplicitLocOpBuilder &b, int64_t margins) const;
  /// How much more lies before than where strides are whole.
  Expr shift(mlir::ImplicitLocOpBuilder &b) const;
};

/// `x`, of these sizes, with `fill` behind the images as far as windows with an
/// element of them reach. A kernel may compute some windows behind the last one
/// with it, of sums of what any of them reads: these are filled, too.
Expr filledBehind(Expr x, const Sizes &sizes, llvm::ArrayRef<Along> windows,
                  Expr fill);

/// A place of whole strides, in which the images begin where the padding of
/// such a place leaves what must lie before them.
Expr shifted(Expr x, const Along &along, Expr fill);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_WINDOWS_H
