// Makes gradients by filters convolutions, unless cuDNN computes them.

#include "dialects/libraries/FilterGradients.h"

#include "dialects/graph/Shape.h"
#include "dialects/graph/build/Windows.h"
#include "dialects/libraries/Libraries.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::libraries {
namespace {

/// Whether parts of the model may run on the host: which, is not known yet.
bool isPartlyOnHost(Operation *module) {
  GpuAttr gpu = attrs::gpu.of(module);
  return (gpu && !gpu.getPlace().empty()) || attrs::devices.isOn(module);
}

bool isForLibrary(graph::FilterGradientOp op, bool isForced) {
  // Constants of one value become a part of kernels: they are in no memory.
  if (llvm::any_of(op->getOperands(),
                   [](Value x) { return matchPattern(x, m_Constant()); }))
    return false;
  Problem problem = problemOf(op);
  return problem.isKnown && (isForced || problem.isWorthCalling());
}

/// Whether the permutation yields filters in the layout of `graph.convolution`.
bool putsChannelsLast(graph::TransposeOp op) {
  auto rank = static_cast<int64_t>(op.getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    if (dim != (static_cast<int64_t>(i) + 1) % rank)
      return false;
  return true;
}

LogicalResult expand(graph::FilterGradientOp op) {
  using namespace graph::build;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<int64_t> filter(op.getType().getShape().drop_front());
  filter.push_back(op.getType().getDimSize(0));
  Expr gradient = convolveFilterByConvolution(
      Expr(b, op.getX()), Expr(b, op.getResults()), filter, windowsOf(op),
      static_cast<int64_t>(op.getGroups()));
  if (!gradient)
    return op.emitError("has windows that are in no place of the images");
  // Users that transpose the channels are folded into the convolution.
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

} // namespace

Problem problemOf(graph::FilterGradientOp op) {
  return Problem(op.getX().getType(), op.getType(), op.getResults().getType(),
                 op.getWindow(), op.getStrides(), op.getDilations(),
                 op.getPaddingLow(), static_cast<int64_t>(op.getGroups()));
}

LogicalResult expandFilterGradients(func::FuncOp function) {
  Operation *module = function->getParentOp();
  std::optional<bool> isForced = libraries::isForced(module, "cudnn");
  if (isPartlyOnHost(module))
    isForced.reset();
  SmallVector<graph::FilterGradientOp> gradients;
  function.walk([&](graph::FilterGradientOp op) {
    if (!isForced || !isForLibrary(op, *isForced))
      gradients.push_back(op);
  });
  for (graph::FilterGradientOp op : gradients)
    if (failed(expand(op)))
      return failure();
  return success();
}

} // namespace weir::libraries
