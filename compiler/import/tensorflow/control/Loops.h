// Loops over what edges carry.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPS_H

#include "compiler/import/tensorflow/control/Control.h"

namespace weir::tensorflow {

/// A graph.while; or, where types change from step to step or the body needs to
/// know its variables, the steps one after the other.
mlir::FailureOr<llvm::SmallVector<Traced>> buildLoop(Node &node, Loop loop);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPS_H
