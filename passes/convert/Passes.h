// Passes from loops on memory to LLVM's dialect (Passes.td).

#ifndef WEIR_PASSES_CONVERT_PASSES_H
#define WEIR_PASSES_CONVERT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::convert {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/convert/Passes.h.inc"
} // namespace weir::convert

#endif // WEIR_PASSES_CONVERT_PASSES_H
