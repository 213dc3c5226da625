// What an entry gives, traced from what its inputs hold: once, or in versions
// for sizes of a dimension that only the run knows.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYRESULTS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYRESULTS_H

#include "compiler/import/tensorflow/Entry.h"

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

/// The outputs, then the sizes of those that have some known only at run time,
/// then the derivatives.
struct EntryResults {
  llvm::SmallVector<mlir::Value> values;
  /// Of the function's results.
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  /// Which outputs have sizes beside them.
  llvm::SmallVector<size_t> open;
};

/// The attributes of the argument or result that a port is.
mlir::DictionaryAttr portAttributes(mlir::Builder &b, const Port &port);
/// Of the one that holds the shape of port number `of`.
mlir::DictionaryAttr shapeAttributes(mlir::Builder &b, Port port, size_t of);

/// Traces the entry at the builder's place, with a value for each input. With
/// `like`, results are of the same number.
mlir::FailureOr<EntryResults> traceEntry(const EntrySource &source,
                                         mlir::OpBuilder &builder,
                                         llvm::ArrayRef<Traced> fed,
                                         const EntryResults *like = nullptr);

/// The same, and where the options ask for it versions with less room, of which
/// a run takes the first that has enough.
mlir::FailureOr<EntryResults> traceVersions(const EntrySource &source,
                                            mlir::OpBuilder &builder,
                                            llvm::ArrayRef<Traced> fed);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYRESULTS_H
