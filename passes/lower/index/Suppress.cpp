// Lowers non-maximum suppression. Where scores stay what they are, the boxes
// are visited from the best one down, and each is compared with those that were
// taken. Where they fall, the best box is taken, and one pass over those that
// are left weakens them and finds the next.

#include "passes/lower/NeuralShared.h"
#include "passes/lower/linear/LinearShared.h"

#include "dialects/graph/Neural.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::lower {
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

/// The best of scores and of pairs of them, up to the best of all: node i is
/// the better one of the nodes 2 i and 2 i + 1, of equal ones the first. To
/// find the next best costs one path and no pass over all scores.
struct Tournament {
  /// The numbers of the scores at the nodes, node 1 the best one's.
  Value nodes;
  Value scores;
  int64_t size, leaves;

  Tournament(int64_t size, Value nodes, Value scores)
      : nodes(nodes), scores(scores), size(size),
        leaves(llvm::PowerOf2Ceil(size)) {}

  /// Of the scores above the lowest.
  static Tournament of(Matrices &m, Value candidates, int64_t size,
                       Value lowest) {
    Type i32 = m.b.getI32Type();
    Tournament all(size, {}, {});
    Value leaves = m.index(all.leaves);
    Value out = m.number(-std::numeric_limits<double>::infinity());
    auto fill = [&](Value k, ValueRange state, Value score) -> Matrices::State {
      Value number = m.b.create<arith::IndexCastOp>(i32, k);
      return {m.set(number, state[0], m.addIndex(leaves, k)),
              m.set(score, state[1], k)};
    };
    auto state = m.loop(
        m.index(0), m.index(size),
        {m.empty({2 * all.leaves}, i32), m.empty({all.leaves}, m.type)},
        [&](Value k, ValueRange state) {
          Value score = m.get(candidates, k);
          return fill(k, state, m.select(m.above(score, lowest), score, out));
        });
    state =
        m.loop(m.index(size), leaves, state,
               [&](Value k, ValueRange state) { return fill(k, state, out); });
    all.scores = state[1];
    all.nodes = m.loop(m.index(1), leaves, state[0],
                       [&](Value i, Value nodes) -> Value {
                         Tournament some(size, nodes, all.scores);
                         some.play(m, m.subIndex(leaves, i));
                         return some.nodes;
                       });
    return all;
  }

  Value at(Matrices &m, Value node) const {
    Value number = m.get(nodes, node);
    return m.b.create<arith::IndexCastOp>(m.b.getIndexType(), number);
  }

  /// Finds the better one of a node's two.
  void play(Matrices &m, Value node) {
    Value first = m.addIndex(node, node), second = m.next(first);
    Value better =
        m.above(m.get(scores, at(m, second)), m.get(scores, at(m, first)));
    nodes = m.set(m.select(better, m.get(nodes, second), m.get(nodes, first)),
                  nodes, node);
  }

  /// Takes the best one out, where it is to be.
  void drop(Matrices &m, Value isDropped) {
    Value best = at(m, m.index(1)), score = m.get(scores, best);
    Value out = m.number(-std::numeric_limits<double>::infinity());
    scores = m.set(m.select(isDropped, out, score), scores, best);
    Value steps =
        m.select(isDropped, m.index(llvm::Log2_64(leaves)), m.index(0));
    auto state =
        m.loop(m.index(0), steps, {nodes, m.addIndex(m.index(leaves), best)},
               [&](Value, ValueRange state) -> Matrices::State {
                 Value above = m.b.create<arith::ShRUIOp>(state[1], m.index(1));
                 Tournament some(size, state[0], scores);
                 some.play(m, above);
                 return {some.nodes, above};
               });
    nodes = state[0];
  }
};

/// Whether scores stay what they are until their box is hidden.
bool isHard(graph::SuppressOp op) {
  DenseElementsAttr softness;
  return matchPattern(op.getSoftness(), m_Constant(&softness)) &&
         !(softness.getSplatValue<APFloat>().convertToFloat() > 0);
}

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
    if (size > 0 && op.getLimit() > 0 && isHard(op)) {
      Matrices::State last = takeHard(m, op, adaptor, {indices, taken});
      indices = last[0];
      taken = last[1];
      count = m.b.create<arith::IndexCastOp>(i32, last[2]);
    } else if (size > 0) {
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
  /// Takes boxes from the best one down that none of those before hides. Gives
  /// what was taken, its scores and their number.
  static Matrices::State takeHard(Matrices &m, graph::SuppressOp op,
                                  OpAdaptor adaptor, ValueRange taken) {
    int64_t size =
        cast<RankedTensorType>(op.getCandidates().getType()).getDimSize(0);
    Value zero = m.index(0),
          limit = m.index(static_cast<int64_t>(op.getLimit()));
    Value end = m.b.create<arith::IndexCastOp>(m.b.getIndexType(),
                                               m.get(adaptor.getMost(), {}));
    end = m.b.create<arith::MaxSIOp>(end, zero);
    end = m.b.create<arith::MinSIOp>(end, limit);
    Value overlap = m.get(adaptor.getOverlap(), {});
    Value out = m.number(-std::numeric_limits<double>::infinity());
    Tournament all = Tournament::of(m, adaptor.getCandidates(), size,
                                    m.get(adaptor.getLowestScore(), {}));
    Matrices::State last = m.loop(
        zero, m.index(size), {taken[0], taken[1], zero, all.nodes, all.scores},
        [&](Value, ValueRange state) -> Matrices::State {
          Tournament left(size, state[3], state[4]);
          Value number = state[2], best = left.at(m, m.index(1));
          Value score = m.get(left.scores, best);
          Value open =
              m.b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, number, end);
          open = m.b.create<arith::AndIOp>(open, m.above(score, out));
          Value no = m.b.create<arith::ConstantOp>(m.b.getBoolAttr(false));
          Value hidden = m.loop(
              zero, m.select(open, number, zero), no,
              [&](Value t, Value hidden) -> Value {
                Value i = indexOf(m, m.get(state[0], t));
                return m.b.create<arith::OrIOp>(
                    hidden, m.above(overlapOf(m, adaptor, i, best), overlap));
              });
          Value takes = m.select(hidden, no, open);
          // What is not taken is written as it was.
          Value position =
              m.b.create<arith::MinSIOp>(number, m.subIndex(limit, m.index(1)));
          Value box = m.b.create<arith::IndexCastOp>(m.b.getI32Type(), best);
          Value boxes = m.set(m.select(takes, box, m.get(state[0], position)),
                              state[0], position);
          Value scores =
              m.set(m.select(takes, score, m.get(state[1], position)), state[1],
                    position);
          left.drop(m, open);
          return {boxes, scores, m.select(takes, m.next(number), number),
                  left.nodes, left.scores};
        });
    return {last[0], last[1], last[2]};
  }

  /// Takes the best box to place `at`, if any is left. The state is that of the
  /// running, followed by what was taken, its scores and their number.
  static Matrices::State takeBest(Matrices &m, OpAdaptor adaptor, Value lowest,
                                  Value at, ValueRange state) {
    Running running(state);
    Value none = m.b.create<arith::ConstantOp>(m.b.getI32IntegerAttr(0));
    Value found = m.b.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                            running.count, m.index(0));
    Value best = m.get(running.boxes, running.bestAt);
    Value position = m.select(found, best, none);
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
    llvm::append_values(next, m.set(position, state[5], at),
                        m.set(score, state[6], at),
                        m.b.create<arith::AddIOp>(state[7], one));
    return next;
  }

  static Value indexOf(Matrices &m, Value number) {
    return m.b.create<arith::IndexCastOp>(m.b.getIndexType(), number);
  }

  /// The common part of two boxes, of what both cover.
  static Value overlapOf(Matrices &m, OpAdaptor adaptor, Value i, Value k) {
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
    return m.select(solid, part, nothing);
  }

  /// What box i, which is taken, leaves of the score of box k.
  static Value remaining(Matrices &m, OpAdaptor adaptor, Value i, Value k,
                         Value score) {
    Value overlap = overlapOf(m, adaptor, i, k);
    Value softness = m.get(adaptor.getSoftness(), {});
    Value soft = m.above(softness, m.number(0));
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

} // namespace weir::lower
