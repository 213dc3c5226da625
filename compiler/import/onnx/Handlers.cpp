// The list of all handlers.

#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

const Handlers &handlers() {
  static const Handlers table = [] {
    Handlers handlers;
    addActivationHandlers(handlers);
    addArithmeticHandlers(handlers);
    addControlHandlers(handlers);
    addCoreHandlers(handlers);
    addFeatureHandlers(handlers);
    addGatherHandlers(handlers);
    addJoinHandlers(handlers);
    addOptimizerHandlers(handlers);
    addOrderHandlers(handlers);
    addPadHandlers(handlers);
    addProductHandlers(handlers);
    addRandomHandlers(handlers);
    addRangeHandlers(handlers);
    addReductionHandlers(handlers);
    addReshapeHandlers(handlers);
    addSequenceHandlers(handlers);
    addSliceHandlers(handlers);
    addSoftmaxHandlers(handlers);
    return handlers;
  }();
  return table;
}

} // namespace weir::onnx
