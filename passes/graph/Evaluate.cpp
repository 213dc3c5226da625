// Evaluates the scalar function of an elementwise op over whole arrays, a block
// of elements at a time, an op of the function after the other.

#include "passes/graph/Evaluate.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "passes/graph/Lanes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir {

LogicalResult evaluate(Operation *op, ArrayRef<Elements> operands,
                       int64_t count, char *to) {
  Block block;
  OpBuilder b(op->getContext());
  b.setInsertionPointToEnd(&block);
  for (Value operand : op->getOperands())
    block.addArgument(graph::signless(getElementTypeOrSelf(operand)),
                      op->getLoc());
  Value result = cast<graph::ScalarOpInterface>(op).buildScalar(
      b, op->getLoc(), block.getArguments());

  llvm::MapVector<Value, std::unique_ptr<Lanes>> lanes;
  auto lanesOf = [&](Value value) -> Lanes & {
    std::unique_ptr<Lanes> &entry = lanes[value];
    if (!entry)
      entry = std::make_unique<Lanes>();
    return *entry;
  };
  Type type = getElementTypeOrSelf(op->getResult(0));
  int64_t width = (type.getIntOrFloatBitWidth() + 7) / 8;
  for (int64_t first = 0; first < count; first += blockLanes) {
    int64_t some = std::min(blockLanes, count - first);
    for (auto [argument, operand] :
         llvm::zip_equal(block.getArguments(), operands))
      loadLanes(lanesOf(argument), some, operand.elementType,
                operand.data.data() + first * operand.stride(),
                operand.stride());
    for (Operation &step : block) {
      if (step.getNumResults() != 1)
        return failure();
      SmallVector<const Lanes *> in;
      for (Value operand : step.getOperands())
        in.push_back(&lanesOf(operand));
      if (failed(stepLanes(step, in, lanesOf(step.getResult(0)), some)))
        return failure();
    }
    storeLanes(lanesOf(result), some, type, to + first * width);
  }
  return success();
}

} // namespace weir
