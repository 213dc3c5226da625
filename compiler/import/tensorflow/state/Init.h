// The entry that gives variables their first values.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_INIT_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_INIT_H

#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/state/State.h"

namespace weir::tensorflow {

/// The edges that initialize a variable in the graph, the likeliest first: by
/// assignments that need no input, no checkpoint and not the variable itself.
std::vector<Edge> initialEdges(Tracer &tracer, const Graph &graph,
                               llvm::StringRef name);
/// The entry that gives all variables their first values; none where one has
/// none, of which the user is told.
mlir::LogicalResult buildInit(Report &report, mlir::ModuleOp module,
                              const Graph &graph, Library &library,
                              VariableSource *source, StateVariables &state,
                              const ImportOptions &options);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_INIT_H
