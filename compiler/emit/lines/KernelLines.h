// The lines of kernels in DWARF: the text of their IR is the source.
#ifndef WEIR_COMPILER_EMIT_LINES_KERNELLINES_H
#define WEIR_COMPILER_EMIT_LINES_KERNELLINES_H

#include "compiler/emit/Emit.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {

/// Prints the module, and moves each op to the line of its text in `file`. The
/// ops keep the names of their nodes.
void locateInText(mlir::ModuleOp module, llvm::StringRef file,
                  llvm::raw_ostream &os);

/// Gives each function of the LLVM dialect a scope, which makes LLVM write line
/// tables. `number` is that of the instruction-set variant.
void addScopes(mlir::ModuleOp module, const EmitOptions &options,
               size_t number);

} // namespace weir

#endif // WEIR_COMPILER_EMIT_LINES_KERNELLINES_H
