// Operands of products that are computed from bytes.

#ifndef WEIR_PASSES_GRAPH_QUANTIZED_H
#define WEIR_PASSES_GRAPH_QUANTIZED_H

#include "dialects/graph/build/Expr.h"

#include <optional>
#include <vector>

namespace weir {

/// Elements that are (bytes - zero) * scale.
struct QuantizedData {
  /// Of ui8, in the order of the operand.
  graph::build::Expr bytes;
  /// Scalars: of i32, and of f32 or, where the elements are of i32, nothing.
  graph::build::Expr zero, scale;
};

/// A constant whose elements are signed bytes times a scale that depends on the
/// place along one dimension only.
struct QuantizedWeights {
  mlir::RankedTensorType type; // of i8
  std::vector<int8_t> bytes;
  std::vector<float> scales; // for each place; empty for elements of i32
  std::vector<int64_t> sums; // of the bytes at each place
};

/// How an operand of f32 or i32 follows from bytes; ops that give its bytes
/// their order are built at `b`. Nothing where it does not.
std::optional<QuantizedData> quantizedData(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Value operand);

/// The same of a constant, or of what is computed from constants.
std::optional<QuantizedWeights> quantizedWeights(mlir::Value operand,
                                                 int64_t dim);

} // namespace weir

#endif // WEIR_PASSES_GRAPH_QUANTIZED_H
