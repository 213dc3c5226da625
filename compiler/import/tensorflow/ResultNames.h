// The names of results, for ops with more than one: how a function's body says
// which result an edge starts from. Facts of TensorFlow's op definitions.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_RESULTNAMES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_RESULTNAMES_H

#include "compiler/import/tensorflow/Graph.h"

namespace weir::tensorflow {

/// The results of an op, for ops with more than one: `name` or
/// `name*attribute`.
llvm::ArrayRef<llvm::StringRef> resultNames(llvm::StringRef op);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_RESULTNAMES_H
