// Operands that list numbers, taken apart.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SCALARS_H
#define WEIR_COMPILER_IMPORT_ONNX_SCALARS_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// The most scalars or parts that a tensor is taken apart to, as each makes ops
/// of its own.
constexpr int64_t partLimit = 4096;

/// The numbers of operand `i` as scalarsOf gives them, and none where it is
/// left out. An error where it is no list of numbers, or a longer one than
/// `partLimit`.
mlir::LogicalResult readScalars(Node &node, unsigned i,
                                llvm::SmallVectorImpl<Expr> &scalars);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SCALARS_H
