// Windows as the attributes of convolutions and pools describe them.

#ifndef WEIR_COMPILER_IMPORT_ONNX_NEURAL_WINDOWS_H
#define WEIR_COMPILER_IMPORT_ONNX_NEURAL_WINDOWS_H

#include "compiler/import/Build.h"
#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

/// An attribute with a number for each of `spatial` dimensions; an error where
/// it has another number of them.
mlir::FailureOr<Integers> spatialAttr(Node &node, llvm::StringRef name,
                                      int64_t spatial, int64_t otherwise);
/// The margins that `pads` gives, the beginnings before the ends; zeros where
/// it is absent.
mlir::LogicalResult readPads(Node &node, int64_t spatial, Integers &low,
                             Integers &high);

/// Windows of `size` over images of `extents`. In `beyond`, where given, goes
/// how far the last windows reach over the margins, which ceil_mode allows: it
/// is part of `high`.
mlir::FailureOr<Windows> windowsOf(Node &node, llvm::ArrayRef<int64_t> extents,
                                   llvm::ArrayRef<int64_t> size,
                                   Integers *beyond = nullptr);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_NEURAL_WINDOWS_H
