// The list of all handlers.

#include "compiler/import/tensorflow/Handlers.h"

#include "compiler/import/Names.h"
#include "compiler/import/Ops.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/control/PositionNodes.h"
#include "compiler/import/tensorflow/random/Random.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/sparse/Sparse.h"
#include "compiler/import/tensorflow/state/Tables.h"
#include "compiler/import/tensorflow/xla/Xla.h"
#include <set>

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
    addPositionNodeHandlers(handlers);
    addRandomHandlers(handlers);
    addReduceHandlers(handlers);
    addShapeHandlers(handlers);
    addSparseHandlers(handlers);
    addTableHandlers(handlers);
    addVariableHandlers(handlers);
    addXlaHandlers(handlers);
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
    addBoundedImageHandlers(handlers);
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

bool isKnownOp(llvm::StringRef op) {
  return handlers().count(op) || complexHandlers().count(op) ||
         tensorflowNames().count(op);
}

std::vector<std::string> listOps() {
  std::set<std::string> ops;
  for (const Handlers *table : {&handlers(), &complexHandlers()})
    for (const auto &entry : *table)
      ops.insert(entry.getKey().str());
  for (const auto &entry : tensorflowNames())
    ops.insert(entry.getKey().str());
  return {ops.begin(), ops.end()};
}

} // namespace weir::tensorflow
