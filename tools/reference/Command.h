// `weir reference`: evaluates a model in f64.

#ifndef WEIR_TOOLS_REFERENCE_COMMAND_H
#define WEIR_TOOLS_REFERENCE_COMMAND_H

#include "compiler/Options.h"

namespace weir {

/// Evaluates a function of the model and writes its outputs, or lists the ops
/// that the reference evaluates.
Status runReference(mlir::MLIRContext *context, const Options &options,
                    llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_TOOLS_REFERENCE_COMMAND_H
