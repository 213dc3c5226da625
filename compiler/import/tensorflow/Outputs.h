// What a graph gives where no one says: the nodes that nothing uses.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_OUTPUTS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_OUTPUTS_H

#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"

namespace weir::tensorflow {

/// The nodes whose first result a graph gives where no one says which: those
/// that nothing uses and that always run. An error where there are none.
mlir::FailureOr<std::vector<int>>
defaultOutputs(Report &report, const Graph &graph, const Library &library);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_OUTPUTS_H
