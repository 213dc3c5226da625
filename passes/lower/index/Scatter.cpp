// Lowers graph.scatter to loops that apply one update after another: the
// result does not depend on threads, and indices may repeat.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::lower {

SmallVector<Value>
sequentialLoops(OpBuilder &b, Location loc, ArrayRef<int64_t> sizes,
                ValueRange inits,
                function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                ValueRange, ValueRange)>
                    body) {
  Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
  Value one = b.create<arith::ConstantIndexOp>(loc, 1);
  SmallVector<Value> ends, begins(sizes.size(), zero), steps(sizes.size(), one);
  for (int64_t size : sizes)
    ends.push_back(b.create<arith::ConstantIndexOp>(loc, size));
  if (sizes.empty())
    return body(b, loc, {}, inits);
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, begins, ends, steps, inits,
      [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange carried) {
        SmallVector<Value> next = body(b, loc, indices, carried);
        return scf::ValueVector(next.begin(), next.end());
      });
  return SmallVector<Value>(nest.results);
}

namespace {

/// What becomes of `old` when `update` meets it. `type` tells the sign.
Value combine(OpBuilder &b, Location loc, graph::Combiner combiner, Type type,
              Value old, Value update) {
  bool isFloat = isa<FloatType>(type);
  // Booleans are ordered as unsigned integers.
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  switch (combiner) {
  case graph::Combiner::update:
    return update;
  case graph::Combiner::add:
    if (isFloat)
      return b.create<arith::AddFOp>(loc, old, update);
    return b.create<arith::AddIOp>(loc, old, update);
  case graph::Combiner::sub:
    if (isFloat)
      return b.create<arith::SubFOp>(loc, old, update);
    return b.create<arith::SubIOp>(loc, old, update);
  case graph::Combiner::mul:
    if (isFloat)
      return b.create<arith::MulFOp>(loc, old, update);
    return b.create<arith::MulIOp>(loc, old, update);
  case graph::Combiner::min:
    if (isFloat)
      return b.create<arith::MinimumFOp>(loc, old, update);
    if (isUnsigned)
      return b.create<arith::MinUIOp>(loc, old, update);
    return b.create<arith::MinSIOp>(loc, old, update);
  case graph::Combiner::max:
    if (isFloat)
      return b.create<arith::MaximumFOp>(loc, old, update);
    if (isUnsigned)
      return b.create<arith::MaxUIOp>(loc, old, update);
    return b.create<arith::MaxSIOp>(loc, old, update);
  }
  return update;
}

struct LowerScatter : OpConversionPattern<graph::ScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    if (type.getNumElements() == 0 ||
        op.getUpdates().getType().getNumElements() == 0) {
      rewriter.replaceOp(op, copyTensor(rewriter, loc, adaptor.getX()));
      return success();
    }
    ArrayRef<int64_t> indexShape = op.getIndices().getType().getShape();
    int64_t length = indexShape.back(), outer = indexShape.size() - 1;
    ArrayRef<int64_t> shape = type.getShape();
    // One loop for each dimension of the updates.
    Value copy = copyTensor(rewriter, loc, adaptor.getX());
    auto body = [&](OpBuilder &b, Location loc, ValueRange indices,
                    ValueRange carried) -> SmallVector<Value> {
      SmallVector<Value> at;
      Value inside = b.create<arith::ConstantIntOp>(loc, 1, 1);
      for (int64_t k = 0; k < length; ++k) {
        SmallVector<Value> vector(indices.take_front(outer));
        vector.push_back(b.create<arith::ConstantIndexOp>(loc, k));
        Value index =
            b.create<tensor::ExtractOp>(loc, adaptor.getIndices(), vector);
        at.push_back(clampIndex(b, loc, index, shape[k]));
        Value same = b.create<arith::IndexCastOp>(loc, b.getIndexType(), index);
        same = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, same,
                                       at.back());
        inside = b.create<arith::AndIOp>(loc, inside, same);
      }
      llvm::append_range(at, indices.drop_front(outer));
      Value update =
          b.create<tensor::ExtractOp>(loc, adaptor.getUpdates(), indices);
      Value old = b.create<tensor::ExtractOp>(loc, carried[0], at);
      Value next =
          combine(b, loc, op.getCombiner(), type.getElementType(), old, update);
      next = b.create<arith::SelectOp>(loc, inside, next, old);
      return {b.create<tensor::InsertOp>(loc, next, carried[0], at)};
    };
    rewriter.replaceOp(op, sequentialLoops(rewriter, loc,
                                           op.getUpdates().getType().getShape(),
                                           copy, body));
    return success();
  }
};

} // namespace

void addScatterPatterns(const TypeConverter &converter,
                        RewritePatternSet &patterns) {
  patterns.add<LowerScatter>(converter, patterns.getContext());
}

} // namespace weir::lower
