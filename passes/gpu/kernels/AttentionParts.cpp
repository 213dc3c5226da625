// Makes one result of what blocks that share the columns of an attention left.
//
// Of part i of a row's columns there are the maximum m_i of the scores, the sum
// l_i of the exponentials of their distances from it, and the sums o_i of these
// times v ("Flash-Decoding", Dao, Haziza, Massa and Sizov, 2023). With m the
// largest m_i and w_i = exp(m_i - m) the result is
//
//   sum(w_i o_i) / sum(w_i l_i),
//
// added up in the order of the parts, so that it is the same in each run.

#include "passes/gpu/kernels/AttentionPlan.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::gpu {

RowScale::RowScale(ThreadBuilder &b, const Attention &a, Value total) {
  Value one = b.create<arith::ConstantOp>(b.getF32FloatAttr(1));
  // Of scores that are all -inf the total is 0, as their exponentials are.
  Value divisor = total;
  if (a.isMasked)
    divisor = b.create<arith::SelectOp>(
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, total,
                                b.zero(b.getF32Type())),
        one, total);
  scale = b.create<arith::DivFOp>(one, divisor);
  if (a.isZeroOfNaN)
    isNumber = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, total,
                                       b.zero(b.getF32Type()));
}

Value RowScale::apply(ThreadBuilder &b, Value sum) const {
  Value scaled = b.create<arith::MulFOp>(sum, scale);
  return isNumber ? b.orZero(isNumber, scaled) : scaled;
}

AttentionParts::AttentionParts(ThreadBuilder &b, const Attention &a,
                               int64_t parts) {
  kernel::MatmulOp product = a.product;
  SmallVector<int64_t> shape = {parts};
  llvm::append_range(shape,
                     cast<MemRefType>(product.getOut().getType()).getShape());
  auto allocate = [&](ArrayRef<int64_t> shape) -> Value {
    return b.create<memref::AllocOp>(MemRefType::get(shape, b.getF32Type()));
  };
  sums = allocate(shape);
  shape.pop_back();
  largest = allocate(shape);
  totals = allocate(shape);
}

void AttentionParts::combine(ThreadBuilder &b, const Attention &a) const {
  kernel::MatmulOp product = a.product;
  constexpr int64_t most = 4; // 16 bytes
  auto type = cast<MemRefType>(product.getOut().getType());
  int64_t parts = cast<MemRefType>(sums.getType()).getDimSize(0);
  int64_t together = type.getShape().back() % most == 0 ? most : 1;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= together;
  auto number = [&](double value) -> Value {
    return b.create<arith::ConstantOp>(b.getF32FloatAttr(value));
  };
  Value none = number(-std::numeric_limits<double>::infinity());
  b.workItems(type.getNumElements() / together, [&](Value workItem) {
    SmallVector<Value> at = b.delinearize(workItem, shape);
    at.back() = b.times(at.back(), together);
    auto ofRow = [&](Value memory, Value part) {
      SmallVector<Value> position = {part};
      llvm::append_range(position, ArrayRef(at).drop_back());
      return b.load(memory, position);
    };
    Value bound = b.loop(parts, none, [&](Value part, ValueRange before) {
      return SmallVector<Value>{
          b.create<arith::MaxNumFOp>(before[0], ofRow(largest, part))};
    })[0];
    // Where all scores are -inf their distances from it are no numbers.
    Value base = b.create<arith::SelectOp>(
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, bound, none),
        number(0), bound);
    SmallVector<Value> start(1 + together, number(0));
    SmallVector<Value> added =
        b.loop(parts, start, [&](Value part, ValueRange before) {
          Value weight = b.create<math::ExpOp>(
              b.create<arith::SubFOp>(ofRow(largest, part), base));
          SmallVector<Value> after = {
              b.multiplyAdd(weight, ofRow(totals, part), before[0])};
          SmallVector<Value> position = {part};
          llvm::append_range(position, at);
          for (Value sum : before.drop_front()) {
            after.push_back(b.multiplyAdd(weight, b.load(sums, position), sum));
            position.back() = b.plus(position.back(), b.index(1));
          }
          return after;
        });
    RowScale scale(b, a, added[0]);
    SmallVector<Value> results;
    for (Value sum : ArrayRef(added).drop_front())
      results.push_back(scale.apply(b, sum));
    finishTogether(b, product, results, at);
  });
}

} // namespace weir::gpu
