// The handlers of special functions that are composed of others.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_SPECIALNODES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_SPECIALNODES_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addSpecialHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_SPECIALNODES_H
