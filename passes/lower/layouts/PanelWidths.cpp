// The width of panels, and the K-major layout, by the kernel that reads them.

#include "passes/lower/layouts/PanelWidths.h"

#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::lower {
namespace {

// The right side is copied into panels if at least this many rows use the copy;
// a constant always, because weir-pack-weights does that once. (One more than a
// power of two, as all that sums depend on: MatmulShape.h.)
constexpr int64_t rowsWorthPacking = 17;

// A row by so few columns, if the depth is so long, is computed by dot products
// with a constant in the K-major layout. A transposed operand that the run
// computes is in that layout already; its columns have so many vectors.
constexpr int64_t maxDots = 16, shortestDot = 128, minVectors = 2;

/// Packing a matrix costs about as much as the products of so many rows by it.
constexpr int64_t maxTransposed = 4;

/// Whether dot products compute results of a few `columns` each in less time
/// than a vector of them: each a sum over `taps` of `depth` products. The lanes
/// of a vector are then added up, which takes about three instructions.
bool areDots(const kernel::Target &target, Type element, int64_t columns,
             int64_t taps, int64_t depth) {
  int64_t lanes = target.lanes(element);
  auto vectors = double(taps * llvm::divideCeil(depth, lanes) + 3);
  return !target.gpu && isa<FloatType>(element) && 2 * columns <= lanes &&
         vectors * double(columns) <= 0.75 * double(taps * depth);
}

/// Whether the few channels that a filter has for results are dot products.
bool hasDots(kernel::PackFilterOp pack, Type element,
             const kernel::Target &target) {
  // The columns of a window are unrolled.
  constexpr int64_t widest = 16;
  auto filter = cast<ShapedType>(pack.getFilter().getType());
  kernel::WeightsSource weights = pack.getSource();
  return pack.getGroups() == 1 && isConstant(pack.getFilter()) &&
         filter.getShape().end()[-3] <= widest &&
         isa<FloatType>(weights.element) &&
         areDots(target, element, weights.columns,
                 ShapedType::getNumElements(weights.taps), weights.depth);
}

/// The rows of a matrix, or its only column, as columns in the K-major layout.
Value asColumns(OpBuilder &b, Location loc, Value right, bool isColumn) {
  auto type = cast<RankedTensorType>(right.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(isColumn ? shape.end() - 2 : shape.end(), 1);
  auto columns = type.clone(shape);
  auto same = getReassociationIndicesForReshape(type, columns);
  return b.create<tensor::ExpandShapeOp>(loc, columns, right, *same);
}

void choose(kernel::PackOp pack, kernel::MatmulOp op) {
  auto target = kernel::Target::of(op);
  MLIRContext *context = op.getContext();
  Value right = pack.getB();
  auto type = cast<ShapedType>(op.getOut().getType());
  Type element = type.getElementType();
  int64_t rows = type.getShape().end()[-2], columns = type.getShape().back();
  int64_t depth = pack.getSource().depth;
  bool constant = isConstant(right);
  bool transposed = pack.getTransposeB();
  bool areFloats = !target.gpu && !op.getTransposeA() &&
                   isa<FloatType>(getElementTypeOrSelf(right));
  bool areFew =
      areFloats && (rows == 1 ? depth >= shortestDot && columns <= maxDots
                              : areDots(target, element, columns,
                                        /*taps=*/1, depth));
  bool inRows = areFloats && !constant && rows <= maxTransposed && transposed &&
                depth >= minVectors * target.lanes(element);
  bool isColumn = areFew && !constant && columns == 1;
  // Dot products read all of the depth.
  if (op.getDepth())
    inRows = isColumn = areFew = false;
  if (inRows || isColumn) {
    OpBuilder b(pack);
    replacePack(pack, asColumns(b, op.getLoc(), right, !transposed),
                kernel::LayoutAttr::kMajor(context));
    return;
  }
  if (!transposed && rows < rowsWorthPacking && !constant)
    return replacePack(pack, right, kernel::LayoutAttr::plain(context));
  int64_t width = rows == 1 && !constant
                      ? target.panelWidth(element, columns)
                      : target.matrixPanelWidth(element, columns);
  repack(pack, constant && areFew ? kernel::LayoutAttr::kMajor(context)
                                  : kernel::LayoutAttr::panels(context, width));
}

/// A product of pixels. One pixel is a row alone, with whole vectors as if its
/// panels were narrowed, whoever else reads the filter, which is then packed
/// twice: that is rare.
int64_t widthOf(kernel::MatmulOp op, const kernel::Target &target) {
  auto type = cast<ShapedType>(op.getOut().getType());
  Type element = type.getElementType();
  int64_t columns = type.getShape().back();
  return type.getNumElements() == columns
             ? target.panelWidth(element, columns)
             : target.matrixPanelWidth(element, columns);
}

void choose(kernel::PackFilterOp pack, kernel::KernelOpInterface op) {
  auto target = kernel::Target::of(op);
  auto type = cast<ShapedType>(op.getOut().getType());
  auto product = dyn_cast<kernel::MatmulOp>(op.getOperation());
  if (hasDots(pack, type.getElementType(), target)) {
    repack(pack, kernel::LayoutAttr::kMajor(pack.getContext()));
    return;
  }
  int64_t width = product
                      ? widthOf(product, target)
                      : target.convolutionPanelWidth(type.getElementType(),
                                                     pack.getSource().columns);
  repack(pack, kernel::LayoutAttr::panels(pack.getContext(), width));
}

void chooseTransformed(kernel::PackOpInterface pack) {
  Value filter = pack->getResult(0);
  auto op = filter.hasOneUse()
                ? dyn_cast<kernel::WinogradOp>(*filter.user_begin())
                : kernel::WinogradOp();
  if (!op)
    return;
  auto target = kernel::Target::of(op);
  auto type = cast<ShapedType>(op.getOut().getType());
  Type element = type.getElementType();
  int64_t columns = type.getShape().back();
  // With many registers blocks of tiles have two vectors.
  repack(pack, pack.getLayout().withWidth(
                   target.sumsFillRegisters()
                       ? target.matrixPanelWidth(element, columns)
                       : target.panelWidth(element, columns)));
}

} // namespace

void choosePanels(kernel::PackOpInterface pack) {
  kernel::MatmulOp product = productOf(pack);
  if (auto matrix = dyn_cast<kernel::PackOp>(pack.getOperation())) {
    if (product)
      choose(matrix, product);
    return;
  }
  if (isa<kernel::TransformFilterOp>(pack.getOperation()))
    return chooseTransformed(pack);
  auto filter = cast<kernel::PackFilterOp>(pack.getOperation());
  if (product)
    choose(filter, product);
  else if (kernel::ConvolutionOp convolution = convolutionOf(pack))
    choose(filter, convolution);
}

} // namespace weir::lower
