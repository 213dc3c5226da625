// Features made ready for a model: scaled, filled in, joined and encoded.

#ifndef WEIR_COMPILER_IMPORT_ONNX_LEARNED_ENCODERS_H
#define WEIR_COMPILER_IMPORT_ONNX_LEARNED_ENCODERS_H

#include "compiler/import/onnx/learned/Learned.h"

namespace weir::onnx {

/// A constant f32 vector of an attribute.
Expr floatsOf(Node &node, llvm::StringRef name);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_LEARNED_ENCODERS_H
