// Lowers matrix products and convolutions to the kernels that weir emits
// itself.

#include "passes/lower/ConvolutionCost.h"
#include "passes/lower/NeuralShared.h"
#include "passes/lower/Patterns.h"

#include "dialects/graph/Neural.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::lower {
namespace {

/// Whether weir-pack-weights transforms the filter.
bool isConstant(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  // A block whose signature is being converted has no parent.
  auto kernel =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel && attrs::constant.ofArgument(kernel, argument.getArgNumber());
}

/// Whether unsigned bytes are multiplied by signed ones.
bool multipliesBytes(Operation *op) {
  return isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))) &&
         getElementTypeOrSelf(op->getOperand(0)) !=
             getElementTypeOrSelf(op->getOperand(1));
}

/// Weights in a layout that weir-choose-layouts replaces.
template <typename Pack, typename... More>
Value packed(OpBuilder &b, Location loc, Value weights, Type type,
             kernel::LayoutAttr layout, More... more) {
  Value empty = emptyTensor(b, loc, type);
  return b.create<Pack>(loc, type, weights, empty, layout, more...)
      .getResult(0);
}

struct MatmulToKernel : OpConversionPattern<graph::MatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::MatmulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(
        typeConverter->convertType(op.getResult().getType()));
    auto left = cast<RankedTensorType>(adaptor.getA().getType());
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
    auto layout = kernel::LayoutAttr::plain(op.getContext());
    auto plain = cast<RankedTensorType>(right.getType());
    SmallVector<int64_t> shape(plain.getShape());
    if (op.getTransposeB())
      std::swap(shape.end()[-1], shape.end()[-2]);
    right = packed<kernel::PackOp>(b, loc, right, plain.clone(shape), layout,
                                   op.getTransposeB());
    auto kernel = b.create<kernel::MatmulOp>(
        loc, type, x, right, adaptor.getDepth(), ValueRange(),
        emptyTensor(b, loc, type), op.getTransposeA(), /*shared=*/false,
        b.getArrayAttr({}), isUnsigned, layout);
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
    auto layout = kernel::LayoutAttr::plain(op.getContext());
    Value packed = lower::packed<kernel::PackFilterOp>(
        b, loc, adaptor.getFilter(), filter, layout, groups);
    auto kernel = b.create<kernel::ConvolutionOp>(
        loc, type, adaptor.getX(), packed, ValueRange(),
        emptyTensor(b, loc, type), op.getStrides(), op.getPaddingLow(),
        op.getDilations(), groups, b.getArrayAttr({}), isUnsigned, layout,
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

  /// The results of a tile of kernel.winograd; none where a direct sum takes
  /// less time.
  static SmallVector<int64_t> tilesOf(graph::ConvolutionOp op) {
    if (attrs::direct.isOn(op))
      return {};
    bool isKnown =
        isConstant(op.getFilter()) && !attrs::transformAtRun.isOn(op);
    return chooseConvolution(op, isKnown).tiles;
  }

  static LogicalResult winograd(graph::ConvolutionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b,
                                RankedTensorType type,
                                ArrayRef<int64_t> tiles) {
    Location loc = op.getLoc();
    auto filter = cast<RankedTensorType>(adaptor.getFilter().getType());
    ArrayRef<int64_t> windows = filter.getShape().take_front(2);
    auto window =
        kernel::WinogradTransform::of(tiles, windows, op.getStrides());
    int64_t columns = filter.getDimSize(3);
    auto layout = kernel::LayoutAttr::get(
        op.getContext(), kernel::LayoutKind::Winograd,
        {columns, tiles[0], tiles[1], op.getStrides()[0], op.getStrides()[1]});
    Value transformed = packed<kernel::TransformFilterOp>(
        b, loc, adaptor.getFilter(),
        filter.clone({1, window->products(), filter.getDimSize(2), columns}),
        layout, attrs::transformAtRun.isOn(op));
    auto kernel = b.create<kernel::WinogradOp>(
        loc, type, adaptor.getX(), transformed, ValueRange(),
        emptyTensor(b, loc, type), windows, op.getStrides(), op.getPaddingLow(),
        layout, op.getDilations(), b.getArrayAttr({}), /*schedule=*/nullptr);
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
        bool position = i > 0 && i + 1 < rank;
        sizes.push_back(b.getIndexAttr(wanted[i]));
        steps.push_back(b.getIndexAttr(position ? op.getStrides()[i - 1] : 1));
      }
      x = b.create<tensor::ExtractSliceOp>(loc, chosen, x, zeros, sizes, steps);
    }
    // Packed before its unit dimensions go, so that a constant is seen.
    auto layout = kernel::LayoutAttr::plain(op.getContext());
    Value packed = lower::packed<kernel::PackFilterOp>(
        b, loc, adaptor.getFilter(), filter, layout, /*groups=*/int64_t(1));
    SmallVector<ReassociationIndices> matrix = {{}, {rank - 1}};
    for (int64_t i = 0; i + 1 < rank; ++i)
      matrix[0].push_back(i);
    packed = b.create<tensor::CollapseShapeOp>(loc, packed, matrix);
    auto kernel = b.create<kernel::MatmulOp>(
        loc, type, x, packed, /*depth=*/Value(), ValueRange(),
        emptyTensor(b, loc, type),
        /*transpose_a=*/false, /*shared=*/true, b.getArrayAttr({}),
        multipliesBytes(op), layout);
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
        op.getDilations(), b.getArrayAttr({}), multipliesBytes(op),
        kernel::LayoutAttr::plain(op.getContext()), /*schedule=*/nullptr);
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

} // namespace weir::lower
