// What `weir inspect` says of a model, a module or a compiled library.

#ifndef WEIR_COMPILER_INSPECT_INSPECT_H
#define WEIR_COMPILER_INSPECT_INSPECT_H

#include "compiler/Options.h"
#include "compiler/inspect/Module.h"

#include "llvm/Support/JSON.h"

namespace weir {

/// Prints what the options' file holds, as text or as JSON: its signatures, ops
/// and unsupported ops, and the memory plan that the compiler makes of it.
Status inspect(mlir::MLIRContext *context, const Options &options,
               llvm::raw_ostream &os);

/// The description of a model: the frontend's summary and how the compiler
/// plans it or, where it does not import, the problems in the way.
std::optional<llvm::json::Object> describeModel(mlir::MLIRContext *context,
                                                const Options &options,
                                                Status &status);
/// The description that a shared library of weir's gives of itself.
llvm::Expected<llvm::json::Object> describeLibrary(llvm::StringRef path);

/// Prints why a file cannot be inspected.
void failToInspect(llvm::StringRef path, const llvm::Twine &why);

/// The text of a description.
void printDescription(const llvm::json::Object &description,
                      llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_COMPILER_INSPECT_INSPECT_H
