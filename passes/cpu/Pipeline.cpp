// The order of the CPU stage's passes.

#include "passes/cpu/Pipeline.h"

#include "passes/cpu/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace weir {

void buildSchedulePipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createBufferizeKernels());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createFoldCopies());
  kernels.addPass(createBlockAttention());
  kernels.addPass(createChooseSchedules());
}

void buildKernelsPipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createEmitKernels());
  kernels.addPass(createShareRows());
  kernels.addPass(createFuseRows());
  kernels.addPass(createSplitReductions());
  kernels.addPass(createPlanScratch());
  kernels.addPass(createMarkInPlace());
}

void buildLlvmPipeline(OpPassManager &pm) {
  OpPassManager &phases = pm.nest<func::FuncOp>();
  phases.addPass(createConvertLinalgToLoopsPass());
  phases.addPass(createExpandMath());
  phases.addPass(createLowerExtremes());
  phases.addPass(createLoopInvariantCodeMotionPass());
  phases.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  phases.addPass(createConvertSCFToCFPass());
  phases.addPass(memref::createExpandStridedMetadataPass());
  phases.addPass(createLowerAffinePass());
  phases.addPass(createCanonicalizerPass());
  phases.addPass(createCSEPass());
  pm.addPass(createLowerMath());
  pm.nest<func::FuncOp>().addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addNestedPass<LLVM::LLVMFuncOp>(createWidenTruths());
}

void buildLoopsPipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createLowerCopies());
  kernels.addPass(createShapeReductions());
  kernels.addPass(createShareLoops());
  kernels.addPass(createVectorizeLoops());
  kernels.addPass(createReassociateReductions());
  kernels.addPass(createConvertLinalgToLoopsPass());
  kernels.addPass(createClipLoops());
  pm.addPass(createOutlineParts());
  pm.addPass(createCountGrains());
}

void buildCpuPipeline(OpPassManager &pm) {
  buildLoopsPipeline(pm);
  buildLlvmPipeline(pm);
  pm.addPass(createLowerPlan());
}

} // namespace weir
