// Random numbers that are drawn again until one is accepted: in a loop over all
// places at once, each with a stretch of the generator of its own, so that they
// are TensorFlow's; and draws from given probabilities.

#include "compiler/import/tensorflow/random/Random.h"

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/build/Steps.h"
#include "compiler/import/rules/Joins.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/random/RandomNodes.h"
#include "compiler/import/tensorflow/random/Stateless.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Words of 32 bits that the generator keeps for each number, in its steps.
constexpr double stepsEach = 256;
/// No sensible parameter needs so many rounds.
constexpr int64_t maxRounds = 4096;

Expr both(Expr x, Expr y) { return apply<graph::LogicalAndOp>(x, y); }
Expr either(Expr x, Expr y) { return apply<graph::LogicalOrOp>(x, y); }
Expr negated(Expr x) { return apply<graph::LogicalNotOp>(x); }
Expr less(Expr x, Expr y) { return apply<graph::LessOp>(x, y); }
Expr atMost(Expr x, Expr y) { return apply<graph::LessEqualOp>(x, y); }

/// Runs `round` on the state, of which the first is whether each place is done,
/// until all are. What `round` is given besides is the number of the round.
SmallVector<Expr>
repeat(Node &node, ArrayRef<Expr> init,
       llvm::function_ref<SmallVector<Expr>(Expr, ArrayRef<Expr>)> round) {
  ImplicitLocOpBuilder &b = node.b;
  SmallVector<Expr> state{number(b, 0)};
  llvm::append_range(state, init);
  state = repeatWhile(
      b, state,
      [&](ArrayRef<Expr> given) {
        Expr done = given[1];
        Expr left(b, make<graph::ReduceOrOp>(
                         b, negated(done).value,
                         llvm::to_vector(llvm::seq<int64_t>(0, done.rank()))));
        return both(left, less(given[0], number(b, maxRounds)));
      },
      [&](ArrayRef<Expr> given) {
        SmallVector<Expr> next{given[0] + 1};
        llvm::append_range(next, round(given[0], given.drop_front()));
        return next;
      });
  return SmallVector<Expr>(ArrayRef(state).drop_front());
}

/// Which numbers are made at once: `count` of each parameter from `start` on,
/// of `exact` in all.
struct Stretch {
  Generator generator;
  int64_t count;
  Expr start, exact;
};

/// Where the generator begins for each place [count, parameters]: numbers of
/// one parameter lie side by side.
Expr begins(Node &node, const Stretch &stretch, int64_t parameters) {
  ImplicitLocOpBuilder &b = node.b;
  Type step = b.getIntegerType(64, /*isSigned=*/false);
  auto type = RankedTensorType::get({stretch.count, parameters}, step);
  Expr position(b, make<graph::IotaOp>(b, type, 0)),
      parameter(b, make<graph::IotaOp>(b, type, 1));
  return (parameter * cast(stretch.exact, step) +
          (position + cast(stretch.start, step))) *
         stepsEach;
}

/// Two numbers in [0, 1), in the order in which they are used: as floats come
/// from the generator, and are taken from the end.
std::pair<Expr, Expr> unitPair(const Generator &generator, Expr steps) {
  auto words = wordsAt(generator, steps);
  FloatType type = steps.b->getF64Type();
  return {unitFloats(joined(words[2], words[3], false), type),
          unitFloats(joined(words[0], words[1], false), type)};
}

/// Numbers of events at a rate. Below a rate of 10 as many as it takes until a
/// product of uniform numbers has fallen to exp(-rate); else by transformed
/// rejection (Hörmann, 1993). Two uniform numbers are used in each round.
Expr poissonNumbers(Node &node, const Stretch &stretch, Expr rate,
                    double greatest) {
  const Generator &generator = stretch.generator;
  Expr begin = begins(node, stretch, rate.size(0));
  SmallVector<int64_t> shape(begin.shape());
  rate = broadcast(rate, shape);
  Expr isLow = less(rate, rate.like(10)), floor = apply<graph::ExpOp>(-rate);
  Expr valid = apply<graph::IsFiniteOp>(rate);
  Expr one = broadcast(rate.like(1), shape), zero = one * 0.0;
  // Where the rate is none, what the loop passes by is not a number.
  Expr safe = select(both(valid, negated(isLow)), rate, rate.like(10));
  Expr logRate = apply<graph::LogOp>(safe);
  Expr b = apply<graph::SqrtOp>(safe) * 2.53 + 0.931;
  Expr a = b * 0.02483 - 0.059;
  Expr inverse = (b - 3.4).like(1.1328) / (b - 3.4) + 1.1239;
  Expr wholly = 0.9277 - b.like(3.6224) / (b - 2);
  Expr limit = rate.like(greatest);
  auto state = repeat(
      node, {negated(valid), one, zero, select(valid, zero, one * NAN)},
      [&](Expr round, ArrayRef<Expr> state) {
        Expr done = state[0], product = state[1], events = state[2];
        auto [u, v] =
            unitPair(generator, begin + cast(round, begin.elementType()));
        // Two steps of the product.
        Expr first = product * u, second = first * v;
        Expr stops = both(atMost(first, floor), atMost(events, limit));
        Expr more = events + 1;
        Expr stopsThen = both(atMost(second, floor), atMost(more, limit));
        Expr low = select(stops, events, more);
        // Or one try.
        Expr w = u - 0.5;
        Expr edge = 0.5 - apply<graph::AbsOp>(w);
        Expr k = apply<graph::FloorOp>((a * 2.0 / edge + b) * w + safe + 0.43);
        Expr inside = both(atMost(edge.like(0.07), edge), atMost(v, wholly));
        Expr hopeless =
            either(less(k, k.like(0)),
                   both(less(edge, edge.like(0.013)), less(edge, v)));
        Expr s = apply<graph::LogOp>(v * inverse / (a / (edge * edge) + b));
        Expr t = k * logRate - safe - apply<graph::LgammaOp>(k + 1);
        Expr accepted =
            both(atMost(k, limit),
                 either(inside, both(negated(hopeless), atMost(s, t))));
        Expr ends = either(both(isLow, either(stops, stopsThen)),
                           both(negated(isLow), accepted));
        Expr found = select(isLow, low, k);
        return SmallVector<Expr>{
            either(done, ends), second, more + 1,
            select(done, state[3], select(ends, found, state[3]))};
      });
  return state[3];
}

/// Numbers of a gamma distribution: for an alpha of 1 the exponential one, else
/// by rejection from cubes of normal numbers (Marsaglia and Tsang, 2000), with
/// an alpha below 1 raised by 1. Normal and uniform numbers are made in pairs,
/// of which the second waits until one is wanted.
Expr gammaNumbers(Node &node, const Stretch &stretch, Expr alpha) {
  const Generator &generator = stretch.generator;
  Expr begin = begins(node, stretch, alpha.size(0));
  Type stepType = begin.elementType();
  SmallVector<int64_t> shape(begin.shape());
  alpha = broadcast(alpha, shape);
  Expr one = alpha.like(1), zeros = broadcast(alpha.like(0), shape);
  Expr isOne = apply<graph::EqualOp>(alpha, broadcast(one, shape)),
       isBelow = less(alpha, one);
  Expr d = alpha + select(isBelow, one * (2.0 / 3), one * (-1.0 / 3));
  Expr c = one / 3.0 / apply<graph::SqrtOp>(d);
  Expr valid =
      both(apply<graph::IsFiniteOp>(alpha), less(alpha.like(0), alpha));
  Expr no(node.b, splat(node.b, typeOf(valid.value), 0));
  Expr none = broadcast(alpha.like(NAN), shape);
  // Done, the result, the next step, and the numbers that wait.
  auto state = repeat(
      node,
      {negated(valid), select(valid, zeros, none), begin, no, zeros, no, zeros},
      [&](Expr, ArrayRef<Expr> state) {
        Expr done = state[0], step = state[2], hasNormal = state[3],
             hasUnit = state[5];
        auto moved = [&](Expr by) { step = step + cast(by, stepType); };
        auto [u, v] = unitPair(generator, step);
        // The order of a pair is that of the generator, but for who is first.
        auto [later, first] = normals(v, u);
        Expr x = select(hasNormal, state[4], first);
        Expr nextNormal = select(hasNormal, state[4], later);
        moved(both(negated(hasNormal), negated(isOne)));
        Expr cube = c * x + 1;
        Expr tries = either(isOne, less(cube.like(0), cube));
        cube = cube * cube * cube;
        auto [w, nextUnit] = unitPair(generator, step);
        Expr unit = select(hasUnit, state[6], w);
        nextUnit = select(hasUnit, state[6], nextUnit);
        moved(both(tries, negated(hasUnit)));
        // The other is left where one of a pair has been used.
        Expr left = apply<graph::LogicalXorOp>(hasUnit, tries);
        Expr square = x * x;
        Expr certain = less(unit, 1 - square * square * 0.0331);
        Expr bound = square * 0.5 + d * (1 - cube + apply<graph::LogOp>(cube));
        Expr ends =
            both(tries,
                 either(isOne, either(certain,
                                      less(apply<graph::LogOp>(unit), bound))));
        auto [z, unused] = unitPair(generator, step);
        Expr raised =
            apply<graph::PowOp>(select(left, nextUnit, z), one / alpha);
        Expr found = d * cube * select(isBelow, raised, one);
        found = select(isOne, -apply<graph::Log1pOp>(-unit), found);
        return SmallVector<Expr>{
            either(done, ends),
            select(both(negated(done), ends), found, state[1]),
            step,
            negated(hasNormal),
            nextNormal,
            left,
            nextUnit};
      });
  return state[1];
}

using Numbers = llvm::function_ref<Expr(const Stretch &, Expr parameters)>;

/// Where only the run knows how many there are, so many at a time, so that room
/// for more costs nothing.
constexpr int64_t togetherMost = 4096;

Expr inStretches(Node &node, Type type, int64_t count, Expr exact, Expr row,
                 Numbers numbers) {
  ImplicitLocOpBuilder &b = node.b;
  int64_t width = row.size(0),
          rows = std::max<int64_t>(togetherMost / width, 1);
  Expr zero = number(b, 0);
  // Made out here: what counts the steps of training stands before all loops.
  Generator generator = generatorOf(node);
  if (knownNumber(exact.value) || rows >= count)
    return cast(numbers({generator, count, zero, exact}, row), type);
  int64_t room = llvm::alignTo(count, rows);
  Expr position = filled(node, {room, width}, type, 0);
  auto state = repeatWhile(
      b, {zero, position},
      [&](ArrayRef<Expr> given) { return less(given[0], exact); },
      [&](ArrayRef<Expr> given) {
        Expr some =
            cast(numbers({generator, rows, given[0], exact}, row), type);
        Value all = make<graph::DynamicUpdateSliceOp>(
            b, given[1].value, some.value,
            ValueRange{given[0].value, zero.value});
        return SmallVector<Expr>{given[0] + static_cast<double>(rows),
                                 Expr(b, all)};
      });
  return slice(state[1], 0, 0, count);
}

/// The parameters, operand 1, of each of which there are as many numbers as the
/// shape says.
LogicalResult giveSamples(Node &node, Type type, Numbers numbers) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr parameters = operand(node, 1);
  int64_t all = parameters.type().getNumElements();
  if (!type || !type.isIntOrFloat() || type.isInteger(1) ||
      parameters.elementType().isInteger(1))
    return node.unsupported("its element type");
  Expr row = cast(reshape(parameters, {all}), node.b.getF64Type());
  return giveShaped(node, [&](int64_t count, Expr exact) {
    SmallVector<int64_t> shape{count};
    llvm::append_range(shape, parameters.shape());
    if (!graph::countElements(shape))
      return Expr();
    if (count == 0 || all == 0)
      return filled(node, shape, type, 0);
    return reshape(inStretches(node, type, count, exact, row, numbers), shape);
  });
}

LogicalResult importPoisson(Node &node) {
  Type type = typeAttrOr(node, "dtype", node.b.getI64Type());
  double greatest = HUGE_VAL;
  if (auto number = dyn_cast<FloatType>(type)) {
    APFloat most = APFloat::getLargest(number.getFloatSemantics());
    bool loses;
    most.convert(APFloat::IEEEdouble(), APFloat::rmTowardZero, &loses);
    greatest = most.convertToDouble();
  } else if (type.isIntOrFloat()) {
    greatest = std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1) - 1;
  }
  return giveSamples(node, type, [&](const Stretch &stretch, Expr rate) {
    return poissonNumbers(node, stretch, rate, greatest);
  });
}

LogicalResult importGamma(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  return giveSamples(node, node.type(1).getElementType(),
                     [&](const Stretch &stretch, Expr alpha) {
                       return gammaNumbers(node, stretch, alpha);
                     });
}

/// Of each row of logarithms of probabilities, as many classes as operand 1
/// says: where a uniform number lies among the sums of the probabilities.
LogicalResult giveChoices(Node &node, const Generator &generator) {
  ImplicitLocOpBuilder &b = node.b;
  Expr logits = operand(node, 0);
  auto count = listedScalars(node, 1);
  if (failed(count))
    return failure();
  if (logits.rank() != 2 || logits.size(1) == 0 || count->size() != 1 ||
      !isa<FloatType>(logits.elementType()))
    return node.error() << "cannot choose " << node.type(1) << " from "
                        << logits.type();
  if (node.traced(0).isBounded())
    return node.unsupported("classes of a number known only at run time");
  int64_t rows = logits.size(0);
  auto sizes = sizesFrom(node, {number(b, rows).value, count->front()});
  if (failed(sizes))
    return failure();
  FloatType type = b.getF64Type();
  Expr x = cast(logits, type), finite = apply<graph::IsFiniteOp>(x);
  Expr low = x.like(std::numeric_limits<double>::lowest());
  Expr greatest(b, make<graph::ReduceMaxOp>(b, select(finite, x, low).value,
                                            ArrayRef<int64_t>{1}));
  Expr weights = apply<graph::ExpOp>(x - reshape(greatest, {rows, 1}));
  weights = select(finite, weights, x.like(0));
  Expr sums(b, make<graph::CumulativeSumOp>(b, weights.type(), weights.value,
                                            uint64_t(1), false, false));
  Expr total = slice(sums, 1, logits.size(1) - 1, 1);
  // The index of a number counts in the sizes, not in the bounds.
  Sizes flat{Size{rows * sizes->back().bound, {}}};
  if (!sizes->back().isKnown())
    flat[0].exact = product(b, *sizes, 0, 2).value;
  Expr numbers = uniformNumbers(generator, flat[0].bound, type);
  Traced positions = reshapeBounded(b, withSizes(numbers.value, flat), *sizes);
  Expr targets = Expr(b, positions.value) * total;
  Expr chosen(b, make<graph::SearchSortedOp>(b, sums.value, targets.value,
                                             /*right=*/true));
  // Rounded sums may not reach the last number.
  chosen =
      minimum(chosen, chosen.like(static_cast<double>(logits.size(1) - 1)));
  Type resultType = typeAttrOr(node, "output_dtype", b.getI64Type());
  return node.tracedResults(
      {withSizes(castTo(b, chosen.value, resultType), *sizes)});
}

LogicalResult importMultinomial(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  return giveChoices(node, generatorOf(node));
}

LogicalResult importStatelessMultinomial(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto generator = generatorFromSeeds(node, 2);
  return failed(generator) ? failure() : giveChoices(node, *generator);
}

} // namespace

void addSampleHandlers(Handlers &handlers) {
  handlers["RandomPoisson"] = importPoisson;
  handlers["RandomPoissonV2"] = importPoisson;
  handlers["RandomGamma"] = importGamma;
  handlers["Multinomial"] = importMultinomial;
  handlers["StatelessMultinomial"] = importStatelessMultinomial;
}

} // namespace weir::tensorflow
