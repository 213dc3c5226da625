// From the options to the attributes of the module.

#ifndef WEIR_COMPILER_ATTRIBUTES_H
#define WEIR_COMPILER_ATTRIBUTES_H

#include "compiler/Options.h"

namespace weir {

/// The attributes that describe the target and the ranks. With several
/// instruction sets, each has a target of its own from the stage fuse on. Until
/// then, and where constants are folded, the smallest instruction set stands
/// for all. The lowering of gradients depends on what the GPU leaves to a
/// library.
llvm::Error describeMachine(mlir::MLIRContext *context, const Options &options,
                            mlir::DictionaryAttr &attributes);

/// Writes the options that all stages need onto the module.
void writeOptions(mlir::ModuleOp module, const Options &options);

} // namespace weir

#endif // WEIR_COMPILER_ATTRIBUTES_H
