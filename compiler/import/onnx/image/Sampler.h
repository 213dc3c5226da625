// Images at computed places.

#ifndef WEIR_COMPILER_IMPORT_ONNX_IMAGE_SAMPLER_H
#define WEIR_COMPILER_IMPORT_ONNX_IMAGE_SAMPLER_H

#include "compiler/import/onnx/image/Image.h"

namespace weir::onnx {

/// Keys' weights of the four pixels around a place that lies `x`, in [0, 1),
/// behind the second of them.
llvm::SmallVector<Expr, 4> cubicWeights(Expr x, double a);
/// Images `N, spatial..., C` of floats at computed places.
struct Sampler {
  Expr x;
  Outside outside = Outside::zeros;
  /// Whether images end in the centers of their outermost pixels.
  bool alignCorners = false;

  int64_t spatial() const { return x.rank() - 2; }
  /// Pixels at places that need not be whole; all of one shape [N, P], of the
  /// type of `x`; the result is [N, P, C].
  Expr nearest(llvm::ArrayRef<Expr> positions) const;
  Expr linear(llvm::ArrayRef<Expr> positions) const;
  Expr cubic(llvm::ArrayRef<Expr> positions) const;

private:
  Expr pixel(llvm::ArrayRef<Expr> whole) const;
  Expr inside(Expr position, int64_t dim) const;
  Expr
  weighted(llvm::ArrayRef<Expr> positions, int64_t first,
           llvm::function_ref<llvm::SmallVector<Expr, 4>(Expr)> weigh) const;
};

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_IMAGE_SAMPLER_H
