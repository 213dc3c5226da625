// Lowers matrix products to the kernels that weir emits itself.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Neural.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir {
namespace {

// The right side is copied into panels where at least this many tiles of rows
// use the copy.
constexpr int64_t rowsWorthPacking = 28;

// An epilogue that stores the sum as an element of `element`.
void buildEpilogue(OpBuilder &b, Location loc, Region &region, Type element) {
  OpBuilder::InsertionGuard guard(b);
  Type sum = kernel::sumType(element);
  Block *block = b.createBlock(&region, {}, {sum}, {loc});
  Value value = block->getArgument(0);
  if (sum != element)
    value = b.create<arith::TruncFOp>(loc, element, value);
  b.create<kernel::YieldOp>(loc, value);
}

Value packed(OpBuilder &b, Location loc, Value right, bool transposed,
             const kernel::Target &target) {
  auto type = cast<RankedTensorType>(right.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t columns = shape[type.getRank() - (transposed ? 2 : 1)];
  int64_t depth = shape[type.getRank() - (transposed ? 1 : 2)];
  int64_t width = target.panelWidth(type.getElementType(), columns);
  shape.pop_back_n(2);
  shape.append({(columns + width - 1) / width, depth, width});
  Value empty = emptyTensor(b, loc, type.clone(shape));
  return b
      .create<kernel::PackOp>(loc, empty.getType(), right, empty, transposed)
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
    int64_t rows = type.getDimSize(type.getRank() - 2);
    int64_t depth =
        left.getDimSize(left.getRank() - (op.getTransposeA() ? 2 : 1));
    if (depth == 0) {
      Value zero = b.create<arith::ConstantOp>(
          loc, b.getZeroAttr(type.getElementType()));
      b.replaceOp(op, filledTensor(b, loc, type, zero));
      return success();
    }
    Value right = adaptor.getB();
    if (op.getTransposeB() || rows >= rowsWorthPacking)
      right = packed(b, loc, right, op.getTransposeB(), kernel::Target::of(op));
    auto kernel = b.create<kernel::MatmulOp>(
        loc, type, adaptor.getA(), right, ValueRange(),
        emptyTensor(b, loc, type), op.getTransposeA(), /*shared=*/false,
        b.getArrayAttr({}));
    buildEpilogue(b, loc, kernel.getEpilogue(), type.getElementType());
    b.replaceOp(op, kernel);
    return success();
  }
};

} // namespace

void addContractionPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<MatmulToKernel>(converter, patterns.getContext(),
                               /*benefit=*/2);
}

} // namespace weir
