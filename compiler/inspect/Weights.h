// Describes the weights of a model.

#ifndef WEIR_COMPILER_INSPECT_WEIGHTS_H
#define WEIR_COMPILER_INSPECT_WEIGHTS_H

#include "compiler/inspect/Summary.h"

#include "llvm/Support/JSON.h"

namespace weir {

/// Adds `parameters`: how many elements and bytes there are of each type.
/// `lists` adds `tensors`, each weight with its name, type and bytes, and with
/// the smallest and the largest element where the weight has its value.
void describeWeights(llvm::json::Object &description,
                     llvm::ArrayRef<ModelSummary::Weight> weights, bool lists);

/// The constants and variables of a module of any stage.
std::vector<ModelSummary::Weight> weightsOf(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_COMPILER_INSPECT_WEIGHTS_H
