// Patches of images laid out in columns, and put together again.

#include "compiler/import/onnx/Choice.h"
#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/onnx/neural/Windows.h"
#include "compiler/import/onnx/shape/Gathers.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::onnx {

/// Images of a size, put together from columns of patches of a size.
static FailureOr<Expr> imagesOf(Node &node, ArrayRef<int64_t> image,
                                ArrayRef<int64_t> patch) {
  Expr x = operand(node, 0);
  auto spatial = static_cast<int64_t>(image.size());
  if (x.rank() != 3 || spatial < 1 || patch.size() != image.size() ||
      llvm::any_of(image, [](int64_t n) { return n < 1; }))
    return node.error() << "cannot put " << x.type() << " together";
  auto windows = windowsOf(node, image, patch);
  if (failed(windows))
    return failure();
  int64_t kernel = productOf(patch), positions = productOf(windows->counts),
          pixels = productOf(image);
  if (x.size(1) % kernel || x.size(2) != positions)
    return node.error() << x.type() << " does not hold " << positions
                        << " patches of " << kernel << " elements";
  if (kernel > (1 << 24) / positions)
    return node.unsupported("images of this size");
  // Where each element goes; those of margins to nowhere.
  SmallVector<double> targets;
  for (int64_t k = 0; k < kernel; ++k)
    for (int64_t p = 0; p < positions; ++p) {
      int64_t restK = k, restP = p, stride = 1, target = 0;
      for (int64_t d = spatial - 1; d >= 0; --d) {
        int64_t at = restP % windows->counts[d] * windows->strides[d] +
                     restK % patch[d] * windows->dilations[d] - windows->low[d];
        restP /= windows->counts[d];
        restK /= patch[d];
        if (at < 0 || at >= image[d])
          target = -(int64_t(1) << 60);
        target += at * stride;
        stride *= image[d];
      }
      targets.push_back(target < 0 ? -1 : static_cast<double>(target));
    }
  int64_t channels = x.size(1) / kernel, planes = x.size(0) * channels;
  Expr rows = reshape(x, {planes, kernel * positions});
  if (!rows || productOf({planes, pixels}) >= int64_t(1) << 58)
    return node.error() << "cannot make images of shape [" << image << "]";
  rows = transpose(rows, {1, 0});
  Expr at =
      constant(node.b, node.b.getI64Type(), {kernel * positions, 1}, targets);
  Expr zeros = filled(node.b, {pixels, planes}, x.elementType(), 0);
  Expr y(node.b, make<graph::ScatterOp>(node.b, zeros.value, at.value,
                                        rows.value, graph::Combiner::add));
  Integers shape{x.size(0), channels};
  llvm::append_range(shape, image);
  return reshape(y ? transpose(y, {1, 0}) : y, shape);
}

/// How many places patches have in an image; nothing where they do not fit.
static std::optional<int64_t> positionsOf(Node &node, ArrayRef<int64_t> image,
                                          ArrayRef<int64_t> patch) {
  auto spatial = static_cast<int64_t>(image.size());
  auto strides = spatialAttr(node, "strides", spatial, 1);
  auto dilations = spatialAttr(node, "dilations", spatial, 1);
  Integers low, high;
  if (failed(strides) || failed(dilations) ||
      failed(readPads(node, spatial, low, high)))
    return std::nullopt;
  int64_t positions = 1;
  constexpr int64_t most = 1 << 24;
  for (int64_t d = 0; d < spatial; ++d) {
    if (patch[d] > most || (*dilations)[d] < 1 || (*dilations)[d] > most ||
        (*strides)[d] < 1 || image[d] > most || positions > most)
      return std::nullopt;
    int64_t free =
        image[d] + low[d] + high[d] - 1 - (patch[d] - 1) * (*dilations)[d];
    if (free < 0)
      return std::nullopt;
    positions *= free / (*strides)[d] + 1;
  }
  return positions;
}

/// Operands: columns [N, C * patch, places], the images' and the patches'
/// sizes. Where patches overlap, they are added. Of sizes that only the run
/// knows, the model says the images', and how many elements a patch has.
static LogicalResult importCol2Im(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  FailureOr<Integers> image = Integers();
  Expr x = operand(node, 0);
  auto promised = node.declaredShape(0);
  bool fits = promised && promised->size() > 2;
  if (node.tryConstant(1)) {
    image = node.integers(1);
  } else if (fits) {
    image = Integers(ArrayRef(*promised).drop_front(2));
    SmallVector<Expr> given;
    if (failed(readScalars(node, 1, given)))
      return failure();
    if (given.size() != image->size())
      return node.error() << "makes [" << *promised << "] of " << x.type();
    for (auto [size, wanted] : llvm::zip_equal(given, *image))
      if (failed(check(node, equal(size, number(node, wanted)),
                       "makes another shape than the model says")))
        return failure();
  } else {
    return node.unsupported("the size of its images is not known at compile "
                            "time, and the model does not say its result's");
  }
  if (failed(image))
    return failure();
  FailureOr<Expr> y = failure();
  if (node.tryConstant(2)) {
    auto patch = node.integers(2);
    if (failed(patch))
      return failure();
    y = imagesOf(node, *image, *patch);
  } else {
    if (!fits || x.rank() != 3 || (*promised)[1] < 1 ||
        x.size(1) % (*promised)[1])
      return node.unsupported("the size of its patches is not known at compile "
                              "time, and the model does not say its result's");
    SmallVector<Integers> fitting;
    auto spatial = static_cast<int64_t>(image->size());
    for (Integers &patch : factorizations(x.size(1) / (*promised)[1], spatial))
      if (positionsOf(node, *image, patch) == x.size(2))
        fitting.push_back(patch);
    SmallVector<Expr> given;
    if (failed(readScalars(node, 2, given)))
      return failure();
    if (static_cast<int64_t>(given.size()) != spatial)
      return node.error() << "has patches of sizes " << node.type(2);
    y = chosen(
        node, given, fitting,
        "its patches have another size than the model's shapes say",
        [&](ArrayRef<int64_t> patch) { return imagesOf(node, *image, patch); });
  }
  return failed(y) ? failure() : give(node, *y);
}

void addPatchHandlers(Handlers &handlers) { handlers["Col2Im"] = importCol2Im; }

} // namespace weir::onnx
