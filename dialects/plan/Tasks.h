// Lowers tasks of a plan to LLVM ops, as far as CPU and GPU have it in common.

#ifndef WEIR_DIALECTS_PLAN_TASKS_H
#define WEIR_DIALECTS_PLAN_TASKS_H

#include "dialects/plan/Plan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::plan {

/// The ops of a program that run, in order. Buffers are not among them; their
/// addresses are computed at their uses.
llvm::SmallVector<mlir::Operation *> tasksOf(ProgramOp program);

/// The number of remaining tasks for one function. LLVM's back end takes time
/// quadratic in the length of a block. Runs of one group stay together.
size_t tasksOfPart(llvm::ArrayRef<mlir::Operation *> rest);

/// Creates an empty function for some tasks of a program. The entry calls it,
/// or a function that was split off the entry.
mlir::LLVM::LLVMFuncOp createPart(ProgramOp program, mlir::Location at,
                                  const llvm::Twine &name,
                                  mlir::LLVM::LLVMFunctionType type);

/// Removes the name from the program, and returns it for the function.
std::string takeName(ProgramOp program);

/// The bytes of a buffer; an i1 takes a byte. The importer has checked that the
/// product does not overflow.
int64_t bytesOf(mlir::MemRefType type);
int64_t bytesOf(CopyOp copy);

/// Lowers tasks at the builder's insertion point. A stage implements copies,
/// kernel runs and checks for its device.
class TaskLowering {
protected:
  explicit TaskLowering(mlir::Operation *inside)
      : b(inside->getLoc(), inside->getContext()) {}
  ~TaskLowering() = default;

  void lower(mlir::Operation &task);
  virtual void lowerCopy(CopyOp copy) = 0;
  virtual void lowerRun(RunOp run) = 0;
  virtual void lowerCheck(CheckOp check) = 0;
  virtual void lowerCheck(CheckAccessesOp check) = 0;
  /// Only libraries for a CPU have several ranks.
  virtual void lowerExchange(mlir::Operation *exchange) {
    exchange->emitOpError("is not for a GPU");
  }
  /// Lowers some of a region's tasks to a function of their own, with a call at
  /// the insertion point.
  virtual void lowerApart(llvm::ArrayRef<mlir::Operation *> tasks) = 0;
  /// The Boolean in a buffer, as an i1.
  virtual mlir::Value isTrue(mlir::Value memref) = 0;

  /// The address of a buffer, computed at its use.
  mlir::Value address(mlir::Value memref);
  mlir::Value at(mlir::Value base, int64_t offset);
  mlir::Value number(int64_t value, unsigned width = 32);
  /// Whether a byte is not 0, an i1.
  mlir::Value isSet(mlir::Value byte);
  mlir::Type pointer();
  /// A new block at the end of the function, before `leave`. The insertion
  /// point stays.
  mlir::Block *newBlock();

  mlir::ImplicitLocOpBuilder b;
  /// The addresses of the arena, the weights, the state, and the table of
  /// arguments. The state is null for a model without variables.
  mlir::Value arena, weights, arguments, state;
  /// The block for an early return; may be null.
  mlir::Block *leave = nullptr;

private:
  /// The address of the weights, or of the rank's own part of a region.
  mlir::Value blockOf(WeightOp weight);
  void lowerBlock(mlir::Block &block);
  void lowerIf(IfOp branch);
  void lowerWhile(WhileOp loop);
};

} // namespace weir::plan

#endif // WEIR_DIALECTS_PLAN_TASKS_H
