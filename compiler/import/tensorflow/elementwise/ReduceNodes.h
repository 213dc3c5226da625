// What a reduction's node reduces, for its handlers.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_REDUCENODES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_REDUCENODES_H

#include "compiler/import/tensorflow/elementwise/Operands.h"

namespace weir::tensorflow {

/// A reduction's operand and its dimensions, ascending.
struct Reduced {
  Expr x;
  llvm::SmallVector<int64_t> dims;
  bool keep;

  /// `result`, with the reduced dimensions as 1 where they are kept.
  Expr shaped(Expr result) const;
};

/// Operand 0, and the constant axes in operand 1.
mlir::FailureOr<Reduced> reducedOf(Node &node, Elements elements);

/// f16 and bf16 sums stay f32 until the quotient, so that they cannot overflow.
Expr widened(Expr x);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_REDUCENODES_H
