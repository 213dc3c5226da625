// The plan of one entry: places for its buffers, tasks in order.

#ifndef WEIR_PASSES_PLAN_PLANNER_H
#define WEIR_PASSES_PLAN_PLANNER_H

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/plan/Places.h"
#include "passes/plan/Uses.h"

namespace weir {

/// Turns the body of `entry` into tasks of `program`. What its checks say goes
/// to `checks`, whose place tells which of them fails.
class Planner {
public:
  Planner(mlir::func::FuncOp entry, plan::ProgramOp program, Weights &weights,
          const State &state, llvm::SmallVector<mlir::Attribute> &checks)
      : entry(entry), places(program, weights), state(state), checks(checks),
        uses(entry) {}

  /// Fails, with a diagnostic, at an op that no kernel computes.
  mlir::LogicalResult run(mlir::OpBuilder tasks);

  /// After `run`: the size of the arena, or of that of a GPU's host, and its
  /// lower bound.
  std::pair<int64_t, int64_t> assignOffsets(bool host);

private:
  mlir::LogicalResult planBlock(mlir::Block &block, mlir::OpBuilder &tasks);

  void planTask(plan::TaskOp task, mlir::OpBuilder &tasks);

  /// Weights are in both memories.
  void planTransfer(plan::TransferOp transfer, mlir::OpBuilder &tasks);

  mlir::LogicalResult planIf(graph::IfOp op, mlir::OpBuilder &tasks);

  mlir::LogicalResult planWhile(graph::WhileOp op, mlir::OpBuilder &tasks);

  /// Has `value` made at `place`, unless it has one or no task makes it.
  void makeAt(mlir::Value value, mlir::Value place, mlir::Block &block);

  /// Has the operands made where the result has them.
  void joinInPlace(graph::ConcatOp concat);

  /// The one place of a variable in this entry.
  mlir::Value placeOf(mlir::FlatSymbolRefAttr variable, mlir::Value like);

  /// Has the new value made in the variable's place, where that can be.
  void assignInPlace(graph::WriteVariableOp write);

  /// Has a task make `value` at a place where one of its inputs may lie.
  void makeInPlace(plan::TaskOp task, mlir::Value value, mlir::Value place,
                   mlir::Block &block);

  /// Has a task make `output` in the buffer of an input that ends with it.
  void takeOver(plan::TaskOp task, mlir::Value output);

  /// The place of a value that is read now.
  mlir::Value use(mlir::Value value);

  /// The place of a value that is written now; a new buffer, if it has none.
  mlir::Value define(mlir::Location loc, mlir::Value value);

  /// A buffer that is used now.
  mlir::Value buffer(mlir::Location loc, mlir::MemRefType type,
                     bool host = false);

  void copy(mlir::OpBuilder &tasks, mlir::Value from, mlir::Value to);

  mlir::func::FuncOp entry;
  Places places;
  const State &state;
  llvm::SmallVector<mlir::Attribute> &checks;
  Uses uses;
  llvm::DenseMap<mlir::Value, mlir::Value> where;
  // What lies in a buffer that was made for one value, and is all of it.
  llvm::DenseMap<mlir::Value, mlir::Value> ownerOf;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> ofVariable;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>>
      partsOf; // of a concat's place
};

} // namespace weir

#endif // WEIR_PASSES_PLAN_PLANNER_H
