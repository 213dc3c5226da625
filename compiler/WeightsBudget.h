// How many bytes of weights a product may have.

#ifndef WEIR_COMPILER_WEIGHTSBUDGET_H
#define WEIR_COMPILER_WEIGHTSBUDGET_H

#include "compiler/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Writes the module attribute `weir.weights_budget`, in bytes, by the weights
/// of a model that has just been imported. The attribute of IR that has one
/// stays: weights change their types in later stages. Without a budget, and for
/// a GPU, the attribute is removed.
void writeWeightsBudget(mlir::ModuleOp module, const Options &options);

} // namespace weir

#endif // WEIR_COMPILER_WEIGHTSBUDGET_H
