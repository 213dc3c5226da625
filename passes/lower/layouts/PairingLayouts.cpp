// Which products and convolutions use inner-product pairing.

#include "passes/lower/layouts/PairingLayouts.h"

#include "passes/lower/ConvolutionCost.h"

#include "dialects/kernel/PairingScheme.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/cost/PairingCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::lower {

using kernel::PairingScheme;

// Whether the channels of pixels are the rows of a product, as those of a
// convolution by windows of one element, but for strides. All windows must have
// a pixel: padding that comes after the last is only in the result's sizes.
static bool isPixelProduct(kernel::ConvolutionOp op, ArrayRef<int64_t> taps) {
  auto x = cast<ShapedType>(op.getX().getType());
  auto out = cast<ShapedType>(op.getOut().getType());
  for (auto [d, size] : llvm::enumerate(taps))
    if (size != 1 || op.getPadding()[d] != 0 ||
        llvm::divideCeil(x.getDimSize(d + 1), op.getStrides()[d]) <
            uint64_t(out.getDimSize(d + 1)))
      return false;
  return true;
}

// Whether a kernel makes nothing else than this product. An attention has two,
// each for a block of rows at a time.
static bool isOnlyProduct(Operation *op) {
  int64_t products = 0;
  op->getParentOfType<func::FuncOp>().walk(
      [&](kernel::MatmulOp) { ++products; });
  return products == 1;
}

// The part of all taps that a direct sum makes products of.
static double tapsInside(kernel::ConvolutionOp op, ArrayRef<int64_t> taps) {
  double inside = 1;
  for (auto [i, size] : llvm::enumerate(taps))
    inside *= tapsInside(
        cast<ShapedType>(op.getX().getType()).getDimSize(i + 1),
        cast<ShapedType>(op.getOut().getType()).getDimSize(i + 1),
        op.getStrides()[i], size, op.getDilations()[i], op.getPadding()[i]);
  return inside;
}

bool isWorthPairing(kernel::PackOpInterface pack, bool isConstant) {
  auto target = kernel::Target::of(pack);
  if (!target.addsBeside || !target.fma || target.sharesPanels ||
      target.vectorBits != 512)
    return false;
  Value x, out;
  Type sum;
  bool turned = false, isGathered = false;
  int64_t taps = 1;
  double inside = 1;
  if (kernel::MatmulOp op = productOf(pack)) {
    out = op.getOut(), x = op.getA();
    bool oneSide = cast<ShapedType>(out.getType()).getRank() == 2;
    turned = op.getTransposeA();
    if (op.getUnsignedA() || !op.getLayout().isPanels() ||
        !(oneSide || (op.getShared() && !turned)) || (turned && isConstant) ||
        !isOnlyProduct(op))
      return false;
    sum = sumOf(op);
  } else if (kernel::ConvolutionOp op = convolutionOf(pack)) {
    if (op.getGroups() != 1 || op.getUnsignedX() ||
        !op.getLayout().isPanels() || !isConstant)
      return false;
    for (int64_t size : tapsOf(pack))
      taps *= size;
    isGathered = !isPixelProduct(op, tapsOf(pack));
    inside = tapsInside(op, tapsOf(pack));
    out = op.getOut(), x = op.getX();
    sum = sumOf(op);
  } else {
    return false;
  }
  if (cast<ShapedType>(out.getType()).getNumElements() == 0)
    return false;
  auto a = cast<ShapedType>(x.getType());
  auto panels = cast<ShapedType>(pack->getResult(0).getType());
  if (!a.getElementType().isF32() || !panels.getElementType().isF32() ||
      !sum.isF32())
    return false;
  int64_t columns = cast<ShapedType>(out.getType()).getShape().back();
  int64_t rows = rowsOf(out);
  int64_t depth = taps * a.getShape().take_back(2)[!turned];
  // Of fewer rows weights take longer to come. Rows have the same sums in a
  // matrix of a few more.
  constexpr int64_t minRows = 8;
  auto alike = int64_t(llvm::PowerOf2Ceil(rows));
  // Slabs of rows hold all of their depth.
  constexpr int64_t longestWindow = 1 << 13;
  if (alike < minRows || depth < 2 * PairingScheme::group ||
      (isGathered && depth > longestWindow))
    return false;
  int64_t lanes = target.lanes(sum);
  int64_t width = isConstant ? panels.getShape().back() : lanes;
  double saved =
      kernel::rowOfPanelsCycles(target, lanes, double(depth), columns, width) *
          inside -
      kernel::rowOfPairingCycles(target, lanes, double(depth), columns);
  if (isGathered)
    saved -= kernel::windowCopyCycles(double(depth));
  double more =
      isConstant ? 0
                 : kernel::scalingCycles(target, lanes, double(depth), columns);
  if (turned)
    more += kernel::transposeCycles(lanes, double(depth), alike);
  // Scaled panels and rows are memory, too.
  constexpr double worth = 1.25;
  return double(alike) * saved > worth * more;
}

// The pixels that windows of one element stand on.
static Value pixelsOf(OpBuilder &b, kernel::ConvolutionOp op) {
  Value x = op.getX();
  auto type = cast<RankedTensorType>(x.getType());
  auto out = cast<ShapedType>(op.getOut().getType());
  if (type.getShape().drop_back() == out.getShape().drop_back())
    return x;
  SmallVector<OpFoldResult> first(type.getRank(), b.getIndexAttr(0)), sizes,
      steps(type.getRank(), b.getIndexAttr(1));
  for (int64_t size : out.getShape().drop_back())
    sizes.push_back(b.getIndexAttr(size));
  sizes.push_back(b.getIndexAttr(type.getShape().back()));
  for (auto [d, stride] : llvm::enumerate(op.getStrides()))
    steps[d + 1] = b.getIndexAttr(stride);
  return b.create<tensor::ExtractSliceOp>(op.getLoc(), x, first, sizes, steps);
}

// The product that a convolution by windows of one element becomes.
static void becomeProduct(kernel::ConvolutionOp op, kernel::LayoutAttr layout) {
  OpBuilder b(op);
  auto product = b.create<kernel::MatmulOp>(
      op.getLoc(), op.getResultTypes(), pixelsOf(b, op), op.getFilter(),
      /*depth=*/Value(), op.getExtras(), op.getOut(), /*transpose_a=*/false,
      /*shared=*/true, op.getExtraMaps(), /*unsigned_a=*/false, layout);
  product.getEpilogue().takeBody(op.getEpilogue());
  op->replaceAllUsesWith(product);
  op->erase();
}

kernel::PackOpInterface pairConstant(kernel::PackOpInterface pack) {
  MLIRContext *context = pack->getContext();
  auto pairing = kernel::LayoutAttr::get(context, kernel::LayoutKind::Pairing);
  kernel::ConvolutionOp op = convolutionOf(pack);
  if (!op)
    return repack(pack, pairing);
  bool isProduct = isPixelProduct(op, tapsOf(pack));
  auto windows = kernel::LayoutAttr::get(context, kernel::LayoutKind::Pairing,
                                         tapsOf(pack));
  kernel::PackOpInterface paired = repack(pack, isProduct ? pairing : windows);
  if (isProduct)
    becomeProduct(op, pairing);
  return paired;
}

// Transposes a left side back.
static void transposeLeft(OpBuilder &b, kernel::MatmulOp op) {
  Location loc = op.getLoc();
  auto from = cast<RankedTensorType>(op.getA().getType());
  auto type = from.clone({from.getDimSize(1), from.getDimSize(0)});
  AffineExpr row, column;
  bindDims(op.getContext(), row, column);
  AffineMap maps[] = {AffineMap::get(2, 0, {column, row}, op.getContext()),
                      b.getMultiDimIdentityMap(2)};
  Value empty =
      b.create<tensor::EmptyOp>(loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto turned = b.create<linalg::GenericOp>(
      loc, type, op.getA(), empty, maps, loops,
      [](OpBuilder &b, Location loc, ValueRange elements) {
        b.create<linalg::YieldOp>(loc, elements[0]);
      });
  op.getAMutable().assign(turned.getResult(0));
  op.setTransposeA(false);
}

void pairAtRun(kernel::PackOp pack) {
  // The panels are packed just before the product, after its other operands.
  kernel::MatmulOp product = productOf(pack);
  OpBuilder b(product);
  if (product.getTransposeA())
    transposeLeft(b, product);
  auto paired = repack(
      cast<kernel::PackOpInterface>(pack.getOperation()),
      kernel::LayoutAttr::get(b.getContext(), kernel::LayoutKind::Pairing));
  paired.getOut().getDefiningOp()->moveBefore(product);
  paired->moveBefore(product);
}

} // namespace weir::lower
