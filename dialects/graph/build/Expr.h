// Tensor arithmetic in the notation of formulas, for handlers that compose an
// op from others. Operands broadcast by NumPy's rules. Invalid operands yield
// an empty expression, and so does any expression with an empty operand. The
// handler reports the error when it sets a result.

#ifndef WEIR_DIALECTS_GRAPH_BUILD_EXPR_H
#define WEIR_DIALECTS_GRAPH_BUILD_EXPR_H

#include "dialects/graph/build/Build.h"

namespace weir::graph::build {

class Expr {
public:
  Expr() = default;
  Expr(mlir::ImplicitLocOpBuilder &b, mlir::Value value)
      : b(&b), value(value) {}

  explicit operator bool() const { return static_cast<bool>(value); }
  mlir::RankedTensorType type() const { return typeOf(value); }
  mlir::Type elementType() const { return type().getElementType(); }
  llvm::ArrayRef<int64_t> shape() const { return type().getShape(); }
  int64_t rank() const { return type().getRank(); }
  int64_t size(int64_t dim) const { return shape()[dim]; }

  /// A scalar of the same element type.
  Expr like(double number) const;

  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value value;
};

/// Broadcasts both to one shape. On failure both become empty.
bool align(Expr &x, Expr &y);

/// Applies an op with one operand whose result has the operand's type.
template <typename Op>
Expr apply(Expr x) {
  return x ? Expr(*x.b, make<Op>(*x.b, x.value)) : Expr();
}
/// Applies an op with two operands of one type.
template <typename Op>
Expr apply(Expr x, Expr y) {
  return align(x, y) ? Expr(*x.b, make<Op>(*x.b, x.value, y.value)) : Expr();
}

Expr operator+(Expr x, Expr y);
Expr operator-(Expr x, Expr y);
Expr operator*(Expr x, Expr y);
Expr operator/(Expr x, Expr y);
Expr operator+(Expr x, double y);
Expr operator-(Expr x, double y);
Expr operator*(Expr x, double y);
Expr operator/(Expr x, double y);
Expr operator-(double x, Expr y);
Expr operator-(Expr x);

Expr maximum(Expr x, Expr y);
Expr minimum(Expr x, Expr y);
Expr clamp(Expr x, double low, double high);
Expr sigmoid(Expr x);
Expr tanh(Expr x);
Expr rsqrt(Expr x);
/// The factor of a local response normalization, `x` to the power -`exponent`.
/// If `x` is known to be positive, 1/2 and 3/4 use roots, which are faster.
Expr responseFactor(Expr x, double exponent, bool isPositive);
Expr select(Expr condition, Expr x, Expr y);
Expr cast(Expr x, mlir::Type elementType);
/// As `cast`, for a conversion that the model itself contains.
Expr rounded(Expr x, mlir::Type elementType);

/// Reductions along ascending `dims`, which remain as size 1 if `keep`.
Expr sum(Expr x, llvm::ArrayRef<int64_t> dims, bool keep = false);
Expr mean(Expr x, llvm::ArrayRef<int64_t> dims, bool keep = false);

Expr reshape(Expr x, llvm::ArrayRef<int64_t> shape);
Expr transpose(Expr x, llvm::ArrayRef<int64_t> permutation);
/// Swaps the last two dimensions.
Expr transposed(Expr x);
Expr broadcast(Expr x, llvm::ArrayRef<int64_t> shape);
/// `size` elements of dimension `dim` from `start`, `stride` apart.
Expr slice(Expr x, int64_t dim, int64_t start, int64_t size,
           int64_t stride = 1);
Expr concat(llvm::ArrayRef<Expr> parts, int64_t axis);
/// Adds zeros before, after and between the elements of each dimension.
/// Negative margins remove elements.
Expr pad(Expr x, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
         llvm::ArrayRef<int64_t> interior = {});
Expr reverse(Expr x, llvm::ArrayRef<int64_t> dims);
/// Gathers rows of `x` along `axis`; `indices` have rank 1.
Expr gather(Expr x, Expr indices, int64_t axis);
/// A batched product, whose batch dimensions broadcast.
Expr matmul(Expr x, Expr y, bool transposeX = false, bool transposeY = false);

/// A constant of `elementType` from doubles.
Expr constant(mlir::ImplicitLocOpBuilder &b, mlir::Type elementType,
              llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_EXPR_H
