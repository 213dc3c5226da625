// Nodes that order elements, or keep some by what they are. How many they keep
// is what the model says.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SHAPE_ORDERS_H
#define WEIR_COMPILER_IMPORT_ONNX_SHAPE_ORDERS_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// The places of the first `count` true elements of `mask`, of rank 1, in
/// order.
Expr firstTrue(Node &node, Expr mask, int64_t count);
/// How many are true, as a scalar i64.
Expr countTrue(Expr mask);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SHAPE_ORDERS_H
