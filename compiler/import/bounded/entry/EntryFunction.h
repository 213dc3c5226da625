// An entry of a model as a function, in every frontend alike.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_ENTRYFUNCTION_H
#define WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_ENTRYFUNCTION_H

#include "compiler/import/bounded/entry/Versions.h"

namespace weir {

/// An entry, and how its frontend traces it.
struct TracedEntry {
  Report &report;
  const ImportOptions &options;
  std::string name;
  EntryPorts inputs;
  /// Whether the outputs are what a loss is of.
  bool isTraining;
  /// Whether gradients go through the entry: then zeros lie beyond the sizes of
  /// its inputs.
  bool derives;
  /// Whether parts may run under a condition, where they can assign nothing and
  /// give no derivatives.
  bool canBranch;

  /// Where input `i` is in the model.
  llvm::function_ref<mlir::Location(size_t i)> at;
  /// The function's argument `i` as the graph takes it, and then the same with
  /// its sizes.
  llvm::function_ref<mlir::FailureOr<mlir::Value>(
      mlir::ImplicitLocOpBuilder &b, size_t i, mlir::Value argument)>
      declare;
  llvm::function_ref<Traced(mlir::ImplicitLocOpBuilder &b, size_t i,
                            Traced input)>
      convert;
  TraceEntry trace;
};

/// Traces the entry into a function at the end of the module.
mlir::FailureOr<mlir::func::FuncOp> buildFunction(mlir::ModuleOp module,
                                                  mlir::OpBuilder &builder,
                                                  const TracedEntry &entry);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_ENTRYFUNCTION_H
