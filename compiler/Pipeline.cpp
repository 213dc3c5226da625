// The stages of the compiler, in order.

#include "compiler/Pipeline.h"

#include "passes/cpu/Passes.h"
#include "passes/cpu/Pipeline.h"
#include "passes/custom/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/gpu/Passes.h"
#include "passes/gpu/Pipeline.h"
#include "passes/grad/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/place/Passes.h"
#include "passes/plan/Passes.h"
#include "passes/train/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace weir {

static void buildTrain(OpPassManager &pm) { pm.addPass(createFormTraining()); }

// What a framework has made of gradients.
static void buildGraph(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createExpandFilterGradients());
  addGraphPasses(pm);
}

static void buildGrad(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createDifferentiate());
  functions.addPass(createExpandFilterGradients());
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
  functions.addPass(createFormAttention());
  functions.addPass(createFlattenGroups());
  functions.addPass(createJoinGroups());
  functions.addPass(createHoistUpdates());
  functions.addPass(createRecomputeGroups());
  functions.addPass(createBindSizes());
}

static void buildLower(OpPassManager &pm) {
  pm.addPass(createOutlineGroups());
  // Gradients by filters and attentions are told as such; all else by what it
  // is lowered to.
  pm.nest<func::FuncOp>().addPass(createUseLibraries());
  pm.addPass(createFitWeights());
  pm.nest<func::FuncOp>().addPass(createFuseScalars());
  pm.nest<func::FuncOp>().addPass(createLowerGraph());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLowerCustom());
  // Reductions take the loops that make their operands.
  pm.nest<func::FuncOp>().addPass(createLinalgElementwiseOpFusionPass());
  // No CSE before bufferization: it would make one buffer of two.
  pm.addPass(createCanonicalizerPass());
  pm.nest<func::FuncOp>().addPass(createFuseEpilogues());
  pm.nest<func::FuncOp>().addPass(createRelaxArithmetic());
  // What a library multiplies stays as it is; filters it reads in its own way.
  pm.nest<func::FuncOp>().addPass(createUseLibraries());
  pm.addPass(createNarrowPanels());
  pm.addPass(createPackWeights());
  pm.nest<func::FuncOp>().addPass(createPairPanels());
  pm.addPass(createOutlinePacks());
}

static void buildSchedule(OpPassManager &pm) {
  // Kernels of a wave by rows are shared by these.
  pm.addPass(createFormRowWaves());
  buildSchedulePipeline(pm);
}

static void buildPlan(OpPassManager &pm) {
  // The plan holds the kernels' scratch, so their memory is settled first.
  buildKernelsPipeline(pm);
  pm.addPass(createJoinLoops());
  pm.addPass(createFormWaves());
  pm.addPass(createPlanArena());
}

// What a GPU's host computes is in a module of its own.
static void buildScheduleForGpu(OpPassManager &pm) {
  pm.addPass(createCrossDevices());
  buildSchedulePipeline(pm.nest<ModuleOp>());
}

static void buildPlanForGpu(OpPassManager &pm) {
  buildKernelsPipeline(pm.nest<ModuleOp>());
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  kernels.addPass(createBufferizeKernels());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  buildShareThreadsPipeline(pm);
  pm.addNestedPass<func::FuncOp>(createPlanScratch());
  pm.addPass(createPlanArena());
}

static void buildGpu(OpPassManager &pm) {
  buildLoopsPipeline(pm.nest<ModuleOp>());
  pm.addPass(createOutlineParts());
  pm.addPass(createFormLaunches());
  // The GPU's and the host's.
  buildLlvmPipeline(pm.nest<ModuleOp>());
  buildIssuePipeline(pm);
}

static constexpr Stage cpuStages[] = {
    {"import", "one function an entry, in the graph dialect", nullptr},
    {"train", "a model that is to be trained has a step", buildTrain},
    {"graph", "folded and cleaned; no framework idiom is left", buildGraph},
    {"grad", "gradients are plain ops", buildGrad},
    {"fuse", "each op that computes is in a group", buildFuse},
    {"lower", "each kind of group is a function of linalg", buildLower},
    {scheduleStage, "kernels are on buffers and have schedules", buildSchedule},
    {"plan", "each buffer has a place, tasks have an order", buildPlan},
    {"cpu", "only the llvm dialect", buildCpuPipeline},
};

// The first stages are the same.
static constexpr Stage gpuStages[] = {
    cpuStages[0],
    cpuStages[1],
    cpuStages[2],
    cpuStages[3],
    {"place", "ops of the GPU's host are marked", buildPlace},
    cpuStages[4],
    cpuStages[5],
    {scheduleStage, cpuStages[6].after, buildScheduleForGpu},
    {"plan", cpuStages[7].after, buildPlanForGpu},
    {"gpu", "an entry issues work, and kernels are images", buildGpu},
};

ArrayRef<Stage> stages(Machine machine) {
  return machine == Machine::Gpu ? ArrayRef<Stage>(gpuStages)
                                 : ArrayRef<Stage>(cpuStages);
}

bool isStage(StringRef name, Machine machine) {
  return llvm::any_of(stages(machine),
                      [&](const Stage &stage) { return stage.name == name; });
}

SmallVector<StringRef> stageNames(Machine machine) {
  return llvm::map_to_vector(
      stages(machine),
      [](const Stage &stage) -> StringRef { return stage.name; });
}

} // namespace weir
