// Loops of the first version's control flow, traced a frame at a time.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_FRAMES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_FRAMES_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// Traces a whole loop and gives its Exits their values.
mlir::LogicalResult traceFrame(Node &node, const Graph &graph, int loop);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_FRAMES_H
