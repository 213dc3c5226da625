// The stages of the compiler, in order.

#ifndef WEIR_COMPILER_PIPELINE_H
#define WEIR_COMPILER_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace weir {

/// The names of the stages: of `--stop-after` and, but for the first and the
/// last, of a folder of passes.
namespace stage {
inline constexpr llvm::StringLiteral import("import"), train("train"),
    graph("graph"), grad("grad"), shard("shard"), place("place"), fuse("fuse"), lower("lower"),
    bufferize("bufferize"), schedule("schedule"), cpu("cpu"), gpu("gpu"),
    plan("plan"), loops("loops"), launch("launch"), convert("convert"),
    entry("entry"), emit("emit");
} // namespace stage

/// One stage: it accepts the form of the program that the stage before leaves.
struct Stage {
  llvm::StringLiteral name;
  /// What holds of the module after it.
  llvm::StringLiteral after;
  /// Adds its passes; null for import, which is not a pass.
  void (*build)(mlir::OpPassManager &);
};

/// The processor that runs the kernels.
enum class Machine { Cpu, Gpu };

/// The stages that produce IR: all but `emit`.
llvm::ArrayRef<Stage> stages(Machine machine);
/// Those from `first` to `last`; empty if the machine does not have `first`.
llvm::ArrayRef<Stage> stages(Machine machine, llvm::StringRef first,
                             llvm::StringRef last);
bool isStage(llvm::StringRef name, Machine machine);
/// Their names, in order.
llvm::SmallVector<llvm::StringRef> stageNames(Machine machine);

/// The flags of all passes of the stages, such as `weir-fold-pads` and `cse`.
llvm::SmallVector<std::string> passNames(Machine machine);

/// The pass pipeline of weir-opt that runs the stage alone: `weir-stage-fuse`.
/// A stage that has other passes for a GPU has two: `weir-stage-plan-gpu`.
std::string pipelineName(const Stage &stage, Machine machine);

} // namespace weir

#endif // WEIR_COMPILER_PIPELINE_H
