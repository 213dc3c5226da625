// An op with a scalar function becomes a linalg.generic of parallel loops.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::lower {
namespace {

struct LowerScalarOp : OpInterfaceConversionPattern<graph::ScalarOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(graph::ScalarOpInterface op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = typeConverter->convertType(op->getResult(0).getType());
    int64_t rank = cast<RankedTensorType>(type).getRank();
    Value init = emptyTensor(rewriter, loc, type);
    SmallVector<AffineMap> maps(operands.size() + 1,
                                rewriter.getMultiDimIdentityMap(rank));
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, operands, init, maps, parallelLoops(rank),
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value element = op.buildScalar(b, loc, args.drop_back());
          b.create<linalg::YieldOp>(loc, element);
        });
    return success();
  }
};

} // namespace

void addElementwisePatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<LowerScalarOp>(converter, patterns.getContext());
}

} // namespace weir::lower
