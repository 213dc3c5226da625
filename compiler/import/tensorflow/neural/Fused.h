// The handlers of nodes that TensorFlow's graph optimizer makes of several.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_FUSED_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_FUSED_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addFusedHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_FUSED_H
