// The list of all handlers.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// All handlers, by op.
const Handlers &handlers();
/// Those for nodes with a complex operand.
const Handlers &complexHandlers();
/// Those for nodes whose operands or results have sizes known only at run time.
const BoundedHandlers &boundedHandlers();
/// Whether weir can import nodes of this op at all.
bool isKnownOp(llvm::StringRef op);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H
