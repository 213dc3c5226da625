// What an entry gives, traced from what its inputs hold: once, or in versions
// for sizes of a dimension that only the run knows.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_VERSIONS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_VERSIONS_H

#include "compiler/import/bounded/Inputs.h"

namespace weir {

/// The outputs, then the sizes of those that have some known only at run time,
/// then what else a frontend adds.
struct EntryResults {
  llvm::SmallVector<mlir::Value> values;
  /// Of the function's results.
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  /// Which outputs have sizes beside them.
  llvm::SmallVector<size_t> open;

  /// Adds outputs of an entry, each a tensor, and their sizes. With `like`,
  /// results are of the same number.
  void addOutputs(mlir::OpBuilder &builder,
                  llvm::ArrayRef<const EntryPort *> ports,
                  llvm::ArrayRef<Traced> outputs, const EntryResults *like);
};

/// Traces an entry at the builder's place, with a value for each input.
using TraceEntry = llvm::function_ref<mlir::FailureOr<EntryResults>(
    llvm::ArrayRef<Traced> fed, const EntryResults *like)>;

struct VersionedEntry {
  Report &report;
  const ImportOptions &options;
  std::string name;
  EntryPorts inputs;
  /// What is done under a condition can give no derivatives and assigns
  /// nothing.
  bool canBranch;
  TraceEntry trace;
};

/// The entry's results, and where the options ask for it versions with less
/// room, of which a run takes the first that has enough.
mlir::FailureOr<EntryResults> traceVersions(const VersionedEntry &entry,
                                            mlir::OpBuilder &builder,
                                            llvm::ArrayRef<Traced> fed);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_VERSIONS_H
