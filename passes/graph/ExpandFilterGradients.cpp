// Makes a model's own gradients by filters convolutions, so that the passes of
// this stage fold their transposes.

#include "passes/graph/Passes.h"

#include "dialects/libraries/FilterGradients.h"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_EXPANDFILTERGRADIENTS
#include "passes/graph/Passes.h.inc"

namespace {

struct ExpandFilterGradients
    : impl::ExpandFilterGradientsBase<ExpandFilterGradients> {
  void runOnOperation() override {
    if (failed(libraries::expandFilterGradients(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::graph
