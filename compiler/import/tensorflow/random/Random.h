// The handlers of random ops.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H

#include "compiler/import/Operands.h"
#include "compiler/import/build/Philox.h"
#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

/// Makes numbers of a distribution: those of one of the first `count` places,
/// or, of an op with parameters, of one for each parameter. `exact` says how
/// many places are wanted in this run, as a scalar i64.
using MakeNumbers = llvm::function_ref<Expr(int64_t count, Expr exact)>;

void addRandomHandlers(Handlers &);
/// Those that draw until a number is accepted.
void addSampleHandlers(Handlers &);
void addStatelessHandlers(Handlers &);
void addBoundedRandomHandlers(BoundedHandlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H
