// Loops that handlers build themselves, over tensors of fixed shapes.

#include "compiler/import/tensorflow/control/Repeat.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

SmallVector<Expr>
repeatWhile(ImplicitLocOpBuilder &b, ArrayRef<Expr> init,
            llvm::function_ref<Expr(ArrayRef<Expr>)> again,
            llvm::function_ref<SmallVector<Expr>(ArrayRef<Expr>)> step) {
  SmallVector<Value> inits;
  for (Expr x : init)
    inits.push_back(x.value);
  SmallVector<Location> positions(inits.size(), b.getLoc());
  OperationState state(b.getLoc(), graph::WhileOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(ValueRange(inits).getTypes());
  for (bool isStep : {false, true}) {
    OpBuilder::InsertionGuard guard(b);
    auto *block = new Block;
    state.addRegion()->push_back(block);
    b.setInsertionPointToEnd(block);
    SmallVector<Expr> given;
    for (Value argument :
         block->addArguments(ValueRange(inits).getTypes(), positions))
      given.push_back(Expr(b, argument));
    SmallVector<Value> next;
    for (Expr x : isStep ? step(given) : SmallVector<Expr>{again(given)})
      next.push_back(x.value);
    b.create<graph::YieldOp>(next);
  }
  SmallVector<Expr> results;
  for (Value value : b.create(state)->getResults())
    results.push_back(Expr(b, value));
  return results;
}

} // namespace weir::tensorflow
