// Lowers runs of kernels to calls and parallel regions.

#ifndef WEIR_PASSES_ENTRY_REGIONS_H
#define WEIR_PASSES_ENTRY_REGIONS_H

#include "dialects/plan/Tasks.h"
#include "passes/entry/TaskTable.h"

namespace weir::entry {

/// Lowers the runs among a function's tasks. A run with work items, or a group
/// of runs, becomes one call of the runtime's weir_parallel. It receives a
/// function that each thread calls, and a list of the kernels' operands.
class Regions : protected plan::TaskLowering {
protected:
  /// `task groups` counts the lowered groups of the module.
  Regions(mlir::LLVM::LLVMFuncOp function, unsigned &taskGroups,
          TaskTable &table)
      : TaskLowering(function), function(function), taskGroups(taskGroups),
        table(table) {}
  ~Regions() = default;

  /// Allocates the list of operands for the tasks. One is enough, because a
  /// region has ended when its call returns.
  void allocateList(llvm::ArrayRef<mlir::Operation *> tasks);
  void lowerRun(plan::RunOp run) override;

  mlir::LLVM::LLVMFuncOp function;
  mlir::Value team;
  unsigned &taskGroups;
  TaskTable &table;

private:
  /// A run's part of its group's region: its work items, and the number of
  /// items that they count as.
  struct Share {
    mlir::Value workItems, items;
  };

  void lowerOneRun(plan::RunOp run);
  void lowerTaskGroup(plan::RunOp first);
  void lowerRowWiseGroup(plan::RunOp first);
  void fillTaskGroup(mlir::LLVM::LLVMFuncOp part, plan::RunOp run);
  void fillRowWiseGroup(mlir::LLVM::LLVMFuncOp part, plan::RunOp run);
  std::string partOf(plan::RunOp run);
  mlir::LLVM::LLVMFuncOp makePart(llvm::StringRef name,
                                  mlir::Operation *inside);
  mlir::Value turnOf(plan::RunOp run);
  Share shareOf(plan::RunOp run, mlir::ValueRange operands);
  mlir::Value workItemsOf(plan::RunOp run, mlir::ValueRange operands);
  llvm::SmallVector<mlir::Value> addresses(plan::RunOp run);
  llvm::SmallVector<mlir::Value> operandsOf(plan::RunOp run, mlir::Value list,
                                            int64_t first);
  void callOn(plan::RunOp run, mlir::Value list, int64_t first,
              mlir::ValueRange range);
  void storeOperands(plan::RunOp first);
  void callParallel(mlir::Value workItems, int64_t slots, int64_t each,
                    llvm::StringRef part);
  llvm::StringRef parallel() const;
  mlir::Value sum(mlir::Value left, mlir::Value right);
  mlir::Value larger(mlir::Value left, mlir::Value right);
  mlir::Value smaller(mlir::Value left, mlir::Value right);

  mlir::Value operandList;
  /// The task that is lowered, of a profile.
  std::optional<int64_t> task;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> turns;
};

} // namespace weir::entry

#endif // WEIR_PASSES_ENTRY_REGIONS_H
