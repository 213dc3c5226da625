// Einstein's summation: products of tensors whose dimensions have names.

#ifndef WEIR_COMPILER_IMPORT_BUILD_EINSUM_H
#define WEIR_COMPILER_IMPORT_BUILD_EINSUM_H

#include "compiler/import/Build.h"

namespace weir {

/// A tensor whose dimensions have names; those of an ellipsis count from -1
/// down, the last dimension first.
struct Labelled {
  Expr x;
  llvm::SmallVector<int64_t> labels;

  int64_t find(int64_t label) const {
    return llvm::find(labels, label) - labels.begin();
  }
  bool has(int64_t label) const { return llvm::is_contained(labels, label); }

  /// Dimensions in this order; of size 1 where there is none of the name.
  Labelled ordered(llvm::ArrayRef<int64_t> wanted) const;
  /// Sums the dimensions of names that are not wanted.
  Labelled only(llvm::function_ref<bool(int64_t)> wanted) const;
};

/// The operands of an equation and the labels of its result.
struct Equation {
  llvm::SmallVector<Labelled> operands;
  llvm::SmallVector<int64_t> results;
};

/// Reads "ij,jk->ik", of one term for each operand. Without an arrow the result
/// has the ellipsis, then the letters that stand once, in alphabetical order.
/// A letter that stands twice in a term takes the diagonal. Nothing where the
/// text is no such equation or does not suit the operands' ranks.
std::optional<Equation> readEquation(llvm::StringRef text,
                                     llvm::ArrayRef<Expr> operands);

/// The value of an equation: each two operands become one batched matrix
/// product. Without a value where sizes differ.
Expr einsum(const Equation &equation);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_EINSUM_H
