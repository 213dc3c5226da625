// The list of all handlers.

#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/random/Random.h"
#include "compiler/import/tensorflow/shape/Moves.h"

namespace weir::tensorflow {

const Handlers &handlers() {
  static const Handlers table = [] {
    Handlers handlers;
    addArrayHandlers(handlers);
    addControlHandlers(handlers);
    addCoreHandlers(handlers);
    addElementwiseHandlers(handlers);
    addListHandlers(handlers);
    addImageHandlers(handlers);
    addLinearHandlers(handlers);
    addNeuralHandlers(handlers);
    addSignalHandlers(handlers);
    addIndexHandlers(handlers);
    addRandomHandlers(handlers);
    addReduceHandlers(handlers);
    addShapeHandlers(handlers);
    addVariableHandlers(handlers);
    return handlers;
  }();
  return table;
}

const BoundedHandlers &boundedHandlers() {
  static const BoundedHandlers table = [] {
    BoundedHandlers handlers;
    addBoundedBlockHandlers(handlers);
    addBoundedDetectionHandlers(handlers);
    addBoundedDiagonalHandlers(handlers);
    addBoundedElementwiseHandlers(handlers);
    addBoundedGatherHandlers(handlers);
    addBoundedImageHandlers(handlers);
    addBoundedJoinHandlers(handlers);
    addBoundedMoveHandlers(handlers);
    addBoundedNeuralHandlers(handlers);
    addBoundedOrderHandlers(handlers);
    addBoundedRandomHandlers(handlers);
    addBoundedReduceHandlers(handlers);
    addBoundedScatterHandlers(handlers);
    addBoundedSegmentHandlers(handlers);
    addBoundedSetHandlers(handlers);
    addBoundedShapeHandlers(handlers);
    addBoundedSliceHandlers(handlers);
    addBoundedWhereHandlers(handlers);
    return handlers;
  }();
  return table;
}

const Handlers &complexHandlers() {
  static const Handlers table = [] {
    Handlers handlers;
    addComplexHandlers(handlers);
    addComplexMoveHandlers(handlers);
    return handlers;
  }();
  return table;
}

} // namespace weir::tensorflow
