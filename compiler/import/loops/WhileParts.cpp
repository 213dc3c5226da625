// The regions of a graph.while while a frontend traces them.

#include "compiler/import/loops/WhileParts.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {

WhileParts::WhileParts(Location at, ValueRange inits)
    : at(at), inits(inits), carriedTypes(inits.getTypes()) {}

Block *WhileParts::begin(Region &region, OpBuilder &tracer) {
  SmallVector<Location> positions(carriedTypes.size(), at);
  return tracer.createBlock(&region, {}, carriedTypes, positions);
}

Value WhileParts::carry(Value init) {
  inits.push_back(init);
  carriedTypes.push_back(init.getType());
  return body.front().addArgument(init.getType(), at);
}

void WhileParts::end(Region &region, ValueRange values) {
  atEnd(at, &region.back()).create<graph::YieldOp>(values);
}

SmallVector<Value> WhileParts::create(OpBuilder &b) {
  OperationState state(at, graph::WhileOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(carriedTypes);
  state.addRegion()->takeBody(condition);
  state.addRegion()->takeBody(body);
  return SmallVector<Value>(b.create(state)->getResults());
}

ImplicitLocOpBuilder atEnd(Location at, Block *block) {
  ImplicitLocOpBuilder b(at, at.getContext());
  b.setInsertionPointToEnd(block);
  return b;
}

} // namespace weir
