// The tasks that a profiled library counts.

#ifndef WEIR_PASSES_ENTRY_TASKTABLE_H
#define WEIR_PASSES_ENTRY_TASKTABLE_H

#include "dialects/plan/Plan.h"
#include "dialects/weir/Records.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::entry {

/// Declares a function of the runtime in the module, unless it is there.
void declareRuntime(mlir::ModuleOp module, llvm::StringRef name,
                    llvm::ArrayRef<mlir::Type> parameters,
                    mlir::Type result = {});

/// Collects the tasks of a module with `weir.profile` and emits the calls that
/// count them on a CPU (runtime/profile/profile.h). Of other modules it has no
/// tasks and emits nothing.
class TaskTable {
public:
  explicit TaskTable(mlir::ModuleOp module);

  bool isOn() const { return on; }
  /// The tasks added from now on are of the function with this symbol.
  void enter(llvm::StringRef symbol);
  /// Adds the run, with those after it in its group if `isGroup`, or a copy.
  /// The number of the task, or nothing in a module that is not profiled.
  std::optional<int64_t> add(plan::RunOp run, bool isGroup);
  std::optional<int64_t> add(plan::CopyOp copy);
  /// Adds runs that are one task.
  std::optional<int64_t> add(llvm::ArrayRef<plan::RunOp> runs);

  /// Emits the call after a task.
  void endTask(mlir::ImplicitLocOpBuilder &b, mlir::Value team,
               std::optional<int64_t> task) const;
  /// Emits the call after a kernel in a region of several, on a worker slot.
  void endChunk(mlir::ImplicitLocOpBuilder &b, mlir::Value team,
                mlir::Value slot, int64_t task) const;
  /// Emit the first and the last call of an entry.
  void beginRun(mlir::ImplicitLocOpBuilder &b, mlir::Value team) const;
  void endRun(mlir::ImplicitLocOpBuilder &b, mlir::Value team) const;

  /// Writes `weir.profile_tasks`.
  void write() const;

private:
  void call(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
            mlir::ValueRange operands) const;

  mlir::ModuleOp module;
  bool on;
  int64_t entry = 0;
  llvm::SmallVector<ProfileTaskAttr> tasks;
};

} // namespace weir::entry

#endif // WEIR_PASSES_ENTRY_TASKTABLE_H
