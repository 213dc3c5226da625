// Erases ops, functions and loop variables on which no result and no check
// depends.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/constants/Bytes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "weir-prune-unused"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_PRUNEUNUSED
#include "passes/graph/Passes.h.inc"

namespace {

bool isTrue(Value value) {
  DenseElementsAttr boolean;
  return matchPattern(value, m_Constant(&boolean)) && boolean.isSplat() &&
         boolean.getElementType().isInteger(1) && boolean.getSplatValue<bool>();
}

/// Whether variable `i` of a loop is only used to compute its own next value.
bool isUnread(graph::WhileOp loop, unsigned i) {
  if (!loop.getResult(i).use_empty() ||
      !loop.getCondition().getArgument(i).use_empty())
    return false;
  Operation *yield = loop.getBody().front().getTerminator();
  return llvm::all_of(
      loop.getBody().getArgument(i).getUses(), [&](OpOperand &use) {
        return use.getOwner() == yield && use.getOperandNumber() == i;
      });
}

/// Removes the variables in `gone` from a loop.
void narrow(graph::WhileOp loop, const llvm::BitVector &gone) {
  SmallVector<Value> inits, results;
  for (auto [i, init] : llvm::enumerate(loop.getInits()))
    if (!gone[i]) {
      inits.push_back(init);
      results.push_back(loop.getResult(i));
    }
  OpBuilder b(loop);
  auto narrower = b.create<graph::WhileOp>(
      loop.getLoc(), TypeRange(ValueRange(results)), inits);
  narrower->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  narrower.getCondition().takeBody(loop.getCondition());
  narrower.getBody().takeBody(loop.getBody());
  narrower.getCondition().front().eraseArguments(gone);
  Operation *yield = narrower.getBody().front().getTerminator();
  yield->eraseOperands(gone);
  narrower.getBody().front().eraseArguments(gone);
  for (auto [old, result] : llvm::zip_equal(results, narrower.getResults()))
    old.replaceAllUsesWith(result);
  loop.erase();
}

/// Removes the variables of a loop that never change or have no use.
bool narrow(graph::WhileOp loop) {
  llvm::BitVector gone(loop.getNumResults());
  Operation *yield = loop.getBody().front().getTerminator();
  for (auto [i, init] : llvm::enumerate(loop.getInits())) {
    BlockArgument next = loop.getBody().getArgument(i);
    if (yield->getOperand(i) == next) {
      next.replaceAllUsesWith(init);
      loop.getCondition().getArgument(i).replaceAllUsesWith(init);
      loop.getResult(i).replaceAllUsesWith(init);
      yield->setOperand(i, next);
      gone.set(i);
    } else if (isUnread(loop, i)) {
      yield->setOperand(i, next);
      gone.set(i);
    }
  }
  if (gone.none())
    return false;
  narrow(loop, gone);
  return true;
}

struct PruneUnused : impl::PruneUnusedBase<PruneUnused> {
  void runOnOperation() override {
    NamedResources resources(getOperation());
    eraseFunctions();
    // Removing a variable may leave dead ops before the loop, also in other
    // loops.
    bool again = true;
    while (again) {
      eraseOps();
      again = false;
      SmallVector<graph::WhileOp> loops;
      getOperation()->walk([&](graph::WhileOp loop) { loops.push_back(loop); });
      for (graph::WhileOp loop : loops)
        again |= narrow(loop);
    }
    resources.release();
  }

private:
  /// Erases private functions without uses, until none is left.
  void eraseFunctions() {
    bool again = true;
    while (again) {
      again = false;
      for (auto function :
           llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
        if (function.isPrivate() &&
            SymbolTable::symbolKnownUseEmpty(function, getOperation())) {
          function.erase();
          again = true;
        }
    }
  }

  /// Users come before their operands, so one walk suffices.
  void eraseOps() {
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops)) {
      auto check = dyn_cast<graph::CheckOp>(op);
      if (!(check && isTrue(check.getCondition())) && !isOpTriviallyDead(op))
        continue;
      op->erase();
    }
  }
};

} // namespace
} // namespace weir::graph
