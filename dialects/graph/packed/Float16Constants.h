// Constants of f32 that a type of 16 bits represents exactly.

#ifndef WEIR_DIALECTS_GRAPH_PACKED_FLOAT16CONSTANTS_H
#define WEIR_DIALECTS_GRAPH_PACKED_FLOAT16CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <vector>

namespace weir {

/// The raw bytes of a constant, where it has them; a splat has one element.
std::optional<llvm::ArrayRef<char>> rawBytes(mlir::ElementsAttr value);

/// f16 or bf16, whichever represents every element of these f32 exactly; null
/// where neither does.
mlir::FloatType float16TypeOf(llvm::ArrayRef<char> f32,
                              mlir::MLIRContext *context);

/// The elements in `type`, which represents them exactly.
std::vector<char> toFloat16(llvm::ArrayRef<char> f32, mlir::FloatType type);

} // namespace weir

#endif // WEIR_DIALECTS_GRAPH_PACKED_FLOAT16CONSTANTS_H
