// Checks of the op that a function outside of the model computes.

#include "dialects/graph/custom/Custom.h"

#include "dialects/graph/Gradients.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir::graph {

bool isCName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult CustomOp::verify() {
  // (C2)
  auto scratch = static_cast<int64_t>(getScratch());
  if (getParts() < 1 || getParts() > maxCustomParts || scratch < 0)
    return emitOpError("has ")
           << getParts() << " parts and " << scratch << " bytes of scratch";
  // (C1)
  auto status = RankedTensorType::get({static_cast<int64_t>(getParts())},
                                      IntegerType::get(getContext(), 32));
  if (getNumResults() < 1 || getOutputs().back().getType() != status)
    return emitOpError("has no last result of ") << status;
  // (C3)
  if (!isCName(getSymbol()))
    return emitOpError("calls '") << getSymbol() << "', which is no name in C";
  // (C4)
  if (getDtypes().size() != getInputs().size() + getNumResults() - 1)
    return emitOpError("has ")
           << getDtypes().size() << " types for "
           << getInputs().size() + getNumResults() - 1 << " tensors";
  return success();
}

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/custom/CustomOps.cpp.inc"
