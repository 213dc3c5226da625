// Traces the results of an entry from its inputs: once, or in versions for
// sizes of a dynamic dimension.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_VERSIONS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_VERSIONS_H

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/entry/Inputs.h"

namespace weir {

/// The sizes of an entry's inputs that only the run knows.
class InputSizes {
public:
  InputSizes(llvm::ArrayRef<const EntryPort *> ports,
             llvm::ArrayRef<Traced> fed);

  /// What callers hear of a dimension of this size.
  PortDim dimOf(const Size &size) const;

private:
  llvm::SmallVector<std::pair<mlir::Value, PortDim>> all;
};

/// The outputs, then the sizes of those that have some known only at run time,
/// then what else a frontend adds.
struct EntryResults {
  llvm::SmallVector<mlir::Value> values;
  /// Of the function's results.
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  /// Of the first ones how many elements count, from the start on; null where
  /// all do.
  llvm::SmallVector<mlir::Value> counts;
  /// Which outputs have sizes beside them.
  llvm::SmallVector<size_t> open;

  /// Adds all outputs of an entry, each a tensor, and their sizes, with the
  /// names of equal sizes of the inputs. With `like`, results are of the same
  /// number.
  void addOutputs(mlir::OpBuilder &builder, const InputSizes &inputs,
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

#endif // WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_VERSIONS_H
