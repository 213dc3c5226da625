// Gradients by filters are convolutions, but where a library has a better way.

#include "passes/gpu/Passes.h"

#include "passes/gpu/libraries/Libraries.h"

#include "dialects/graph/Shape.h"
#include "dialects/graph/build/Windows.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_EXPANDFILTERGRADIENTS
#include "passes/gpu/Passes.h.inc"

namespace {

/// Whether the permutation gives filters as `graph.convolution` has them.
bool putsChannelsLast(graph::TransposeOp op) {
  auto rank = static_cast<int64_t>(op.getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    if (dim != (static_cast<int64_t>(i) + 1) % rank)
      return false;
  return true;
}

struct ExpandFilterGradients
    : impl::ExpandFilterGradientsBase<ExpandFilterGradients> {
  void runOnOperation() override {
    Operation *module = getOperation()->getParentOp();
    std::optional<bool> isForced = gpu::isForced(module, "cudnn");
    // What the host computes is not known yet.
    if (hasPlaces(module))
      isForced.reset();
    SmallVector<graph::FilterGradientOp> gradients;
    getOperation().walk([&](graph::FilterGradientOp op) {
      if (!isForced || !gpu::isForLibrary(op, *isForced))
        gradients.push_back(op);
    });
    for (graph::FilterGradientOp op : gradients)
      if (failed(expand(op)))
        return signalPassFailure();
  }

private:
  static bool hasPlaces(Operation *module) {
    GpuAttr gpu = attrs::gpu.of(module);
    return (gpu && !gpu.getPlace().empty()) || attrs::devices.isOn(module);
  }

  static LogicalResult expand(graph::FilterGradientOp op) {
    using namespace graph::build;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<int64_t> filter(op.getType().getShape().drop_front());
    filter.push_back(op.getType().getDimSize(0));
    Expr gradient = convolveFilterByConvolution(
        Expr(b, op.getX()), Expr(b, op.getResults()), filter, windowsOf(op),
        static_cast<int64_t>(op.getGroups()));
    if (!gradient)
      return op.emitError("has windows that are in no place of the images");
    // What the op is made with turns its channels: so does the convolution.
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto turned = dyn_cast<graph::TransposeOp>(user);
          turned && putsChannelsLast(turned)) {
        turned.replaceAllUsesWith(gradient.value);
        turned.erase();
      }
    if (!op->use_empty()) {
      int64_t rank = gradient.rank();
      SmallVector<int64_t> permutation{rank - 1};
      for (int64_t i = 0; i + 1 < rank; ++i)
        permutation.push_back(i);
      op.replaceAllUsesWith(transpose(gradient, permutation).value);
    }
    op.erase();
    return success();
  }
};

} // namespace
} // namespace weir
