// Passes that give the values of kernels memory (Passes.td).

#ifndef WEIR_PASSES_BUFFERIZE_PASSES_H
#define WEIR_PASSES_BUFFERIZE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::bufferize {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/bufferize/Passes.h.inc"
} // namespace weir::bufferize

#endif // WEIR_PASSES_BUFFERIZE_PASSES_H
