// The order of the passes of this stage.

#include "passes/graph/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace weir {

void addGraphPasses(OpPassManager &passes) {
  passes.addPass(createInsertInit());
  passes.addPass(createPruneUnused());
  // Later passes expect f32 constants.
  passes.addPass(createWidenHalves());
  // This must precede the folding of dequantized weights to floats.
  passes.addPass(createFormByteProducts());
  passes.addPass(createFormPackedProducts());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createFoldTransposes());
  passes.addPass(createHoistTransposes());
  passes.addPass(createFormRepeats());
  passes.addPass(createFoldConstants());
  passes.addPass(createFoldPads());
  passes.addPass(createFoldBatchNorm());
  passes.addPass(createFormImages());
  passes.addPass(createJoinProducts());
  passes.addPass(createSinkReshapes());
  passes.addPass(createFoldConstants());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createDeduplicateConstants());
  passes.addPass(createPruneUnused());
}

} // namespace weir
