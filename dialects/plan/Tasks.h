// Tasks of a plan become LLVM ops: what that takes on a machine of any kind.

#ifndef WEIR_DIALECTS_PLAN_TASKS_H
#define WEIR_DIALECTS_PLAN_TASKS_H

#include "dialects/plan/Plan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::plan {

/// What a program does, in order; its places are looked up where they are used.
llvm::SmallVector<mlir::Operation *> tasksOf(ProgramOp program);

/// How many of the tasks that are left belong in one function: LLVM's back end
/// takes time quadratic in the length of a block. Runs of a wave stay together.
size_t tasksOfPart(llvm::ArrayRef<mlir::Operation *> rest);

/// An empty function for some tasks of a program, which its entry calls, or
/// what the tasks of a region around them have become.
mlir::LLVM::LLVMFuncOp createPart(ProgramOp program, mlir::Location at,
                                  const llvm::Twine &name,
                                  mlir::LLVM::LLVMFunctionType type);

/// Takes its name from the program, for the function that it becomes.
std::string takeName(ProgramOp program);

int64_t bytesOf(CopyOp copy);

/// Lowers tasks at the builder's place. The stage for a machine says how that
/// copies, runs kernels and checks.
class TaskLowering {
protected:
  explicit TaskLowering(mlir::Operation *inside)
      : b(inside->getLoc(), inside->getContext()) {}
  ~TaskLowering() = default;

  void lower(mlir::Operation &task);
  virtual void lowerCopy(CopyOp copy) = 0;
  virtual void lowerRun(RunOp run) = 0;
  virtual void lowerCheck(CheckOp check) = 0;
  /// Lowers some of a region's many tasks in a function of their own, which is
  /// called at the builder's place.
  virtual void lowerApart(llvm::ArrayRef<mlir::Operation *> tasks) = 0;
  /// The truth value in a place, an i1.
  virtual mlir::Value isTrue(mlir::Value place) = 0;

  /// The address of a place, computed where it is used.
  mlir::Value address(mlir::Value place);
  mlir::Value at(mlir::Value base, int64_t offset);
  mlir::Value number(int64_t value, unsigned width = 32);
  /// Whether a byte is not 0, an i1.
  mlir::Value isSet(mlir::Value byte);
  mlir::Type pointer();
  /// A block behind those of the function, but before `leave`. Ops are still
  /// inserted where they were.
  mlir::Block *newBlock();

  mlir::ImplicitLocOpBuilder b;
  /// Where the arena, the weights and the state begin, and the list of the
  /// tensors; the state is null in a model without variables.
  mlir::Value arena, weights, arguments, state;
  /// Where the function is left early; may be null.
  mlir::Block *leave = nullptr;

private:
  void lowerBlock(mlir::Block &block);
  void lowerIf(IfOp branch);
  void lowerWhile(WhileOp loop);
};

} // namespace weir::plan

#endif // WEIR_DIALECTS_PLAN_TASKS_H
