// An attention on buffers becomes two products and the loops of a softmax.

#include "dialects/kernel/attention/Attention.h"

#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::kernel {

FloatAttr Softmax::lowest() const {
  FloatType sum = type;
  const llvm::fltSemantics &format = sum.getFloatSemantics();
  return FloatAttr::get(sum, isMasked ? APFloat::getLargest(format, true)
                                      : APFloat::getInf(format, true));
}

Value Softmax::maximum(Value before, Value x) const {
  return b.create<arith::MaxNumFOp>(loc, before, x);
}

Value Softmax::power(Value x, Value largest) const {
  auto exp =
      b.create<math::ExpOp>(loc, b.create<arith::SubFOp>(loc, x, largest));
  attrs::nonpositive.set(exp);
  return exp;
}

Value Softmax::scale(Value sum, Value zero, Value one) const {
  if (isMasked) {
    Value isNone =
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, sum, zero);
    sum = b.create<arith::SelectOp>(loc, isNone, one, sum);
  }
  return b.create<arith::DivFOp>(loc, one, sum);
}

namespace {

class Expansion {
public:
  explicit Expansion(AttentionOp op)
      : op(op), b(op), loc(op.getLoc()), shape(op.scoreShape()),
        element(b.getMultiDimIdentityMap(shape.size())),
        row(element.dropResult(shape.size() - 1)),
        sum(cast<FloatType>(op.softmaxType())) {}

  ExpandedAttention run() {
    ExpandedAttention all;
    Value scores = allocate(shape, op.scoreType());
    Value largest = allocate(rows(), sum), total = allocate(rows(), sum);
    Value powers =
        sum == op.scoreType() ? scores : allocate(shape, op.softmaxType());
    Value weights =
        sum == op.weightType() ? powers : allocate(shape, op.weightType());
    if (weights != powers)
      all.buffers.push_back(weights);
    if (powers != scores)
      all.buffers.push_back(powers);
    all.buffers.append({total, scores, largest});

    Softmax softmax(b, loc, sum, op.getMasked());
    Value lowest = constant(softmax.lowest());
    zero = constant(b.getFloatAttr(sum, 0));
    one = constant(b.getFloatAttr(sum, 1));
    all.scores =
        product(op.getQ(), op.getK(), op.getDepth(), op.getScoreExtras(),
                scores, op.getTransposeQ(), op.getSharedK(), op.getScoreMaps(),
                op.getKLayout(), op.getScores());
    all.softmax = {fill(lowest, largest), maximum(softmax, scores, largest),
                   fill(zero, total),
                   power(softmax, scores, largest, powers, total),
                   weigh(softmax, powers, total, weights)};
    all.product = product(weights, op.getV(), op.getColumns(), op.getExtras(),
                          op.getOut(), /*isTransposed=*/false, op.getSharedV(),
                          op.getExtraMaps(), op.getVLayout(), op.getEpilogue());
    if (op.getFastmath() != arith::FastMathFlags::none)
      llvm::for_each(all.softmax, [&](linalg::LinalgOp op) { relax(op); });
    op.erase();
    return all;
  }

private:
  ArrayRef<int64_t> rows() const { return ArrayRef(shape).drop_back(); }

  /// A constant of the function, as canonicalization has them: each once, at
  /// the beginning.
  Value constant(TypedAttr value) {
    Block &body = op->getParentOfType<func::FuncOp>().getBody().front();
    for (auto other : body.getOps<arith::ConstantOp>())
      if (other.getValue() == value)
        return other;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body);
    return b.create<arith::ConstantOp>(loc, value);
  }

  Value allocate(ArrayRef<int64_t> shape, Type element) {
    return b.create<memref::AllocOp>(loc, MemRefType::get(shape, element),
                                     b.getI64IntegerAttr(64));
  }

  MatmulOp product(Value left, Value right, Value depth, ValueRange extras,
                   Value out, bool isTransposed, bool isShared, ArrayAttr maps,
                   LayoutAttr layout, Region &function) {
    auto made = b.create<MatmulOp>(loc, TypeRange(), left, right, depth, extras,
                                   out, isTransposed, isShared, maps,
                                   /*unsigned_a=*/false, layout);
    made.getEpilogue().takeBody(function);
    return made;
  }

  linalg::LinalgOp fill(Value number, Value buffer) {
    return b.create<linalg::FillOp>(loc, number, buffer);
  }

  linalg::LinalgOp loops(ValueRange inputs, ValueRange outputs,
                         ArrayRef<AffineMap> maps, bool reduces,
                         function_ref<SmallVector<Value>(ValueRange)> body) {
    SmallVector<utils::IteratorType> kinds(shape.size(),
                                           utils::IteratorType::parallel);
    if (reduces)
      kinds.back() = utils::IteratorType::reduction;
    return b.create<linalg::GenericOp>(
        loc, inputs, outputs, maps, kinds,
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(inner.getInsertionBlock(),
                              inner.getInsertionPoint());
          SmallVector<Value> results = body(args);
          b.create<linalg::YieldOp>(loc, results);
        });
  }

  Value widened(Value x) {
    return x.getType() == sum ? x : b.create<arith::ExtFOp>(loc, sum, x);
  }

  linalg::LinalgOp maximum(const Softmax &softmax, Value scores,
                           Value largest) {
    return loops(scores, largest, {element, row}, /*reduces=*/true,
                 [&](ValueRange args) -> SmallVector<Value> {
                   return {softmax.maximum(args[1], widened(args[0]))};
                 });
  }

  /// The exponentials are kept and added up at once.
  linalg::LinalgOp power(const Softmax &softmax, Value scores, Value largest,
                         Value powers, Value total) {
    return loops({scores, largest}, {powers, total},
                 {element, row, element, row}, /*reduces=*/true,
                 [&](ValueRange args) -> SmallVector<Value> {
                   Value y = softmax.power(widened(args[0]), args[1]);
                   return {y, b.create<arith::AddFOp>(loc, args[3], y)};
                 });
  }

  linalg::LinalgOp weigh(const Softmax &softmax, Value powers, Value total,
                         Value weights) {
    SmallVector<Value> inputs = {powers, total};
    llvm::append_range(inputs, op.getWeightExtras());
    SmallVector<AffineMap> maps = {element, row};
    llvm::append_range(maps,
                       op.getWeightMaps().getAsValueRange<AffineMapAttr>());
    maps.push_back(element);
    return loops(inputs, weights, maps, /*reduces=*/false,
                 [&](ValueRange args) -> SmallVector<Value> {
                   Value scale = softmax.scale(args[1], zero, one);
                   Block &function = op.getWeights().front();
                   IRMapping values;
                   values.map(function.getArgument(0),
                              b.create<arith::MulFOp>(loc, args[0], scale));
                   values.map(function.getArguments().drop_front(),
                              args.drop_front(2).drop_back());
                   for (Operation &inner : function.without_terminator())
                     b.clone(inner, values);
                   return {values.lookupOrDefault(
                       function.getTerminator()->getOperand(0))};
                 });
  }

  /// The flags of the op are of its softmax, beside those of each operation.
  void relax(linalg::LinalgOp loops) {
    loops->walk([&](arith::ArithFastMathInterface inner) {
      auto flags = inner.getFastMathFlagsAttr().getValue() | op.getFastmath();
      inner->setAttr(inner.getFastMathAttrName(),
                     arith::FastMathFlagsAttr::get(op.getContext(), flags));
    });
  }

  AttentionOp op;
  OpBuilder b;
  Location loc;
  SmallVector<int64_t> shape;
  AffineMap element, row;
  FloatType sum;
  Value zero, one;
};

} // namespace

ExpandedAttention expandAttention(AttentionOp op) {
  return Expansion(op).run();
}

} // namespace weir::kernel
