// Reads the model and the inputs of `weir reference`, and writes its outputs.

#ifndef WEIR_TOOLS_REFERENCE_FILES_H
#define WEIR_TOOLS_REFERENCE_FILES_H

#include "compiler/Options.h"
#include "compiler/reference/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::reference {

/// Reports an error, and returns its status.
Status fail(Status status, const llvm::Twine &text);

/// The model after the stage `import`, or IR as it is. Null after an error,
/// with its status.
mlir::OwningOpRef<mlir::ModuleOp>
readModel(mlir::MLIRContext *context, const Options &options, Status &status);

/// Reads the limits of a run.
Status readLimits(const Options &options, Limits &limits);

/// Reports why the model at `path` has no value, and returns the status.
Status explain(llvm::Error error, llvm::StringRef path);

/// Reads a tensor for each argument of a function.
Status readInputs(mlir::func::FuncOp function, const ReferenceOptions &options,
                  llvm::SmallVectorImpl<TensorRef> &inputs);

/// The part of a tensor that is in use: its first elements, in a shape that
/// `sizes` has. None if the sizes are outside of the tensor.
std::optional<Tensor> partOf(const Tensor &tensor, const Tensor &sizes);

/// Writes the results of a function to the folder of `--output-dir`, or prints
/// them. With `json` their names and types are printed instead. `errors` is
/// empty, or has the error of each element of each result.
Status writeOutputs(mlir::func::FuncOp function,
                    llvm::ArrayRef<TensorRef> results,
                    llvm::ArrayRef<TensorRef> errors,
                    const ReferenceOptions &options, bool json,
                    llvm::raw_ostream &os);

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_FILES_H
