// The stages of the compiler, in order.

#ifndef WEIR_COMPILER_PIPELINE_H
#define WEIR_COMPILER_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace weir {

/// One stage: it takes the form that the stage before leaves.
struct Stage {
  llvm::StringLiteral name;
  /// What holds of the module after it.
  llvm::StringLiteral after;
  /// Adds its passes; null for import, which is none.
  void (*build)(mlir::OpPassManager &);
};

/// The stage after which kernels have their schedules.
inline constexpr llvm::StringLiteral scheduleStage = "schedule";

/// What runs the kernels.
enum class Machine { Cpu, Gpu };

llvm::ArrayRef<Stage> stages(Machine machine = Machine::Cpu);
bool isStage(llvm::StringRef name, Machine machine);
/// Their names, in order.
llvm::SmallVector<llvm::StringRef> stageNames(Machine machine);

} // namespace weir

#endif // WEIR_COMPILER_PIPELINE_H
