// Passes from planned programs to functions of LLVM's dialect (Passes.td).

#ifndef WEIR_PASSES_ENTRY_PASSES_H
#define WEIR_PASSES_ENTRY_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::entry {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/entry/Passes.h.inc"
} // namespace weir::entry

#endif // WEIR_PASSES_ENTRY_PASSES_H
