// Traces the results of an entry from its inputs.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYRESULTS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYRESULTS_H

#include "compiler/import/bounded/entry/Versions.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"

namespace weir::tensorflow {

/// What an entry is traced from.
struct EntrySource {
  Report &report;
  const Graph &graph;
  Library &library;
  VariableSource *variables;
  StateVariables &state;
  const Entry &entry;
  const ImportOptions &options;
};

/// Traces the entry at the builder's place, with a value for each input. With
/// `like`, results are of the same number.
mlir::FailureOr<EntryResults> traceEntry(const EntrySource &source,
                                         mlir::OpBuilder &builder,
                                         llvm::ArrayRef<Traced> fed,
                                         const EntryResults *like = nullptr);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYRESULTS_H
