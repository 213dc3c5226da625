// Recognizes operands of products that are dequantized bytes.

#ifndef WEIR_PASSES_GRAPH_QUANTIZED_H
#define WEIR_PASSES_GRAPH_QUANTIZED_H

#include "dialects/graph/build/Expr.h"

#include <optional>
#include <vector>

namespace weir::graph {

/// Elements that are (bytes - zero) * scale.
struct QuantizedData {
  /// ui8 elements in the order of the operand.
  graph::build::Expr bytes;
  /// Scalars: an i32 zero point, and an f32 scale. An operand of i32 elements
  /// has no scale.
  graph::build::Expr zero, scale;
};

/// A constant of signed bytes with scales along one dimension.
struct QuantizedWeights {
  mlir::RankedTensorType type; // of i8
  std::vector<int8_t> bytes;
  std::vector<float> scales; // for each index; empty if the elements are i32
  std::vector<int64_t> sums; // of the bytes at each index
};

/// Recognizes an f32 or i32 operand that is computed from bytes. Transposes and
/// reshapes of the bytes are built at `b`. No value for other operands.
std::optional<QuantizedData> quantizedData(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Value operand);

/// As above, for a constant operand or one computed from constants.
std::optional<QuantizedWeights> quantizedWeights(mlir::Value operand,
                                                 int64_t dim);

} // namespace weir::graph

#endif // WEIR_PASSES_GRAPH_QUANTIZED_H
