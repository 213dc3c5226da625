// Lowers non-maximum suppression: one box after the other.

#include "passes/lower/linear/LinearShared.h"
#include "passes/lower/NeuralShared.h"

#include "dialects/graph/Neural.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir {
namespace {

struct LowerSuppress : OpConversionPattern<graph::SuppressOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::SuppressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Matrices m(rewriter, loc, rewriter.getF32Type());
    auto type = cast<RankedTensorType>(op.getCandidates().getType());
    Type i32 = rewriter.getI32Type();
    Value zero = m.index(0), end = m.index(type.getDimSize(0));
    Value none = m.b.create<arith::ConstantOp>(m.b.getI32IntegerAttr(0));
    Value lowest = m.get(adaptor.getLowestScore(), {});
    // Taken boxes are below any other.
    Value out = m.number(-std::numeric_limits<double>::infinity());

    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(1));
    Value scores =
        rewriter
            .create<linalg::GenericOp>(
                loc, type, adaptor.getCandidates(),
                emptyTensor(rewriter, loc, type), maps, parallelLoops(1),
                [](OpBuilder &b, Location loc, ValueRange args) {
                  b.create<linalg::YieldOp>(loc, args[0]);
                })
            .getResult(0);
    Value indices =
        filledTensor(rewriter, loc, op.getIndices().getType(), none);
    Value taken =
        filledTensor(rewriter, loc, op.getScores().getType(), m.number(0));

    Matrices::State result =
        m.loop(zero, m.index(static_cast<int64_t>(op.getLimit())),
               {scores, indices, taken, none},
               [&](Value at, ValueRange state) -> Matrices::State {
                 Value scores = state[0];
                 Matrices::State best =
                     m.loop(zero, end, {out, zero},
                            [&](Value i, ValueRange best) -> Matrices::State {
                              Value score = m.get(scores, i);
                              Value better = m.above(score, best[0]);
                              return {m.select(better, score, best[0]),
                                      m.select(better, i, best[1])};
                            });
                 Value found = m.above(best[0], lowest), i = best[1];
                 Value number = m.b.create<arith::IndexCastOp>(i32, i);
                 Value place = m.select(found, number, none);
                 Value score = m.select(found, best[0], m.number(0));
                 Value one = m.b.create<arith::ExtUIOp>(i32, found);
                 Value count = m.b.create<arith::AddIOp>(state[3], one);
                 scores =
                     m.loop(zero, end, scores, [&](Value k, Value s) -> Value {
                       Value left = remaining(m, adaptor, i, k, m.get(s, k));
                       Value own = m.same(i, k);
                       return m.set(m.select(own, out, left), s, k);
                     });
                 return {scores, m.set(place, state[1], at),
                         m.set(score, state[2], at), count};
               });
    Value count = m.b.create<tensor::FromElementsOp>(
        cast<RankedTensorType>(op.getCount().getType()), result[3]);
    rewriter.replaceOp(op, {result[1], result[2], count});
    return success();
  }

  /// What box i, which is taken, leaves of the score of box k.
  static Value remaining(Matrices &m, OpAdaptor adaptor, Value i, Value k,
                         Value score) {
    Value nothing = m.number(0);
    auto corner = [&](Value box, int64_t side, bool far) -> Value {
      Value a = m.get(adaptor.getBoxes(), {box, m.index(side)});
      Value b = m.get(adaptor.getBoxes(), {box, m.index(side + 2)});
      return far ? Value(m.b.create<arith::MaximumFOp>(a, b))
                 : Value(m.b.create<arith::MinimumFOp>(a, b));
    };
    Value common, own, other;
    for (int64_t side : {0, 1}) {
      Value begin = m.b.create<arith::MaximumFOp>(corner(i, side, false),
                                                  corner(k, side, false));
      Value end = m.b.create<arith::MinimumFOp>(corner(i, side, true),
                                                corner(k, side, true));
      Value length = m.b.create<arith::MaximumFOp>(m.sub(end, begin), nothing);
      Value first = m.sub(corner(i, side, true), corner(i, side, false));
      Value second = m.sub(corner(k, side, true), corner(k, side, false));
      common = common ? m.mul(common, length) : length;
      own = own ? m.mul(own, first) : first;
      other = other ? m.mul(other, second) : second;
    }
    Value solid = m.b.create<arith::AndIOp>(m.above(own, nothing),
                                            m.above(other, nothing));
    Value part = m.div(common, m.sub(m.add(own, other), common));
    Value overlap = m.select(solid, part, nothing);

    Value softness = m.get(adaptor.getSoftness(), {});
    Value soft = m.above(softness, nothing);
    Value power =
        m.div(m.mul(m.number(-0.5), m.mul(overlap, overlap)), softness);
    Value weaker = m.mul(score, m.b.create<math::ExpOp>(power));
    Value out = m.number(-std::numeric_limits<double>::infinity());
    Value hidden = m.above(overlap, m.get(adaptor.getOverlap(), {}));
    return m.select(soft, weaker, m.select(hidden, out, score));
  }
};

} // namespace

void addSuppressPatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns) {
  patterns.add<LowerSuppress>(converter, patterns.getContext());
}

} // namespace weir
