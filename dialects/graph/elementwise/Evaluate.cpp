// Evaluates the scalar function of an elementwise op over whole arrays, op by
// op for blocks of elements.

#include "dialects/graph/elementwise/Evaluate.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/elementwise/Lanes.h"
#include "dialects/math/Expand.h"
#include "dialects/weir/Records.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir {

/// Expands functions as the compiled code does. Functions of f64 stay.
static LogicalResult expandFunctions(Operation *op, Block &block, Value &result,
                                     bool callsLibm) {
  SmallVector<Operation *> functions;
  for (Operation &inner : block)
    if (isa<math::MathDialect>(inner.getDialect()))
      functions.push_back(&inner);
  if (functions.empty())
    return success();
  // A user of the result makes the expansion replace it as well.
  OpBuilder b(op->getContext());
  b.setInsertionPointToEnd(&block);
  OperationState last(op->getLoc(),
                      UnrealizedConversionCastOp::getOperationName());
  last.addOperands(result);
  Operation *user = b.create(last);
  auto target = FunctionTarget::of(op);
  bool isKnown = true;
  for (Operation *function : functions)
    if (!expandFunction(function, target))
      isKnown &= callsLibm || isExact(function);
  result = user->getOperand(0);
  user->erase();
  return success(isKnown);
}

LogicalResult evaluate(Operation *op, ArrayRef<Elements> operands,
                       int64_t count, char *to, bool callsLibm) {
  Block block;
  OpBuilder b(op->getContext());
  b.setInsertionPointToEnd(&block);
  for (Value operand : op->getOperands())
    block.addArgument(graph::signless(getElementTypeOrSelf(operand)),
                      op->getLoc());
  Value result = cast<graph::ScalarOpInterface>(op).buildScalar(
      b, op->getLoc(), block.getArguments());
  if (failed(expandFunctions(op, block, result, callsLibm && !GpuAttr::of(op))))
    return failure();

  llvm::MapVector<Value, std::unique_ptr<Lanes>> lanes;
  auto lanesOf = [&](Value value) -> Lanes & {
    std::unique_ptr<Lanes> &entry = lanes[value];
    if (!entry)
      entry.reset(new Lanes);
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
      if (isTable(step))
        continue;
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
