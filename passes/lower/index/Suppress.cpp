// Lowers non-maximum suppression: the best box is taken, and one pass over
// those that are left drops what it hides and finds the next. Boxes that do not
// count cost one look each.

#include "passes/lower/NeuralShared.h"
#include "passes/lower/linear/LinearShared.h"

#include "dialects/graph/Neural.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir {
namespace {

/// The boxes still in the running, in order: their numbers, their scores and
/// how many they are; the best score, and which of them has it.
struct Running {
  Value boxes, scores, count, best, bestAt;

  explicit Running(ValueRange state)
      : boxes(state[0]), scores(state[1]), count(state[2]), best(state[3]),
        bestAt(state[4]) {}
  Running(Matrices &m, Value boxes, Value scores)
      : boxes(boxes), scores(scores), count(m.index(0)),
        best(m.number(-std::numeric_limits<double>::infinity())),
        bestAt(m.index(0)) {}

  Matrices::State state() const { return {boxes, scores, count, best, bestAt}; }

  /// Puts a box behind the others; its score must be above the lowest. What
  /// stands there is written over, so that a box that does not stay is too.
  void append(Matrices &m, Value box, Value score, Value lowest) {
    boxes = m.set(box, boxes, count);
    scores = m.set(score, scores, count);
    Value stays = m.above(score, lowest);
    Value better = m.b.create<arith::AndIOp>(stays, m.above(score, best));
    best = m.select(better, score, best);
    bestAt = m.select(better, count, bestAt);
    count = m.select(stays, m.next(count), count);
  }
};

struct LowerSuppress : OpConversionPattern<graph::SuppressOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::SuppressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Matrices m(rewriter, loc, rewriter.getF32Type());
    int64_t size =
        cast<RankedTensorType>(op.getCandidates().getType()).getDimSize(0);
    Type i32 = rewriter.getI32Type();
    Value zero = m.index(0), lowest = m.get(adaptor.getLowestScore(), {});
    Value none = m.b.create<arith::ConstantOp>(m.b.getI32IntegerAttr(0));
    Value indices =
        filledTensor(rewriter, loc, op.getIndices().getType(), none);
    Value taken =
        filledTensor(rewriter, loc, op.getScores().getType(), m.number(0));
    Value count = none;
    if (size > 0) {
      Running all(m, m.empty({size}, i32), m.empty({size}, m.type));
      Running running(m.loop(
          zero, m.index(size), all.state(),
          [&](Value k, ValueRange state) -> Matrices::State {
            Running running(state);
            Value box = m.b.create<arith::IndexCastOp>(i32, k);
            running.append(m, box, m.get(adaptor.getCandidates(), k), lowest);
            return running.state();
          }));
      Value end = m.b.create<arith::IndexCastOp>(m.b.getIndexType(),
                                                 m.get(adaptor.getMost(), {}));
      end = m.b.create<arith::MaxSIOp>(end, zero);
      for (Value limit :
           {m.index(static_cast<int64_t>(op.getLimit())), running.count})
        end = m.b.create<arith::MinSIOp>(end, limit);
      Matrices::State init = running.state();
      llvm::append_values(init, indices, taken, none);
      Matrices::State last = m.loop(
          zero, end, init, [&](Value at, ValueRange state) -> Matrices::State {
            return takeBest(m, adaptor, lowest, at, state);
          });
      indices = last[5];
      taken = last[6];
      count = last[7];
    }
    Value result = m.b.create<tensor::FromElementsOp>(
        cast<RankedTensorType>(op.getCount().getType()), count);
    rewriter.replaceOp(op, {indices, taken, result});
    return success();
  }

private:
  /// Takes the best box to place `at`, if any is left. The state is that of the
  /// running, followed by what was taken, its scores and their number.
  static Matrices::State takeBest(Matrices &m, OpAdaptor adaptor, Value lowest,
                                  Value at, ValueRange state) {
    Running running(state);
    Value none = m.b.create<arith::ConstantOp>(m.b.getI32IntegerAttr(0));
    Value found = m.b.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                            running.count, m.index(0));
    Value best = m.get(running.boxes, running.bestAt);
    Value place = m.select(found, best, none);
    Value score = m.select(found, running.best, m.number(0));
    Value one = m.b.create<arith::ExtUIOp>(none.getType(), found);
    Value i = indexOf(m, best);
    Running begin(m, running.boxes, running.scores);
    Matrices::State next =
        m.loop(m.index(0), running.count, begin.state(),
               [&](Value k, ValueRange state) -> Matrices::State {
                 // What is appended lies before what is read next.
                 Running left(state);
                 Value box = m.get(left.boxes, k), out = begin.best;
                 Value score = remaining(m, adaptor, i, indexOf(m, box),
                                         m.get(left.scores, k));
                 score = m.select(m.same(i, indexOf(m, box)), out, score);
                 left.append(m, box, score, lowest);
                 return left.state();
               });
    llvm::append_values(next, m.set(place, state[5], at),
                        m.set(score, state[6], at),
                        m.b.create<arith::AddIOp>(state[7], one));
    return next;
  }

  static Value indexOf(Matrices &m, Value number) {
    return m.b.create<arith::IndexCastOp>(m.b.getIndexType(), number);
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
