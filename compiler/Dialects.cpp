// What every tool registers: only what is in use, which keeps tools small and
// quick to start.

#include "compiler/Dialects.h"

#include "compiler/Pipeline.h"
#include "dialects/graph/Graph.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Weir.h"
#include "passes/bufferize/Passes.h"
#include "passes/convert/Passes.h"
#include "passes/cpu/Passes.h"
#include "passes/entry/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/gpu/Passes.h"
#include "passes/grad/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/place/Passes.h"
#include "passes/plan/Passes.h"
#include "passes/shard/Passes.h"
#include "passes/train/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace weir {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect,
                  mlir::bufferization::BufferizationDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect,
                  graph::GraphDialect, kernel::KernelDialect, plan::PlanDialect,
                  WeirDialect>();
  // Passes make records and read defaults of records, also in modules that have
  // no such attribute. Threads must not load a dialect, so it is loaded first.
  registry.addExtension(
      +[](mlir::MLIRContext *context, mlir::BuiltinDialect *) {
        context->loadDialect<WeirDialect>();
      });
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  mlir::linalg::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::scf::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::vector::registerBufferizableOpInterfaceExternalModels(registry);
  kernel::registerBufferization(registry);
}

void registerPasses() {
  mlir::registerTransformsPasses();
  mlir::bufferization::registerBufferizationPasses();
  bufferize::registerBufferizePasses();
  convert::registerConvertPasses();
  cpu::registerCpuPasses();
  entry::registerEntryPasses();
  fuse::registerFusePasses();
  gpu::registerGpuPasses();
  grad::registerGradPasses();
  graph::registerGraphPasses();
  lower::registerLowerPasses();
  place::registerPlacePasses();
  plan::registerPlanPasses();
  shard::registerShardPasses();
  train::registerTrainPasses();
  mlir::registerReconcileUnrealizedCasts();
  llvm::StringSet<> added;
  for (Machine machine : {Machine::Cpu, Machine::Gpu})
    for (const Stage &stage : stages(machine)) {
      std::string name = pipelineName(stage, machine);
      if (stage.build && added.insert(name).second)
        mlir::registerPassPipeline(
            name, stage.after,
            [build = stage.build](mlir::OpPassManager &pm, llvm::StringRef,
                                  auto) {
              build(pm);
              return mlir::success();
            },
            [](auto) {});
    }
}

} // namespace weir
