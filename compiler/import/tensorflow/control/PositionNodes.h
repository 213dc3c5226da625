// The handlers of nodes that say where something runs.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_POSITIONNODES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_POSITIONNODES_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addPositionNodeHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_POSITIONNODES_H
