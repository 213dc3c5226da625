// How resizes map places of the result to pixels, for them and their gradients.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_RESIZE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_RESIZE_H

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"

namespace weir::tensorflow {

/// How places of the result map to places of the image along one dimension.
/// TensorFlow computes in single precision, and its roundings decide which
/// pixel is taken.
struct Scale {
  mlir::ImplicitLocOpBuilder &b;
  Size in, out;
  bool alignCorners, halfPixel;

  Expr single(Expr x) const { return cast(x, b.getF32Type()); }
  Expr factor() const {
    Expr to = exactly(b, out), from = exactly(b, in), one = number(b, 1);
    Expr plain = single(from) / single(to);
    if (!alignCorners)
      return plain;
    return select(apply<graph::GreaterOp>(to, one),
                  single(from - one) / single(to - one), plain);
  }
  Expr positions() const {
    Expr at = single(iota(b, out.bound));
    return halfPixel ? (at + 0.5) * factor() - 0.5 : at * factor();
  }
  /// A place as that of a pixel, the next one where it is outside.
  Expr pixel(Expr position) const {
    Expr i = cast(position, b.getI64Type());
    Expr last = exactly(b, in) - number(b, 1);
    return cast(maximum(minimum(i, last), number(b, 0)), b.getI32Type());
  }
};

/// A weight for each place along `axis` of `x`.
Expr along(Expr x, int64_t axis, Expr weights);

/// The pixels that are nearest to the places.
Expr nearestPixels(const Scale &scale);

/// Pixels along an axis, and their weights for each place of the result.
struct Taps {
  Expr pixels, weights;
};

/// TensorFlow's weights of a cubic convolution, from a table of 1024 steps.
void cubicTaps(const Scale &scale, Taps (&taps)[4]);

void addResizeGradientHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_RESIZE_H
