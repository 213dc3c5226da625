// Sizes as polynomials of sizes that nothing else is known of.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_POLYNOMIAL_H
#define WEIR_COMPILER_IMPORT_BOUNDED_POLYNOMIAL_H

#include "compiler/import/Build.h"

#include <map>
#include <vector>

namespace weir {

/// Sums of integers times products of scalars: 2 * n * m - 1. Scalars that are
/// computed alike are one. Sizes do not overflow, so sums and products are
/// those of the integers.
class Polynomials {
public:
  /// The numbers of the scalars of a product, ascending.
  using Product = std::vector<unsigned>;
  /// The factor of each product; none is zero.
  using Polynomial = std::map<Product, int64_t>;

  /// A scalar of integers; one of its own where it is not made of others, or of
  /// too many.
  Polynomial of(mlir::Value scalar) { return of(scalar, 0); }
  /// Whether two scalars are the same number in each run.
  bool areEqual(mlir::Value x, mlir::Value y) { return of(x) == of(y); }
  /// The product of scalars; nothing where it has too many terms.
  std::optional<Polynomial> productOf(llvm::ArrayRef<mlir::Value> factors);
  /// `x / y` where `y` is one product that divides each of those of `x`.
  static std::optional<Polynomial> quotient(const Polynomial &x,
                                            const Polynomial &y);
  /// The scalar i64 that it is.
  Expr build(mlir::ImplicitLocOpBuilder &b, const Polynomial &polynomial) const;

  /// The scalar as a number, or as one that it is made of, where it is the same
  /// in each run: n + (100 - n) is 100.
  mlir::Value simplified(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar);

private:
  Polynomial of(mlir::Value scalar, unsigned depth);
  Polynomial leaf(mlir::Value scalar);

  llvm::SmallVector<mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, Polynomial> known;
};

/// Whether two scalars are the same number in each run, as n * 4 and n + 3 * n
/// are.
bool isSame(mlir::Value x, mlir::Value y);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_POLYNOMIAL_H
