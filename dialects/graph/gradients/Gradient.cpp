// The ops of family Gradient.

#include "dialects/graph/gradients/Gradient.h"

#include "dialects/graph/Gradients.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/gradients/GradientOps.cpp.inc"

LogicalResult GradientOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  llvm::append_range(results, adaptor.getVariables().getTypes());
  return success();
}

void weir::graph::attachGradientDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/gradients/GradientOps.cpp.inc"
      >(context);
}
