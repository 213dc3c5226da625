// Branches over what edges carry, of sizes that may differ from one to the
// other.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_CONDITIONAL_H
#define WEIR_COMPILER_IMPORT_BOUNDED_CONDITIONAL_H

#include "compiler/import/Branches.h"

namespace weir {

/// A graph.if whose regions are what both trace; what the side gives that is
/// taken, where the condition is known. Results that differ in size have the
/// room of the larger one.
mlir::FailureOr<llvm::SmallVector<Traced>>
buildIf(TracedNode &node, mlir::Value condition, Trace onTrue, Trace onFalse);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_CONDITIONAL_H
