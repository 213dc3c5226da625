// The handlers of dilation by a shape.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_MORPHOLOGY_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_MORPHOLOGY_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addMorphologyHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_MORPHOLOGY_H
