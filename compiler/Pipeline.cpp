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
#include "passes/shard/Passes.h"
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
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir {

static void buildTrain(OpPassManager &pm) {
  pm.addPass(train::createFormTraining());
}

static void buildGraph(OpPassManager &pm) {
  // Before any node is folded or removed.
  pm.addPass(graph::createReturnKept());
  pm.addNestedPass<func::FuncOp>(graph::createExpandFilterGradients());
  pm.addPass(graph::createInsertInit());
  pm.addPass(graph::createPruneUnused());
  // Later passes expect f32 constants.
  pm.addPass(graph::createComputeInF32());
  // This must precede the folding of dequantized weights to floats.
  pm.addPass(graph::createFormByteProducts());
  pm.addPass(graph::createFormPackedProducts());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(graph::createFoldTransposes());
  pm.addPass(graph::createHoistTransposes());
  pm.addPass(graph::createFormRepeats());
  pm.addPass(graph::createFoldConstants());
  pm.addPass(graph::createFoldPads());
  pm.addPass(graph::createFoldBatchNorm());
  pm.addPass(graph::createFormImages());
  pm.addPass(graph::createJoinProducts());
  pm.addPass(graph::createSinkReshapes());
  pm.addPass(graph::createFoldConstants());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(graph::createDeduplicateConstants());
  pm.addPass(graph::createPruneUnused());
}

static void buildGrad(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(grad::createDifferentiate());
  functions.addPass(grad::createSimplifyGradients());
}

// Without a mesh and a cluster these passes change nothing.
static void buildShard(OpPassManager &pm) {
  pm.addPass(shard::createDivideInputs());
  pm.addPass(shard::createDivideLayers());
  pm.addPass(shard::createDivideVariables());
  pm.addPass(shard::createSplitShapes());
  pm.addPass(shard::createJoinMicroBatches());
  pm.addPass(shard::createExpandGathers());
  pm.addPass(shard::createSinkReductions());
  pm.addPass(shard::createFormBuckets());
  pm.addPass(shard::createSplitRoles());
}

static void buildPlace(OpPassManager &pm) {
  pm.addPass(place::createPlaceOps());
}

static void buildFuse(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(fuse::createSpreadSizes());
  functions.addPass(fuse::createSpreadBiases());
  functions.addPass(fuse::createSplitBatches());
  functions.addPass(fuse::createEndProducts());
  functions.addPass(fuse::createFormGroups());
  functions.addPass(fuse::createGroupAttention());
  functions.addPass(fuse::createJoinRows());
  functions.addPass(fuse::createFlattenGroups());
  functions.addPass(fuse::createJoinGroups());
  functions.addPass(fuse::createHoistUpdates());
  functions.addPass(fuse::createRecomputeGroups());
  functions.addPass(fuse::createBindSizes());
}

static void buildLower(OpPassManager &pm) {
  pm.addPass(lower::createOutlineGroups());
  // Gradients by filters are told as such; all else by what it is lowered to.
  pm.nest<func::FuncOp>().addPass(lower::createUseLibraries());
  pm.addPass(lower::createFitWeights());
  pm.nest<func::FuncOp>().addPass(lower::createFuseScalars());
  pm.nest<func::FuncOp>().addPass(lower::createLowerGraph());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(lower::createLowerCustom());
  pm.addPass(lower::createChooseLayouts());
  // Reductions take the loops that make their operands.
  pm.nest<func::FuncOp>().addPass(createLinalgElementwiseOpFusionPass());
  // No CSE before bufferization: it would make one buffer of two.
  pm.addPass(createCanonicalizerPass());
  pm.nest<func::FuncOp>().addPass(lower::createFuseEpilogues());
  pm.nest<func::FuncOp>().addPass(lower::createFormAttention());
  pm.nest<func::FuncOp>().addPass(lower::createRelaxArithmetic());
  // What a library multiplies stays as it is; filters it reads in its own way.
  pm.nest<func::FuncOp>().addPass(lower::createUseLibraries());
  pm.addPass(lower::createPackWeights());
  pm.addPass(lower::createOutlinePacks());
}

static void buildBufferize(OpPassManager &pm) {
  // Row-wise fusion decides how these kernels are shared.
  pm.addPass(bufferize::createFormRowWiseGroups());
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(bufferize::createBufferizeKernels());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(bufferize::createFoldCopies());
}

static void buildBufferizeForGpu(OpPassManager &pm) {
  pm.addPass(bufferize::createCrossDevices());
  OpPassManager &host = pm.nest<ModuleOp>().nest<func::FuncOp>();
  host.addPass(bufferize::createBufferizeKernels());
  host.addPass(createCanonicalizerPass());
  host.addPass(createCSEPass());
  host.addPass(bufferize::createFoldCopies());
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(bufferize::createBufferizeKernels());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

static void buildSchedule(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(cpu::createBlockAttention());
  kernels.addPass(cpu::createChooseSchedules());
}

static void buildScheduleForGpu(OpPassManager &pm) {
  buildSchedule(pm.nest<ModuleOp>());
}

static void buildCpu(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(cpu::createEmitKernels());
  kernels.addPass(cpu::createShareRows());
  kernels.addPass(cpu::createFuseRows());
  kernels.addPass(cpu::createSplitReductions());
}

// The module of the host's kernels.
static void buildCpuForGpu(OpPassManager &pm) { buildCpu(pm.nest<ModuleOp>()); }

static void buildGpu(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(gpu::createShareThreads());
}

static void buildPlan(OpPassManager &pm) {
  // The arena holds the scratch memory of kernels, so its size is settled
  // first.
  pm.addNestedPass<func::FuncOp>(plan::createPlanScratch());
  pm.addNestedPass<func::FuncOp>(plan::createMarkInPlace());
  pm.addPass(plan::createJoinLoops());
  pm.addPass(plan::createOverlapExchanges());
  pm.addPass(plan::createFormTaskGroups());
  pm.addPass(plan::createPlanArena());
  pm.addPass(plan::createCheckTransfers());
}

static void buildPlanForGpu(OpPassManager &pm) {
  OpPassManager &host = pm.nest<ModuleOp>().nest<func::FuncOp>();
  host.addPass(plan::createPlanScratch());
  host.addPass(plan::createMarkInPlace());
  pm.addNestedPass<func::FuncOp>(plan::createPlanScratch());
  pm.addPass(plan::createPlanArena());
}

static void buildLoops(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(cpu::createLowerCopies());
  kernels.addPass(cpu::createShapeReductions());
  kernels.addPass(cpu::createShareLoops());
  kernels.addPass(cpu::createVectorizeLoops());
  kernels.addPass(cpu::createReassociateReductions());
  kernels.addPass(createConvertLinalgToLoopsPass());
  kernels.addPass(cpu::createClipLoops());
  pm.addPass(cpu::createOutlineParallelLoops());
  pm.addPass(cpu::createCountWorkItems());
  pm.addPass(cpu::createCheckBounds());
}

static void buildLoopsForGpu(OpPassManager &pm) {
  buildLoops(pm.nest<ModuleOp>());
  pm.addPass(cpu::createOutlineParallelLoops());
}

static void buildLaunch(OpPassManager &pm) {
  pm.addPass(gpu::createFormLaunches());
}

static void buildConvert(OpPassManager &pm) {
  OpPassManager &phases = pm.nest<func::FuncOp>();
  phases.addPass(createConvertLinalgToLoopsPass());
  phases.addPass(convert::createExpandMath());
  phases.addPass(convert::createLowerExtremes());
  phases.addPass(createLoopInvariantCodeMotionPass());
  phases.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  phases.addPass(createConvertSCFToCFPass());
  phases.addPass(memref::createExpandStridedMetadataPass());
  phases.addPass(createLowerAffinePass());
  phases.addPass(createCanonicalizerPass());
  phases.addPass(createCSEPass());
  pm.addPass(convert::createLowerMath());
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
  pm.addNestedPass<LLVM::LLVMFuncOp>(convert::createLegalizeBoolMemory());
}

// The modules of the GPU's kernels and of the host's.
static void buildConvertForGpu(OpPassManager &pm) {
  buildConvert(pm.nest<ModuleOp>());
}

static void buildEntry(OpPassManager &pm) {
  pm.addPass(entry::createLowerPlan());
}

static void buildEntryForGpu(OpPassManager &pm) {
  pm.addPass(entry::createIssueLaunches());
  pm.addPass(entry::createSerializeKernels());
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
static constexpr Stage shardStage = {
    stage::shard, "each tensor has the shape that one rank holds", buildShard};
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
    shardStage,
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

SmallVector<std::string> passNames(Machine machine) {
  SmallVector<std::string> names;
  for (const Stage &stage : stages(machine)) {
    if (!stage.build)
      continue;
    OpPassManager pm(ModuleOp::getOperationName());
    stage.build(pm);
    std::string text;
    llvm::raw_string_ostream os(text);
    pm.printAsTextualPipeline(os);
    // As in builtin.module(func.func(weir-fold-pads,canonicalize{...},cse)).
    SmallVector<StringRef> words;
    llvm::SplitString(text, words, "(){}, ");
    for (StringRef word : words)
      if (word.find_first_of(".=") == StringRef::npos)
        names.push_back(word.str());
  }
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

std::string pipelineName(const Stage &stage, Machine machine) {
  const Stage *ofCpu = findStage(stage.name, Machine::Cpu);
  bool isOther = machine == Machine::Gpu &&
                 ofCpu != stages(Machine::Cpu).end() &&
                 ofCpu->build != stage.build;
  return ("weir-stage-" + stage.name + (isOther ? "-gpu" : "")).str();
}

} // namespace weir
