// Lowers products with weights of few bits to the kernel that unpacks them.

#include "passes/lower/packed/PackedProducts.h"

#include "passes/lower/NeuralShared.h"
#include "passes/lower/Patterns.h"

#include "dialects/graph/packed/Packed.h"
#include "dialects/kernel/Packed.h"

using namespace mlir;

namespace weir::lower {
namespace {

struct PackedMatmulToKernel : OpConversionPattern<graph::PackedMatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::PackedMatmulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto kernel = b.create<kernel::PackedMatmulOp>(
        loc, op.getType(), adaptor.getX(), adaptor.getWeights(), ValueRange(),
        emptyTensor(b, loc, op.getType()), op.getBitsAttr(), op.getBlockAttr(),
        op.getScaleTypeAttr(), op.getZeroAttr(), op.getQuantizedAttr(),
        b.getArrayAttr({}));
    buildEpilogue(b, loc, kernel.getEpilogue(), b.getF32Type());
    b.replaceOp(op, kernel);
    return success();
  }
};

} // namespace

void addPackedPatterns(const TypeConverter &converter,
                       RewritePatternSet &patterns) {
  patterns.add<PackedMatmulToKernel>(converter, patterns.getContext());
}

} // namespace weir::lower
