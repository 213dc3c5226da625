// Reads the inputs of `weir reference`, and writes its outputs.

#ifndef WEIR_TOOLS_REFERENCE_FILES_H
#define WEIR_TOOLS_REFERENCE_FILES_H

#include "compiler/Options.h"
#include "compiler/reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::reference {

/// Reports an error, and returns its status.
Status fail(Status status, const llvm::Twine &text);

/// Reads a tensor for each argument of a function.
Status readInputs(mlir::func::FuncOp function, const ReferenceOptions &options,
                  llvm::SmallVectorImpl<TensorRef> &inputs);

/// Writes the results of a function to the folder of `--output-dir`, or prints
/// them. With `json` their names and types are printed instead.
Status writeOutputs(mlir::func::FuncOp function,
                    llvm::ArrayRef<TensorRef> results,
                    const ReferenceOptions &options, bool json,
                    llvm::raw_ostream &os);

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_FILES_H
