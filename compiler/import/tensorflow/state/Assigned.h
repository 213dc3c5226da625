// Which variables the entries assign, and which are trained, found before
// anything is traced.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_ASSIGNED_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_ASSIGNED_H

#include "compiler/import/tensorflow/state/State.h"

namespace weir::tensorflow {

/// The ops that declare a variable.
bool isVariableOp(llvm::StringRef op);
/// Whether operand `i` of such an op is a variable that it may assign.
bool assigns(llvm::StringRef op, unsigned i);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_ASSIGNED_H
