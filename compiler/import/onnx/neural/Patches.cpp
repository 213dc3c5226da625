// Patches of images laid out in columns, and put together again.

#include "compiler/import/onnx/neural/Windows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::onnx {

/// Operands: columns [N, C * patch, places], the images' and the patches'
/// sizes. Where patches overlap, they are added.
static LogicalResult importCol2Im(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr x = operand(node, 0);
  auto image = node.integers(1), patch = node.integers(2);
  if (failed(image) || failed(patch))
    return failure();
  auto spatial = static_cast<int64_t>(image->size());
  if (x.rank() != 3 || spatial < 1 || patch->size() != image->size() ||
      llvm::any_of(*image, [](int64_t n) { return n < 1; }))
    return node.error() << "cannot put " << x.type() << " together";
  auto windows = windowsOf(node, *image, *patch);
  if (failed(windows))
    return failure();
  int64_t kernel = productOf(*patch), places = productOf(windows->counts),
          pixels = productOf(*image);
  if (x.size(1) % kernel || x.size(2) != places)
    return node.error() << x.type() << " does not hold " << places
                        << " patches of " << kernel << " elements";
  if (kernel > (1 << 24) / places)
    return node.unsupported("images of this size");
  // Where each element goes; those of margins to nowhere.
  SmallVector<double> targets;
  for (int64_t k = 0; k < kernel; ++k)
    for (int64_t p = 0; p < places; ++p) {
      int64_t restK = k, restP = p, stride = 1, target = 0;
      for (int64_t d = spatial - 1; d >= 0; --d) {
        int64_t at = restP % windows->counts[d] * windows->strides[d] +
                     restK % (*patch)[d] * windows->dilations[d] -
                     windows->low[d];
        restP /= windows->counts[d];
        restK /= (*patch)[d];
        if (at < 0 || at >= (*image)[d])
          target = -(int64_t(1) << 60);
        target += at * stride;
        stride *= (*image)[d];
      }
      targets.push_back(target < 0 ? -1 : static_cast<double>(target));
    }
  int64_t channels = x.size(1) / kernel, planes = x.size(0) * channels;
  Expr rows = reshape(x, {planes, kernel * places});
  if (!rows || productOf({planes, pixels}) >= int64_t(1) << 58)
    return node.error() << "cannot make images of shape [" << *image << "]";
  rows = transpose(rows, {1, 0});
  Expr at =
      constant(node.b, node.b.getI64Type(), {kernel * places, 1}, targets);
  Expr zeros = filled(node.b, {pixels, planes}, x.elementType(), 0);
  Expr y(node.b, make<graph::ScatterOp>(node.b, zeros.value, at.value,
                                        rows.value, graph::Combiner::add));
  Integers shape{x.size(0), channels};
  llvm::append_range(shape, *image);
  return give(node, reshape(y ? transpose(y, {1, 0}) : y, shape));
}

void addPatchHandlers(Handlers &handlers) { handlers["Col2Im"] = importCol2Im; }

} // namespace weir::onnx
