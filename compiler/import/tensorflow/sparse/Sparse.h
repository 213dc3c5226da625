// The handlers of sparse and ragged tensors: coordinates or rows of their own
// sizes beside the values.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SPARSE_SPARSE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SPARSE_SPARSE_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addSparseHandlers(Handlers &);
void addCtcHandlers(Handlers &);
void addCtcLossHandlers(Handlers &);
void addRaggedHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SPARSE_SPARSE_H
