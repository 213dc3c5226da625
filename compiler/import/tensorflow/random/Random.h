// The handlers of random ops.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addRandomHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H
