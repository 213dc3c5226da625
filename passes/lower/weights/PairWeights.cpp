// Which products and convolutions are made of pairs, and their constant
// weights.

#include "passes/lower/weights/PairWeights.h"

#include "passes/lower/ConvolutionCost.h"
#include "passes/lower/weights/TileWeights.h"

#include "dialects/kernel/Pairs.h"
#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/bit.h"

#include <array>
#include <climits>
#include <cmath>
#include <limits>

using namespace mlir;

namespace weir {

using kernel::Pairs;

// The sizes of windows.
static ArrayRef<int64_t> tapsOf(kernel::ConvolutionOp op) {
  auto filter = cast<ShapedType>(op.getFilter().getType());
  return filter.getShape().drop_front().drop_back(2);
}

// Whether the channels of pixels are the rows of a product, as those of a
// convolution by windows of one element, but for strides. All windows must have
// a pixel: padding that comes after the last is only in the result's sizes.
static bool isPixelProduct(kernel::ConvolutionOp op) {
  auto x = cast<ShapedType>(op.getX().getType());
  auto out = cast<ShapedType>(op.getOut().getType());
  for (auto [d, taps] : llvm::enumerate(tapsOf(op)))
    if (taps != 1 || op.getPadding()[d] != 0 ||
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
static double tapsInside(kernel::ConvolutionOp op) {
  double inside = 1;
  for (auto [i, taps] : llvm::enumerate(tapsOf(op)))
    inside *= tapsInside(
        cast<ShapedType>(op.getX().getType()).getDimSize(i + 1),
        cast<ShapedType>(op.getOut().getType()).getDimSize(i + 1),
        op.getStrides()[i], taps, op.getDilations()[i], op.getPadding()[i]);
  return inside;
}

// Cycles for a row of results: of products alone in panels of `width` columns,
// and of pairs, two thirds of all terms. The row is looked at and scaled.
static double productCycles(const kernel::Target &target, double depth,
                            int64_t columns, int64_t width) {
  return double(llvm::divideCeil(columns, width)) * double(width) / 16 * depth /
         double(target.fmaRate);
}
static double pairCycles(const kernel::Target &target, double depth,
                         int64_t columns) {
  struct Costs {
    double perTerm, perVector, perElement, perRow;
    double ofLoneVector; // of a panel, in vectors
  };
  // Measured on a Zen 4 and a Zen 5, of which the latter begins two vectors of
  // multiply-adds a cycle and two of additions, but no more loads.
  constexpr Costs ofOne = {0.7, 6, 0.45, 45, 1};
  constexpr Costs ofTwo = {0.38, 3, 0.31, 14, 1.5};
  const Costs &costs = target.fmaRate > 1 ? ofTwo : ofOne;
  int64_t vectors = llvm::divideCeil(columns, 16);
  double all =
      double(vectors / 2 * 2) + double(vectors % 2) * costs.ofLoneVector;
  return all * (depth * costs.perTerm + costs.perVector) +
         depth * costs.perElement + costs.perRow;
}

// To look at a right side and scale it, beside what packing takes anyhow, and
// to turn a left side that lies turned; measured on a Zen 5.
static double scalingCycles(const kernel::Target &target, double depth,
                            int64_t columns) {
  auto vectors = double(llvm::divideCeil(columns, 16)) * depth;
  bool isFar = vectors * 64 > double(target.l2);
  return vectors * (isFar ? 8 : 5);
}
static double turningCycles(double depth, int64_t rows) {
  constexpr double perVector = 28; // half of it alone, the rest among threads
  return double(llvm::divideCeil(rows, 16)) * depth * perVector;
}

// To copy a window.
static double gatheringCycles(double depth) { return 0.2 * depth; }

bool isWorthPairing(Operation *packed, bool isConstant) {
  auto target = kernel::Target::of(packed);
  if (!target.addsBeside || !target.avx512 || !target.fma ||
      target.sharesPanels || target.vectorBits != 512)
    return false;
  Value x, out;
  Type sum;
  bool turned = false, isGathered = false;
  int64_t taps = 1;
  double inside = 1;
  if (kernel::MatmulOp op = productOf(packed)) {
    out = op.getOut(), x = op.getA();
    bool oneSide = cast<ShapedType>(out.getType()).getRank() == 2;
    turned = op.getTransposeA();
    if (op.getUnsignedA() || !op.getLayout().isPanels() ||
        !(oneSide || (op.getShared() && !turned)) || (turned && isConstant) ||
        !isOnlyProduct(op))
      return false;
    sum = op.getEpilogue().front().getArgument(0).getType();
  } else if (kernel::ConvolutionOp op = convolutionOf(packed)) {
    if (op.getGroups() != 1 || op.getUnsignedX() ||
        !op.getLayout().isPanels() || !isConstant)
      return false;
    for (int64_t size : tapsOf(op))
      taps *= size;
    isGathered = !isPixelProduct(op);
    inside = tapsInside(op);
    out = op.getOut(), x = op.getX();
    sum = op.getEpilogue().front().getArgument(0).getType();
  } else {
    return false;
  }
  if (cast<ShapedType>(out.getType()).getNumElements() == 0)
    return false;
  auto a = cast<ShapedType>(x.getType());
  auto panels = cast<ShapedType>(packed->getResult(0).getType());
  if (!a.getElementType().isF32() || !panels.getElementType().isF32() ||
      !sum.isF32())
    return false;
  int64_t columns = cast<ShapedType>(out.getType()).getShape().back();
  int64_t rows = rowsOf(out);
  int64_t depth = taps * a.getShape().take_back(2)[!turned];
  // Of fewer rows weights take longer to come. Rows have the same sums in a
  // matrix of a few more.
  constexpr int64_t fewestRows = 8;
  auto alike = int64_t(llvm::PowerOf2Ceil(rows));
  // Slabs of rows hold all of their depth.
  constexpr int64_t longestWindow = 1 << 13;
  if (alike < fewestRows || depth < 2 * Pairs::group ||
      (isGathered && depth > longestWindow))
    return false;
  int64_t width = isConstant ? panels.getShape().back() : 16;
  double saved = productCycles(target, double(depth), columns, width) * inside -
                 pairCycles(target, double(depth), columns);
  if (isGathered)
    saved -= gatheringCycles(double(depth));
  double more = isConstant ? 0 : scalingCycles(target, double(depth), columns);
  if (turned)
    more += turningCycles(double(depth), alike);
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

void pair(Operation *packed, Value panels) {
  auto layout = kernel::LayoutAttr::get(packed->getContext(),
                                        kernel::LayoutKind::Pairing);
  if (kernel::MatmulOp product = productOf(packed)) {
    Operation *between = product.getB().getDefiningOp();
    product.getBMutable().assign(panels);
    product.setLayoutAttr(layout);
    if (between != packed)
      between->erase();
    return;
  }
  kernel::ConvolutionOp op = convolutionOf(packed);
  if (!isPixelProduct(op)) {
    op.setLayoutAttr(kernel::LayoutAttr::get(
        op.getContext(), kernel::LayoutKind::Pairing, tapsOf(op)));
    op.getFilterMutable().assign(panels);
    return;
  }
  OpBuilder b(op);
  auto product = b.create<kernel::MatmulOp>(
      op.getLoc(), op.getResultTypes(), pixelsOf(b, op), panels,
      /*depth=*/Value(), op.getExtras(), op.getOut(), /*transpose_a=*/false,
      /*shared=*/true, op.getExtraMaps(),
      /*unsigned_a=*/false, layout);
  product.getEpilogue().takeBody(op.getEpilogue());
  op->replaceAllUsesWith(product);
  op->erase();
}

RankedTensorType PairPacking::type(Type element) const {
  return RankedTensorType::get(
      {llvm::divideCeilSigned(columns, Pairs::panelWidth),
       depth + Pairs::linesAfter, Pairs::panelWidth},
      element);
}

namespace {

constexpr int64_t width = Pairs::panelWidth;

// Elements that are small multiples of one power of two.
class Steps {
public:
  // Whether all are, with one more.
  bool take(float value) {
    if (value == 0 || !std::isfinite(value))
      return true;
    int exponent;
    auto digits = int64_t(std::ldexp(std::frexp(value, &exponent), 24));
    least =
        std::min(least, exponent - 24 +
                            int(llvm::countr_zero(uint64_t(std::abs(digits)))));
    most = std::max(most, std::fabs(double(value)));
    return std::ldexp(most, -least) < double(Pairs::fewSteps);
  }

private:
  int least = INT_MAX;
  double most = 0;
};

// Up to a panel of columns, as they are scaled.
struct Columns {
  const PairPacking &packing;
  const float *first;
  int64_t count;
  std::array<double, width> squares = {}; // of each, their mean
  std::array<double, width> factors = {}; // a power of two; 0 for zeros

  Columns(const PairPacking &packing, const float *from, int64_t column)
      : packing(packing), first(from + column * packing.columnStride),
        count(std::min(width, packing.columns - column)) {
    for (int64_t k = 0; k < packing.depth; ++k)
      for (int64_t n = 0; n < count; ++n)
        squares[n] += at(k, n) * at(k, n) / double(packing.depth);
    for (int64_t n = 0; n < count; ++n)
      if (squares[n] > 0 && std::isfinite(squares[n]))
        factors[n] = std::ldexp(1., -int(std::floor(exponent(n) / 2.)));
  }

  double at(int64_t k, int64_t n) const {
    return first[k * packing.depthStride + n * packing.columnStride];
  }

  double scaled(int64_t k, int64_t n) const { return at(k, n) * factors[n]; }

  // Of twice the square.
  int exponent(int64_t n) const { return std::ilogb(squares[n]) + 1; }

  // Whether sums of products of the columns are to be as exact as plain ones:
  // of steps, and where a row selects an element of a nearly empty column.
  bool makeNone() const {
    std::array<int64_t, width> counts = {};
    Steps steps;
    bool areSteps = true;
    for (int64_t k = 0; k < packing.depth; ++k)
      for (int64_t n = 0; n < count; ++n) {
        areSteps = areSteps && steps.take(float(at(k, n)));
        counts[n] += at(k, n) != 0;
      }
    return areSteps ||
           llvm::any_of(ArrayRef(counts).take_front(count), [&](int64_t some) {
             return some > 0 && some <= packing.depth / Pairs::sparse;
           });
  }

  // What the pairs of each column have alone: their sums, or those of their
  // squares.
  std::array<double, width> alone(bool squared) const {
    std::array<double, width> sums = {};
    for (int64_t k = 0; k < packing.depth; ++k)
      if (auto sign = double(Pairs::sign(k, packing.depth)); sign != 0)
        for (int64_t n = 0; n < count; ++n) {
          double x = scaled(k, n) * scaled(k + 1, n);
          sums[n] += squared ? x * x : sign * x;
        }
    return sums;
  }
};

} // namespace

bool PairPacking::suits(const float *from) const {
  bool any = false;
  auto most = double(Pairs::mostSquare * Pairs::count(depth));
  for (int64_t column = 0; column < columns; column += width) {
    Columns some(*this, from, column);
    any = any || !some.makeNone();
    std::array<double, width> alone = some.alone(/*squared=*/true);
    for (int64_t n = 0; n < some.count; ++n) {
      bool zeros = some.squares[n] == 0;
      bool scales = some.factors[n] > 0 &&
                    std::abs(some.exponent(n)) <= Pairs::mostExponent;
      if (!zeros && !(scales && alone[n] <= most))
        return false;
    }
  }
  return any;
}

void PairPacking::run(const float *from, float *to) const {
  for (int64_t column = 0; column < columns; column += width) {
    Columns some(*this, from, column);
    for (int64_t k = 0; k < depth; ++k, to += width)
      for (int64_t n = 0; n < some.count; ++n)
        to[n] = static_cast<float>(some.scaled(k, n));
    std::array<double, width> alone = some.alone(/*squared=*/false);
    if (some.makeNone())
      alone.fill(std::numeric_limits<double>::quiet_NaN());
    for (int64_t n = 0; n < some.count; ++n) {
      to[n] = static_cast<float>(alone[n]);
      to[width + n] =
          static_cast<float>(some.factors[n] > 0 ? 1 / some.factors[n] : 0);
    }
    to += Pairs::linesAfter * width;
  }
}

} // namespace weir
