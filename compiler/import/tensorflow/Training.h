// The entry that a loss is of, as --loss asks for it.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_TRAINING_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_TRAINING_H

#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"

namespace weir::tensorflow {

/// The entry that the options' loss is of, with the inputs of `model` where
/// that has signatures, or else those that it needs.
mlir::FailureOr<Entry> trainingEntry(Report &report, const Graph &graph,
                                     const Library &library,
                                     const ImportOptions &options,
                                     const Entry &model, bool hasSignatures);
/// Has the tracer of such an entry read each trained variable, once and first.
void readTrained(Tracer &tracer, const StateVariables &state);
/// Whether the graph, or the signature, has a tensor that is called so.
bool hasTensor(const Graph &graph, const Entry &model, llvm::StringRef name);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_TRAINING_H
