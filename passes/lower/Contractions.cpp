// Lowers matrix products and convolutions to the kernels that weir emits
// itself.

#include "passes/lower/ConvolutionCost.h"
#include "passes/lower/NeuralShared.h"
#include "passes/lower/Patterns.h"
#include "passes/lower/weights/WeightForms.h"

#include "dialects/graph/Neural.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {
namespace {

// The right side is copied into panels where at least this many rows use the
// copy; a constant always, because weir-pack-weights does that once. (One more
// than a power of two, as all that sums depend on: MatmulBlocks.cpp.)
constexpr int64_t rowsWorthPacking = 17;

// A row times so few columns, where the depth is so long, is made of dot
// products: each column of a constant is then a panel of its own. Those of what
// the run computes, turned round, are such panels already, of so many vectors.
constexpr int64_t mostDots = 16, shortestDot = 128, fewestVectors = 2;

/// Whether dot products make results of a few `columns` each in less time than
/// a vector of them: each a sum over `taps` of `depth` products. The lanes of a
/// vector are then added up, which takes about three instructions.
bool areDots(const kernel::Target &target, Type element, int64_t columns,
             int64_t taps, int64_t depth) {
  int64_t lanes = target.lanes(element);
  auto vectors = double(taps * llvm::divideCeil(depth, lanes) + 3);
  return !target.gpu && isa<FloatType>(element) && 2 * columns <= lanes &&
         vectors * double(columns) <= 0.75 * double(taps * depth);
}

bool isConstant(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  // A block whose signature is being converted has no parent.
  auto kernel =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel && kernel.getArgAttr(argument.getArgNumber(), "weir.constant");
}

/// Whether unsigned bytes are multiplied by signed ones.
bool multipliesBytes(Operation *op) {
  return isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))) &&
         getElementTypeOrSelf(op->getOperand(0)) !=
             getElementTypeOrSelf(op->getOperand(1));
}

/// Panels for sums of `element`: of one column each with `runs`, and as a row
/// alone reads them the fastest with `narrow`.
Value packed(OpBuilder &b, Location loc, Value right, bool transposed,
             Type element, const kernel::Target &target, bool runs,
             bool narrow) {
  auto type = cast<RankedTensorType>(right.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t columns = shape[type.getRank() - (transposed ? 2 : 1)];
  int64_t depth = shape[type.getRank() - (transposed ? 1 : 2)];
  int64_t width = runs     ? 1
                  : narrow ? target.panelWidth(element, columns)
                           : target.matrixPanelWidth(element, columns);
  shape.pop_back_n(2);
  shape.append({(columns + width - 1) / width, depth, width});
  Value empty = emptyTensor(b, loc, type.clone(shape));
  return b
      .create<kernel::PackOp>(loc, empty.getType(), right, empty, transposed)
      .getResult(0);
}

/// The rows of a matrix as panels of one column each or, where it is one
/// column, that as a panel.
Value asPanels(OpBuilder &b, Location loc, Value right, bool isColumn) {
  auto type = cast<RankedTensorType>(right.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(isColumn ? shape.end() - 2 : shape.end(), 1);
  auto panels = type.clone(shape);
  auto same = getReassociationIndicesForReshape(type, panels);
  return b.create<tensor::ExpandShapeOp>(loc, panels, right, *same);
}

/// To pack a matrix costs about as much as the products of so many rows by it.
constexpr int64_t mostTurned = 4;

struct MatmulToKernel : OpConversionPattern<graph::MatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::MatmulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(
        typeConverter->convertType(op.getResult().getType()));
    auto left = cast<RankedTensorType>(adaptor.getA().getType());
    int64_t rows = type.getDimSize(type.getRank() - 2);
    int64_t depth =
        left.getDimSize(left.getRank() - (op.getTransposeA() ? 2 : 1));
    if (depth == 0) {
      Value zero = b.create<arith::ConstantOp>(
          loc, b.getZeroAttr(type.getElementType()));
      b.replaceOp(op, filledTensor(b, loc, type, zero));
      return success();
    }
    Value x = adaptor.getA(), right = adaptor.getB();
    bool isUnsigned = multipliesBytes(op);
    // Kernels of a GPU have no products of bytes.
    if (isUnsigned && kernel::Target::of(op).gpu) {
      x = widenedBytes(b, loc, x, /*isUnsigned=*/true);
      right = widenedBytes(b, loc, right, /*isUnsigned=*/false);
      isUnsigned = false;
    }
    kernel::Target target = kernel::Target::of(op);
    bool constant = isConstant(op.getB()) || isConstant(right);
    int64_t columns = type.getShape().back();
    // Sums of floats that may be dot products.
    bool areFloats = !target.gpu && !op.getTransposeA() &&
                     isa<FloatType>(getElementTypeOrSelf(right));
    bool areFew = areFloats &&
                  (rows == 1 ? depth >= shortestDot && columns <= mostDots
                             : areDots(target, type.getElementType(), columns,
                                       /*taps=*/1, depth));
    bool turned = areFloats && !constant && rows <= mostTurned &&
                  op.getTransposeB() &&
                  depth >= fewestVectors * target.lanes(type.getElementType());
    bool isColumn = areFew && !constant && columns == 1;
    // Panels of one column are read to the end.
    if (op.getDepth())
      turned = isColumn = areFew = false;
    // A constant's panels weir-narrow-panels narrows, which knows all products.
    if (turned || isColumn)
      right = asPanels(b, loc, right, !op.getTransposeB());
    else if (op.getTransposeB() || rows >= rowsWorthPacking || constant)
      right = packed(b, loc, right, op.getTransposeB(), type.getElementType(),
                     target, constant && areFew, rows == 1 && !constant);
    auto kernel = b.create<kernel::MatmulOp>(
        loc, type, x, right, adaptor.getDepth(), ValueRange(),
        emptyTensor(b, loc, type), op.getTransposeA(), /*shared=*/false,
        b.getArrayAttr({}),
        /*range=*/nullptr, isUnsigned);
    buildEpilogue(b, loc, kernel.getEpilogue(), type.getElementType());
    b.replaceOp(op, kernel);
    return success();
  }
};

struct ConvolutionToKernel : OpConversionPattern<graph::ConvolutionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::ConvolutionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(
        typeConverter->convertType(op.getResult().getType()));
    auto x = cast<RankedTensorType>(adaptor.getX().getType());
    auto filter = cast<RankedTensorType>(adaptor.getFilter().getType());
    int64_t spatial = type.getRank() - 2;
    if (spatial > 2)
      return b.notifyMatchFailure(op, "has three spatial dimensions");
    bool isUnsigned = multipliesBytes(op);
    if (isUnsigned && kernel::Target::of(op).gpu)
      return b.notifyMatchFailure(op, "multiplies bytes");
    if (type.getNumElements() == 0 || x.getNumElements() == 0 ||
        filter.getNumElements() == 0)
      return b.notifyMatchFailure(op, "has nothing to multiply");
    int64_t groups = op.getGroups(), inputs = x.getShape().back(),
            outputs = type.getShape().back();
    if (groups == inputs && groups > 1) {
      if (outputs != inputs || filter.getDimSize(spatial - 1) > 32)
        return b.notifyMatchFailure(op, "has several filters a channel");
      return depthwise(op, adaptor, b, type);
    }
    if (hasSmallGroups(op, type, inputs))
      return depthwise(op, adaptor, b, type);
    if (groups == 1 && isPointwise(op, filter))
      return pointwise(op, adaptor, b, type);

    SmallVector<int64_t> tiles = tilesOf(op);
    if (!tiles.empty())
      return winograd(op, adaptor, b, type, tiles);

    Location loc = op.getLoc();
    auto target = kernel::Target::of(op);
    int64_t width = hasDots(op, filter, type)
                        ? 1
                        : target.convolutionPanelWidth(type.getElementType(),
                                                       outputs / groups);
    SmallVector<int64_t> shape(filter.getShape());
    shape.back() = width;
    shape.insert(shape.begin(),
                 groups * ((outputs / groups + width - 1) / width));
    Value empty = emptyTensor(b, loc, filter.clone(shape));
    Value packed =
        b.create<kernel::PackFilterOp>(loc, empty.getType(),
                                       adaptor.getFilter(), empty, groups)
            .getResult(0);
    auto kernel = b.create<kernel::ConvolutionOp>(
        loc, type, adaptor.getX(), packed, ValueRange(),
        emptyTensor(b, loc, type), op.getStrides(), op.getPaddingLow(),
        op.getDilations(), groups, b.getArrayAttr({}), isUnsigned,
        /*range=*/nullptr, /*parts=*/3, /*pairs_of=*/nullptr,
        /*schedule=*/nullptr);
    buildEpilogue(b, loc, kernel.getEpilogue(), type.getElementType());
    b.replaceOp(op, kernel);
    return success();
  }

private:
  /// Whether each result depends on one pixel.
  static bool isPointwise(graph::ConvolutionOp op, RankedTensorType filter) {
    auto is = [](int64_t wanted) {
      return [wanted](int64_t value) { return value == wanted; };
    };
    return llvm::all_of(filter.getShape().drop_back(2), is(1)) &&
           llvm::all_of(op.getPaddingLow(), is(0)) &&
           llvm::all_of(op.getPaddingHigh(), is(0));
  }

  /// Whether the filter's few channels of results are made of dot products.
  static bool hasDots(graph::ConvolutionOp op, RankedTensorType filter,
                      RankedTensorType type) {
    int64_t inputs = filter.getShape().end()[-2];
    int64_t columns = filter.getShape().back();
    // The columns of a window are unrolled.
    constexpr int64_t widest = 16;
    return op.getGroups() == 1 && isConstant(op.getFilter()) &&
           filter.getDimSize(filter.getRank() - 3) <= widest &&
           isa<FloatType>(filter.getElementType()) &&
           areDots(kernel::Target::of(op), type.getElementType(), columns,
                   filter.getNumElements() / (inputs * columns), inputs);
  }

  /// The results of a tile of kernel.winograd; none where a direct sum takes
  /// less time.
  static SmallVector<int64_t> tilesOf(graph::ConvolutionOp op) {
    if (op->hasAttr(directName))
      return {};
    bool isKnown =
        isConstant(op.getFilter()) && !op->hasAttr(transformAtRunName);
    return chooseConvolution(op, isKnown).tiles;
  }

  static LogicalResult winograd(graph::ConvolutionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b,
                                RankedTensorType type,
                                ArrayRef<int64_t> tiles) {
    Location loc = op.getLoc();
    auto filter = cast<RankedTensorType>(adaptor.getFilter().getType());
    ArrayRef<int64_t> windows = filter.getShape().take_front(2);
    auto window = kernel::MinimalWindow::of(tiles, windows, op.getStrides());
    int64_t columns = filter.getDimSize(3);
    auto target = kernel::Target::of(op);
    Type element = type.getElementType();
    // Of many registers blocks of squares are cut for two vectors.
    int64_t width = target.fewRegisters()
                        ? target.matrixPanelWidth(element, columns)
                        : target.panelWidth(element, columns);
    Value empty = emptyTensor(
        b, loc,
        filter.clone({(columns + width - 1) / width, window->products(),
                      filter.getDimSize(2), width}));
    Value transformed =
        b.create<kernel::TransformFilterOp>(
             loc, empty.getType(), adaptor.getFilter(), empty, tiles,
             op.getStrides(), op->hasAttr(transformAtRunName))
            .getResult(0);
    auto kernel = b.create<kernel::WinogradOp>(
        loc, type, adaptor.getX(), transformed, ValueRange(),
        emptyTensor(b, loc, type), windows, op.getStrides(), tiles,
        op.getPaddingLow(), op.getDilations(), b.getArrayAttr({}));
    buildEpilogue(b, loc, kernel.getEpilogue(), type.getElementType());
    b.replaceOp(op, kernel);
    return success();
  }

  /// A product of pixels by a matrix; strides choose the pixels first.
  static LogicalResult pointwise(graph::ConvolutionOp op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &b,
                                 RankedTensorType type) {
    Location loc = op.getLoc();
    auto filter = cast<RankedTensorType>(adaptor.getFilter().getType());
    int64_t rank = type.getRank();
    Value x = adaptor.getX();
    SmallVector<int64_t> wanted(type.getShape());
    wanted.back() = filter.getDimSize(rank - 2);
    auto chosen = cast<RankedTensorType>(x.getType()).clone(wanted);
    if (x.getType() != chosen) {
      SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)), sizes, steps;
      for (int64_t i = 0; i < rank; ++i) {
        bool place = i > 0 && i + 1 < rank;
        sizes.push_back(b.getIndexAttr(wanted[i]));
        steps.push_back(b.getIndexAttr(place ? op.getStrides()[i - 1] : 1));
      }
      x = b.create<tensor::ExtractSliceOp>(loc, chosen, x, zeros, sizes, steps);
    }
    // Packed before its unit dimensions go, so that a constant is seen.
    SmallVector<int64_t> shape(filter.getShape());
    int64_t columns = shape.back();
    // One pixel is a row alone, with whole vectors as NarrowPanels would have
    // it, whoever else reads the filter, which is then packed twice: that is
    // rare.
    auto target = kernel::Target::of(op);
    Type element = type.getElementType();
    int64_t width = hasDots(op, filter, type) ? 1
                    : type.getNumElements() == columns
                        ? target.panelWidth(element, columns)
                        : target.matrixPanelWidth(element, columns);
    shape.back() = width;
    shape.insert(shape.begin(), (columns + width - 1) / width);
    Value empty = emptyTensor(b, loc, filter.clone(shape));
    Value packed = b.create<kernel::PackFilterOp>(loc, empty.getType(),
                                                  adaptor.getFilter(), empty, 1)
                       .getResult(0);
    SmallVector<ReassociationIndices> panels = {{0}, {}, {rank}};
    for (int64_t i = 1; i < rank; ++i)
      panels[1].push_back(i);
    packed = b.create<tensor::CollapseShapeOp>(loc, packed, panels);
    auto kernel = b.create<kernel::MatmulOp>(
        loc, type, x, packed, /*depth=*/Value(), ValueRange(),
        emptyTensor(b, loc, type),
        /*transpose_a=*/false, /*shared=*/true, b.getArrayAttr({}),
        /*range=*/nullptr, multipliesBytes(op));
    buildEpilogue(b, loc, kernel.getEpilogue(), type.getElementType());
    b.replaceOp(op, kernel);
    return success();
  }

  /// Whether a vector has the results of so many groups that each alone would
  /// leave most of it empty.
  static bool hasSmallGroups(graph::ConvolutionOp op, RankedTensorType type,
                             int64_t inputs) {
    auto groups = static_cast<int64_t>(op.getGroups());
    kernel::Target target = kernel::Target::of(op);
    int64_t each = inputs / groups, lanes = target.lanes(type.getElementType());
    return groups > 1 && type.getShape().back() == inputs && !target.gpu &&
           isa<FloatType>(type.getElementType()) && each <= 4 &&
           lanes % each == 0 && lanes / each >= 4 && inputs > lanes / 2 &&
           op.getFilter().getType().getDimSize(type.getRank() - 3) <= 16;
  }

  static LogicalResult depthwise(graph::ConvolutionOp op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &b,
                                 RankedTensorType type) {
    Location loc = op.getLoc();
    int64_t rank = type.getRank();
    SmallVector<ReassociationIndices> flat;
    for (int64_t i = 0; i + 2 < rank; ++i)
      flat.push_back({i});
    flat.push_back({rank - 2, rank - 1});
    Value filter = adaptor.getFilter();
    if (op.getFilter().getType().getDimSize(rank - 2) == 1)
      filter = b.create<tensor::CollapseShapeOp>(loc, filter, flat);
    auto kernel = b.create<kernel::DepthwiseOp>(
        loc, type, adaptor.getX(), filter, ValueRange(),
        emptyTensor(b, loc, type), op.getStrides(), op.getPaddingLow(),
        op.getDilations(), b.getArrayAttr({}), /*rows=*/nullptr,
        multipliesBytes(op), /*schedule=*/nullptr);
    buildEpilogue(b, loc, kernel.getEpilogue(), type.getElementType());
    b.replaceOp(op, kernel);
    return success();
  }
};

} // namespace

void addContractionPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<MatmulToKernel, ConvolutionToKernel>(converter,
                                                    patterns.getContext(),
                                                    /*benefit=*/2);
}

} // namespace weir
