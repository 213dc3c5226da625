// Lowers what family Linear solves by substitution: Cholesky's factor and
// triangular systems.

#include "passes/lower/linear/LinearShared.h"

#include "dialects/graph/Linear.h"

using namespace mlir;

namespace weir::lower {
namespace {

struct LowerCholesky : OpConversionPattern<graph::CholeskyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::CholeskyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = op.getType();
    int64_t batch = batchOf(type), n = type.getShape().back();
    Matrices m(rewriter, op.getLoc(), type.getElementType());
    Value x = m.copyBatched(adaptor.getX()), zero = m.index(0);
    Value l = m.loop(
        zero, m.index(batch), m.zeros({batch, n, n}),
        [&](Value at, Value l) -> Value {
          return m.loop(zero, m.index(n), l, [&](Value i, Value l) -> Value {
            // What is left of x[i, j] after the columns before j.
            auto rest = [&](Value l, Value j) {
              return m.loop(zero, j, m.get(x, {at, i, j}),
                            [&](Value k, Value sum) -> Value {
                              return m.sub(sum, m.mul(m.get(l, {at, i, k}),
                                                      m.get(l, {at, j, k})));
                            });
            };
            l = m.loop(zero, i, l, [&](Value j, Value l) -> Value {
              Value element = m.div(rest(l, j), m.get(l, {at, j, j}));
              return m.set(element, l, {at, i, j});
            });
            return m.set(m.sqrt(rest(l, i)), l, {at, i, i});
          });
        });
    rewriter.replaceOp(op, m.split(l, type));
    return success();
  }
};

struct LowerTriangularSolve : OpConversionPattern<graph::TriangularSolveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::TriangularSolveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    int64_t batch = batchOf(type), n = type.getShape().end()[-2],
            columns = type.getShape().back();
    bool adjoint = op.getAdjoint(), forward = op.getLower() != adjoint;
    Matrices m(rewriter, op.getLoc(), type.getElementType());
    Value a = m.copyBatched(adaptor.getA()), zero = m.index(0),
          last = m.index(n - 1), end = m.index(n);
    auto coefficient = [&](Value at, Value i, Value k) {
      return adjoint ? m.get(a, {at, k, i}) : m.get(a, {at, i, k});
    };
    // b becomes x, row by row, from the row that has one unknown.
    Value x = m.loop(
        zero, m.index(batch), m.copyBatched(adaptor.getB()),
        [&](Value at, Value x) -> Value {
          return m.loop(zero, end, x, [&](Value step, Value x) -> Value {
            Value i = forward ? step : m.subIndex(last, step);
            return m.loop(
                zero, m.index(columns), x, [&](Value j, Value x) -> Value {
                  Value known = m.loop(
                      forward ? zero : m.next(i), forward ? i : end,
                      m.get(x, {at, i, j}), [&](Value k, Value sum) -> Value {
                        return m.sub(sum, m.mul(coefficient(at, i, k),
                                                m.get(x, {at, k, j})));
                      });
                  if (!op.getUnit())
                    known = m.div(known, coefficient(at, i, i));
                  return m.set(known, x, {at, i, j});
                });
          });
        });
    rewriter.replaceOp(op, m.split(x, type));
    return success();
  }
};

} // namespace

void addLinearPatterns(const TypeConverter &converter,
                       RewritePatternSet &patterns) {
  patterns.add<LowerCholesky, LowerTriangularSolve>(converter,
                                                    patterns.getContext());
  addDecompositionPatterns(converter, patterns);
  addSvdPatterns(converter, patterns);
}

} // namespace weir::lower
