// The handlers of floats as integers of few bits.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_QUANTIZE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_QUANTIZE_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addQuantizeHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_QUANTIZE_H
