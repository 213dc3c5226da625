// Lowers the factorizations of family Linear: LU with row exchanges, and QR.

#include "passes/lower/linear/LinearShared.h"

#include "dialects/graph/Linear.h"

using namespace mlir;

namespace weir::lower {
namespace {

struct LowerLu : OpConversionPattern<graph::LuOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::LuOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getFactors().getType());
    int64_t batch = batchOf(type), n = type.getShape().back();
    Matrices m(rewriter, op.getLoc(), type.getElementType());
    Type i32 = rewriter.getI32Type();
    Value zero = m.index(0), end = m.index(n);
    Value rows = generateTensor(
        rewriter, op.getLoc(), RankedTensorType::get({batch, n}, i32),
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          return b.create<arith::IndexCastOp>(loc, i32, at[1]);
        });
    Value one = m.number(1);
    Value signs = filledTensor(rewriter, op.getLoc(),
                               RankedTensorType::get({batch}, m.type), one);

    Matrices::State result = m.loop(
        zero, m.index(batch), {m.copyBatched(adaptor.getX()), rows, signs},
        [&](Value at, ValueRange state) -> Matrices::State {
          return m.loop(zero, end, state, [&](Value k, ValueRange state) {
            return eliminate(m, at, k, end, state);
          });
        });
    rewriter.replaceOp(op, {m.split(result[0], type),
                            m.split(result[1], op.getPermutation().getType()),
                            m.split(result[2], op.getSign().getType())});
    return success();
  }

  /// Column `k`: brings the largest element to the diagonal, then clears what
  /// is below. `state` is the matrix, its rows' places, and its sign.
  static Matrices::State eliminate(Matrices &m, Value at, Value k, Value end,
                                   ValueRange state) {
    Value a = state[0], rows = state[1], signs = state[2], zero = m.index(0);
    Matrices::State pivot =
        m.loop(m.next(k), end, {m.abs(m.get(a, {at, k, k})), k},
               [&](Value i, ValueRange best) -> Matrices::State {
                 Value size = m.abs(m.get(a, {at, i, k}));
                 Value larger = m.above(size, best[0]);
                 return {m.select(larger, size, best[0]),
                         m.select(larger, i, best[1])};
               });
    Value p = pivot[1];
    a = m.loop(zero, end, a, [&](Value j, Value a) -> Value {
      Value upper = m.get(a, {at, k, j}), lower = m.get(a, {at, p, j});
      return m.set(upper, m.set(lower, a, {at, k, j}), {at, p, j});
    });
    Value upper = m.get(rows, {at, k}), lower = m.get(rows, {at, p});
    rows = m.set(upper, m.set(lower, rows, {at, k}), {at, p});
    Value sign = m.get(signs, at);
    signs = m.set(m.select(m.same(p, k), sign, m.neg(sign)), signs, at);

    Value diagonal = m.get(a, {at, k, k});
    Value usable = m.above(m.abs(diagonal), m.number(0));
    a = m.loop(m.next(k), end, a, [&](Value i, Value a) -> Value {
      Value head = m.get(a, {at, i, k});
      Value factor = m.select(usable, m.div(head, diagonal), head);
      Value left = m.set(factor, a, {at, i, k});
      return m.loop(m.next(k), end, left, [&](Value j, Value a) -> Value {
        Value element =
            m.sub(m.get(a, {at, i, j}), m.mul(factor, m.get(a, {at, k, j})));
        return m.set(element, a, {at, i, j});
      });
    });
    return {a, rows, signs};
  }
};

struct LowerQr : OpConversionPattern<graph::QrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::QrOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(adaptor.getX().getType());
    int64_t batch = batchOf(type), rows = type.getShape().end()[-2],
            columns = type.getShape().back();
    Matrices m(rewriter, op.getLoc(), type.getElementType());
    Value zero = m.index(0), ends = m.index(rows);
    Matrices::State result = m.loop(
        zero, m.index(batch),
        {m.identity(batch, rows), m.copyBatched(adaptor.getX()),
         m.zeros({rows})},
        [&](Value at, ValueRange state) -> Matrices::State {
          Value across = m.index(columns);
          Value size = m.largest(state[1], at, ends, across);
          Value divided =
              m.eachElement(state[1], at, ends, across,
                            [&](Value x) { return m.div(x, size); });
          Matrices::State turned = m.loop(
              zero, m.index(std::min(rows, columns)),
              {state[0], divided, state[2]}, [&](Value k, ValueRange state) {
                return reflect(m, at, k, ends, across, state);
              });
          turned[1] = m.eachElement(turned[1], at, ends, across,
                                    [&](Value x) { return m.mul(x, size); });
          return turned;
        });

    auto q = cast<RankedTensorType>(op.getQ().getType());
    auto r = cast<RankedTensorType>(op.getR().getType());
    int64_t inner = q.getShape().back();
    rewriter.replaceOp(
        op, {m.split(corner(m, result[0], {batch, rows, inner}, false), q),
             m.split(corner(m, result[1], {batch, inner, columns}, true), r)});
    return success();
  }

  /// The first rows and columns of `x`; zeros below the diagonal of `upper`.
  static Value corner(Matrices &m, Value x, ArrayRef<int64_t> shape,
                      bool upper) {
    Type type = m.type;
    return generateTensor(
        m.b, m.b.getLoc(), RankedTensorType::get(shape, type),
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          Value element = b.create<tensor::ExtractOp>(loc, x, at);
          if (!upper)
            return element;
          Value zero =
              b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, 0));
          Value below = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt,
                                                at[1], at[2]);
          return b.create<arith::SelectOp>(loc, below, zero, element);
        });
  }

  /// Reflects column `k` onto the diagonal. `state` is Q, R, and a vector.
  static Matrices::State reflect(Matrices &m, Value at, Value k, Value rows,
                                 Value columns, ValueRange state) {
    Value q = state[0], r = state[1], v = state[2];
    Value below = m.next(k), nothing = m.number(0), one = m.number(1);
    Value tail = m.loop(below, rows, nothing, [&](Value i, Value sum) -> Value {
      Value element = m.get(r, {at, i, k});
      return m.add(sum, m.mul(element, element));
    });
    // v = 1, then the tail over (head - length); length has the sign that
    // avoids cancellation. Without a tail there is nothing to reflect.
    Value head = m.get(r, {at, k, k});
    Value norm = m.sqrt(m.add(m.mul(head, head), tail));
    Value length = m.select(m.above(nothing, head), norm, m.neg(norm));
    Value needed = m.above(tail, nothing);
    Value scale = m.select(needed, m.div(one, m.sub(head, length)), nothing);
    Value tau = m.select(needed, m.div(m.sub(length, head), length), nothing);
    v = m.set(one, v, k);
    v = m.loop(below, rows, v, [&](Value i, Value v) -> Value {
      return m.set(m.mul(m.get(r, {at, i, k}), scale), v, i);
    });
    // R loses tau * v * (v . column) from each column, Q the same from rows.
    r = m.loop(k, columns, r, [&](Value j, Value r) -> Value {
      Value dot = m.loop(k, rows, nothing, [&](Value i, Value sum) -> Value {
        return m.add(sum, m.mul(m.get(v, i), m.get(r, {at, i, j})));
      });
      Value share = m.mul(tau, dot);
      return m.loop(k, rows, r, [&](Value i, Value r) -> Value {
        Value element = m.sub(m.get(r, {at, i, j}), m.mul(share, m.get(v, i)));
        return m.set(element, r, {at, i, j});
      });
    });
    q = m.loop(m.index(0), rows, q, [&](Value i, Value q) -> Value {
      Value dot = m.loop(k, rows, nothing, [&](Value j, Value sum) -> Value {
        return m.add(sum, m.mul(m.get(v, j), m.get(q, {at, i, j})));
      });
      Value share = m.mul(tau, dot);
      return m.loop(k, rows, q, [&](Value j, Value q) -> Value {
        Value element = m.sub(m.get(q, {at, i, j}), m.mul(share, m.get(v, j)));
        return m.set(element, q, {at, i, j});
      });
    });
    return {q, r, v};
  }
};

} // namespace

void addDecompositionPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<LowerLu, LowerQr>(converter, patterns.getContext());
}

} // namespace weir::lower
