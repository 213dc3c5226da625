// Traces what lies between inputs and outputs into a function.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYFUNCTION_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYFUNCTION_H

#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"

namespace weir::tensorflow {

/// Traces the entry into a function of the module.
mlir::LogicalResult buildEntry(Report &report, mlir::ModuleOp module,
                               const Graph &graph, Library &library,
                               VariableSource *variables, StateVariables &state,
                               const Entry &entry,
                               const ImportOptions &options);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRYFUNCTION_H
