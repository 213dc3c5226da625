// Plans one entry: which buffer each value has, and the order of tasks.

#ifndef WEIR_PASSES_PLAN_PLANNER_H
#define WEIR_PASSES_PLAN_PLANNER_H

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/plan/Buffers.h"
#include "passes/plan/Exchanges.h"
#include "passes/plan/Uses.h"

namespace weir::plan {

/// Whether one op alone reads the value and those of which it is a reshape.
bool isReadOnce(mlir::Value value);

/// Turns the body of `entry` into tasks of `program`. Messages of checks are
/// appended to `checks`; the index of a message is the code of its check.
class Planner {
public:
  Planner(mlir::func::FuncOp entry, plan::ProgramOp program, Weights &weights,
          const State &state, llvm::SmallVector<mlir::Attribute> &checks,
          Exchanges &exchanges)
      : entry(entry), buffers(program, weights), state(state), checks(checks),
        exchanges(exchanges), uses(entry) {}

  /// Fails, with a diagnostic, at an op without a kernel.
  mlir::LogicalResult run(mlir::OpBuilder tasks);

  /// After `run`, assigns offsets in the arena, or in the arena of a GPU's
  /// host. Returns the size of that arena and a lower bound of it, in bytes.
  std::pair<int64_t, int64_t> assignOffsets(bool host);

private:
  mlir::LogicalResult planBlock(mlir::Block &block, mlir::OpBuilder &tasks);

  void planTask(plan::TaskOp task, mlir::OpBuilder &tasks);

  /// A transfer of a weight needs no copy, because weights are in both
  /// memories.
  void planTransfer(plan::TransferOp transfer, mlir::OpBuilder &tasks);

  /// The index and the value that the message ends with stay in the arena until
  /// the check.
  void planCheck(graph::CheckOp check, mlir::OpBuilder &tasks);

  /// An all-reduce in place, if no other op reads its operand. One of the
  /// entry's own block begins here, and ends before the first op that needs it.
  void planAllReduce(graph::AllReduceOp op, mlir::OpBuilder &tasks);
  /// A sum in place, as above, of which the rank's part is copied.
  void planReduceScatter(graph::ReduceScatterOp op, mlir::OpBuilder &tasks);
  /// The memory of a tensor that ranks may overwrite; null if it is needed
  /// later, or is not in the arena.
  mlir::Value ownMemory(mlir::Value x);
  /// Ends the all-reduces that the op, or its group of tasks, needs.
  void endExchangesFor(mlir::Operation &op, mlir::OpBuilder &tasks);
  /// Ends the all-reduce in whose buffer the value is, if there is one.
  void endExchangeOf(mlir::Value value, mlir::OpBuilder &tasks);
  /// Copies what the entry returns, results of the first all-reduces first, and
  /// ends all.
  void planResults(mlir::ValueRange values, llvm::ArrayRef<mlir::Value> outputs,
                   mlir::OpBuilder &tasks);
  /// Before a task: lets all-reduces go on if the last time is long ago.
  void letExchangesProgress(plan::TaskOp task, mlir::OpBuilder &tasks);
  /// A gather, or this rank's part, from any buffer to one of the arena.
  void planMove(mlir::Operation *op, mlir::OpBuilder &tasks);
  /// A message of a buffer in the arena.
  void planSend(graph::SendOp op, mlir::OpBuilder &tasks);
  void planRecv(graph::RecvOp op, mlir::OpBuilder &tasks);
  void exchange(mlir::OpBuilder &tasks, mlir::Location loc, int64_t number,
                mlir::Value first, mlir::Value second);
  /// Ends the run on all ranks if one of the checks so far has failed on one.
  void agree(mlir::OpBuilder &tasks, mlir::Location loc, int64_t key);
  void agreeIfChecked(mlir::OpBuilder &tasks);

  mlir::LogicalResult planIf(graph::IfOp op, mlir::OpBuilder &tasks);

  mlir::LogicalResult planWhile(graph::WhileOp op, mlir::OpBuilder &tasks);

  /// Makes the task that defines `value` write to `buffer`. Does nothing if the
  /// value already has a buffer, or if no task defines it.
  void makeAt(mlir::Value value, mlir::Value buffer, mlir::Block &block);

  /// Makes the operands be computed in their parts of the result's buffer.
  void joinInPlace(graph::ConcatOp concat);

  /// The buffer of a variable, one for each entry.
  mlir::Value bufferOf(mlir::FlatSymbolRefAttr variable, mlir::Value like);

  /// Computes the new value directly in the variable's buffer, if no later op
  /// reads the old one.
  void assignInPlace(graph::WriteVariableOp write);

  /// Makes a task compute `value` in `buffer`, which may be the buffer of one
  /// of its inputs.
  void makeInPlace(plan::TaskOp task, mlir::Value value, mlir::Value buffer,
                   mlir::Block &block);

  /// Computes `output` in the buffer of an input whose last use is the task.
  void takeOver(plan::TaskOp task, mlir::Value output);

  /// The buffer of a value, with a use recorded now.
  mlir::Value use(mlir::Value value);

  /// The buffer of a value that is written now; a new one if it has none.
  mlir::Value define(mlir::Location loc, mlir::Value value);

  /// A new buffer with a use recorded now.
  mlir::Value create(mlir::Location loc, mlir::MemRefType type,
                     bool host = false);

  void copy(mlir::OpBuilder &tasks, mlir::Value from, mlir::Value to);

  mlir::func::FuncOp entry;
  Buffers buffers;
  const State &state;
  llvm::SmallVector<mlir::Attribute> &checks;
  Exchanges &exchanges;
  bool hasUnagreedCheck = false;
  /// An all-reduce that has begun.
  struct InAir {
    plan::StartOp start;
    mlir::Value data, scratch;
  };
  void endExchange(size_t index, mlir::OpBuilder &tasks);
  /// The all-reduces in the air, in the order of their starts.
  llvm::SmallVector<InAir> inAir;
  /// Estimated nanoseconds: of the kernels since the last progress, and between
  /// two of them.
  int64_t sinceProgress = 0, untilProgress = 0;
  Uses uses;
  llvm::DenseMap<mlir::Value, mlir::Value> where;
  // The value for which a buffer was created, if it fills the whole buffer.
  llvm::DenseMap<mlir::Value, mlir::Value> ownerOf;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> ofVariable;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>>
      partsOf; // of a concat's buffer
};

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_PLANNER_H
