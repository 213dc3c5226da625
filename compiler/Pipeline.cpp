// The stages of the compiler, in order.

#include "compiler/Pipeline.h"

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
#include "passes/train/Passes.h"

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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace weir {

static void buildTrain(OpPassManager &pm) { pm.addPass(createFormTraining()); }

static void buildGraph(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createExpandFilterGradients());
  pm.addPass(createInsertInit());
  pm.addPass(createPruneUnused());
  // Later passes expect f32 constants.
  pm.addPass(createComputeInF32());
  // This must precede the folding of dequantized weights to floats.
  pm.addPass(createFormByteProducts());
  pm.addPass(createFormPackedProducts());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFoldTransposes());
  pm.addPass(createHoistTransposes());
  pm.addPass(createFormRepeats());
  pm.addPass(createFoldConstants());
  pm.addPass(createFoldPads());
  pm.addPass(createFoldBatchNorm());
  pm.addPass(createFormImages());
  pm.addPass(createJoinProducts());
  pm.addPass(createSinkReshapes());
  pm.addPass(createFoldConstants());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createDeduplicateConstants());
  pm.addPass(createPruneUnused());
}

static void buildGrad(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createDifferentiate());
  functions.addPass(createSimplifyGradients());
}

static void buildPlace(OpPassManager &pm) { pm.addPass(createPlaceOps()); }

static void buildFuse(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createSpreadSizes());
  functions.addPass(createSpreadBiases());
  functions.addPass(createSplitBatches());
  functions.addPass(createEndProducts());
  functions.addPass(createFormGroups());
  functions.addPass(createGroupAttention());
  functions.addPass(createFlattenGroups());
  functions.addPass(createJoinGroups());
  functions.addPass(createHoistUpdates());
  functions.addPass(createRecomputeGroups());
  functions.addPass(createBindSizes());
}

static void buildLower(OpPassManager &pm) {
  pm.addPass(createOutlineGroups());
  // Gradients by filters are told as such; all else by what it is lowered to.
  pm.nest<func::FuncOp>().addPass(createUseLibraries());
  pm.addPass(createFitWeights());
  pm.nest<func::FuncOp>().addPass(createFuseScalars());
  pm.nest<func::FuncOp>().addPass(createLowerGraph());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLowerCustom());
  pm.addPass(createChooseLayouts());
  // Reductions take the loops that make their operands.
  pm.nest<func::FuncOp>().addPass(createLinalgElementwiseOpFusionPass());
  // No CSE before bufferization: it would make one buffer of two.
  pm.addPass(createCanonicalizerPass());
  pm.nest<func::FuncOp>().addPass(createFuseEpilogues());
  pm.nest<func::FuncOp>().addPass(createFormAttention());
  pm.nest<func::FuncOp>().addPass(createRelaxArithmetic());
  // What a library multiplies stays as it is; filters it reads in its own way.
  pm.nest<func::FuncOp>().addPass(createUseLibraries());
  pm.addPass(createPackWeights());
  pm.addPass(createOutlinePacks());
}

static void buildBufferize(OpPassManager &pm) {
  // Row-wise fusion decides how these kernels are shared.
  pm.addPass(createFormRowWiseGroups());
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createBufferizeKernels());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createFoldCopies());
}

static void buildBufferizeForGpu(OpPassManager &pm) {
  pm.addPass(createCrossDevices());
  OpPassManager &host = pm.nest<ModuleOp>().nest<func::FuncOp>();
  host.addPass(createBufferizeKernels());
  host.addPass(createCanonicalizerPass());
  host.addPass(createCSEPass());
  host.addPass(createFoldCopies());
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createBufferizeKernels());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

static void buildSchedule(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createBlockAttention());
  kernels.addPass(createChooseSchedules());
}

static void buildScheduleForGpu(OpPassManager &pm) {
  buildSchedule(pm.nest<ModuleOp>());
}

static void buildCpu(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createEmitKernels());
  kernels.addPass(createShareRows());
  kernels.addPass(createFuseRows());
  kernels.addPass(createSplitReductions());
}

// The module of the host's kernels.
static void buildCpuForGpu(OpPassManager &pm) { buildCpu(pm.nest<ModuleOp>()); }

static void buildGpu(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createShareThreads());
}

static void buildPlan(OpPassManager &pm) {
  // The arena holds the scratch memory of kernels, so its size is settled
  // first.
  pm.addNestedPass<func::FuncOp>(createPlanScratch());
  pm.addNestedPass<func::FuncOp>(createMarkInPlace());
  pm.addPass(createJoinLoops());
  pm.addPass(createFormTaskGroups());
  pm.addPass(createPlanArena());
}

static void buildPlanForGpu(OpPassManager &pm) {
  OpPassManager &host = pm.nest<ModuleOp>().nest<func::FuncOp>();
  host.addPass(createPlanScratch());
  host.addPass(createMarkInPlace());
  pm.addNestedPass<func::FuncOp>(createPlanScratch());
  pm.addPass(createPlanArena());
}

static void buildLoops(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createLowerCopies());
  kernels.addPass(createShapeReductions());
  kernels.addPass(createShareLoops());
  kernels.addPass(createVectorizeLoops());
  kernels.addPass(createReassociateReductions());
  kernels.addPass(createConvertLinalgToLoopsPass());
  kernels.addPass(createClipLoops());
  pm.addPass(createOutlineParallelLoops());
  pm.addPass(createCountWorkItems());
}

static void buildLoopsForGpu(OpPassManager &pm) {
  buildLoops(pm.nest<ModuleOp>());
  pm.addPass(createOutlineParallelLoops());
}

static void buildLaunch(OpPassManager &pm) { pm.addPass(createFormLaunches()); }

static void buildConvert(OpPassManager &pm) {
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
  pm.addNestedPass<LLVM::LLVMFuncOp>(createLegalizeBoolMemory());
}

// The modules of the GPU's kernels and of the host's.
static void buildConvertForGpu(OpPassManager &pm) {
  buildConvert(pm.nest<ModuleOp>());
}

static void buildEntry(OpPassManager &pm) { pm.addPass(createLowerPlan()); }

static void buildEntryForGpu(OpPassManager &pm) {
  pm.addPass(createIssueLaunches());
  pm.addPass(createSerializeKernels());
}

static constexpr Stage importStage = {
    stage::import, "one function per entry, in the graph dialect", nullptr};
static constexpr Stage trainStage = {
    stage::train, "a model with a loss has a training step", buildTrain};
static constexpr Stage graphStage = {
    stage::graph, "constants are folded; no framework idiom is left",
    buildGraph};
static constexpr Stage gradStage = {stage::grad, "gradients are plain ops",
                                    buildGrad};
static constexpr Stage fuseStage = {
    stage::fuse, "each op that computes is in a group", buildFuse};
static constexpr Stage lowerStage = {
    stage::lower, "each group is a function of linalg and kernel ops",
    buildLower};

static constexpr Stage cpuStages[] = {
    importStage,
    trainStage,
    graphStage,
    gradStage,
    fuseStage,
    lowerStage,
    {stage::bufferize, "kernels work on memory", buildBufferize},
    {stage::schedule, "kernels have schedules", buildSchedule},
    {stage::cpu, "kernel ops are loops over vectors", buildCpu},
    {stage::plan, "each buffer has an offset, and tasks have an order",
     buildPlan},
    {stage::loops, "all loops are over vectors; threads share kernels",
     buildLoops},
    {stage::convert, "kernels are in the LLVM dialect", buildConvert},
    {stage::entry, "each entry is a function that calls kernels", buildEntry},
};

static constexpr Stage gpuStages[] = {
    importStage,
    trainStage,
    graphStage,
    gradStage,
    {stage::place, "ops of the GPU's host are marked", buildPlace},
    fuseStage,
    lowerStage,
    {stage::bufferize, "kernels work on memory of the device or the host",
     buildBufferizeForGpu},
    {stage::schedule, "kernels of the host have schedules",
     buildScheduleForGpu},
    {stage::cpu, "kernel ops of the host are loops over vectors",
     buildCpuForGpu},
    {stage::gpu, "kernels have work items for threads of the GPU", buildGpu},
    {stage::plan, "each buffer has an offset in one of two arenas",
     buildPlanForGpu},
    {stage::loops, "loops of the host are over vectors", buildLoopsForGpu},
    {stage::launch, "kernels of the GPU have a grid", buildLaunch},
    {stage::convert, "kernels are in the LLVM dialect", buildConvertForGpu},
    {stage::entry, "each entry issues launches, and kernels are images",
     buildEntryForGpu},
};

ArrayRef<Stage> stages(Machine machine) {
  return machine == Machine::Gpu ? ArrayRef<Stage>(gpuStages)
                                 : ArrayRef<Stage>(cpuStages);
}

static const Stage *findStage(StringRef name, Machine machine) {
  return llvm::find_if(stages(machine),
                       [&](const Stage &stage) { return stage.name == name; });
}

ArrayRef<Stage> stages(Machine machine, StringRef first, StringRef last) {
  const Stage *begin = findStage(first, machine),
              *end = findStage(last, machine);
  if (begin == stages(machine).end())
    return {};
  assert(begin <= end && end != stages(machine).end());
  return {begin, end + 1};
}

bool isStage(StringRef name, Machine machine) {
  return findStage(name, machine) != stages(machine).end();
}

SmallVector<StringRef> stageNames(Machine machine) {
  return llvm::map_to_vector(
      stages(machine),
      [](const Stage &stage) -> StringRef { return stage.name; });
}

std::string pipelineName(const Stage &stage, Machine machine) {
  const Stage *ofCpu = findStage(stage.name, Machine::Cpu);
  bool isOther = machine == Machine::Gpu &&
                 ofCpu != stages(Machine::Cpu).end() &&
                 ofCpu->build != stage.build;
  return ("weir-stage-" + stage.name + (isOther ? "-gpu" : "")).str();
}

} // namespace weir
