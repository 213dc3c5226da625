// Random ops that are given the generator's state: by seeds, from which it is
// made, or in their second version as key and counter.

#include "compiler/import/tensorflow/random/Stateless.h"

#include "compiler/import/tensorflow/random/Random.h"

#include "compiler/import/rules/Joins.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/random/RandomNodes.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
static Expr element(Expr x, int64_t i) {
  return reshape(slice(x, 0, i, 1), {});
}

// Another generator mixes the seeds.
FailureOr<Generator> generatorFromSeeds(Node &node, unsigned i) {
  Expr seeds = operand(node, i);
  if (seeds.shape() != ArrayRef<int64_t>{2} || node.traced(i).isBounded() ||
      !isIndexType(seeds.elementType()))
    return node.error() << "has no two seeds but " << seeds.type();
  ImplicitLocOpBuilder &b = node.b;
  seeds = cast(cast(seeds, b.getI64Type()), b.getIntegerType(64, false));
  Generator mixer{wide(b, uint64_t(0x02461e29) << 32 | 0x3ec8f720),
                  element(seeds, 0), element(seeds, 1)};
  auto words = wordsAt(mixer, wide(b, 0));
  return Generator{joined(words[0], words[1], true), Expr(),
                   joined(words[2], words[3], true)};
}

namespace {

/// What an op calls its generator; 3 is any.
constexpr int64_t philox = 1, anyAlgorithm = 3;

/// A generator from key, counter and algorithm, the operands from `i` on.
FailureOr<Generator> fromState(Node &node, unsigned i) {
  if (failed(wantOperands(node, i + 3)))
    return failure();
  Type type = node.b.getIntegerType(64, /*isSigned=*/false);
  Expr key = operand(node, i), counter = operand(node, i + 1);
  auto algorithm = node.integer(i + 2);
  if (failed(algorithm))
    return failure();
  if (*algorithm != philox && *algorithm != anyAlgorithm)
    return node.unsupported("algorithm " + Twine(*algorithm));
  if (key.type() != RankedTensorType::get({1}, type) ||
      counter.type() != RankedTensorType::get({2}, type))
    return node.error() << "has no key and counter but " << key.type()
                        << " and " << counter.type();
  return Generator{element(key, 0), element(counter, 0), element(counter, 1)};
}

/// Where the parameters begin, behind the shape and the state.
unsigned parametersAt(Node &node) { return node.op().ends_with("V2") ? 4 : 2; }

FailureOr<Generator> stateOf(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  return node.op().ends_with("V2") ? fromState(node, 1)
                                   : generatorFromSeeds(node, 1);
}

template <auto numbers>
LogicalResult importFloats(Node &node) {
  auto type = dyn_cast_or_null<FloatType>(
      typeAttrOr(node, "dtype", node.b.getF32Type()));
  auto generator = stateOf(node);
  if (!type)
    return node.unsupported("its element type");
  if (failed(generator))
    return failure();
  return giveShaped(node, [&](int64_t count, Expr) {
    return numbers(*generator, count, type);
  });
}

LogicalResult importIntegers(Node &node) {
  unsigned at = parametersAt(node);
  auto generator = stateOf(node);
  if (failed(generator) || failed(wantOperands(node, at + 2)))
    return failure();
  Expr low = operand(node, at), high = operand(node, at + 1);
  if (failed(checkRange(node, low, high)))
    return failure();
  return giveShaped(node, [&](int64_t count, Expr) {
    return integerNumbers(*generator, count, low, high);
  });
}

LogicalResult importFullIntegers(Node &node) {
  Type type = typeAttrOr(node, "dtype", node.b.getI32Type());
  auto generator = stateOf(node);
  if (failed(generator))
    return failure();
  if (!isFullInteger(type))
    return node.unsupported("its element type");
  return giveShaped(node, [&](int64_t count, Expr) {
    return fullIntegers(*generator, count, type);
  });
}

/// The state that seeds stand for, as key and counter.
LogicalResult importGetKey(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto generator = generatorFromSeeds(node, 0);
  if (failed(generator))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  SmallVector<Expr> results{
      reshape(generator->key, {1}),
      concat({reshape(wide(b, 0), {1}), reshape(generator->high, {1})}, 0)};
  if (node.op().ends_with("Alg"))
    results.push_back(cast(number(b, philox), b.getI32Type()));
  return give(node, results);
}

LogicalResult importGetAlgorithm(Node &node) {
  return give(node, cast(number(node.b, philox), node.b.getI32Type()));
}

} // namespace

void addStatelessHandlers(Handlers &handlers) {
  for (const char *version : {"", "V2"}) {
    auto add = [&](const char *name, Handler handler) {
      handlers[(Twine(name) + version).str()] = handler;
    };
    add("StatelessRandomUniform", importFloats<uniformNumbers>);
    add("StatelessRandomNormal", importFloats<normalNumbers>);
    add("StatelessTruncatedNormal", importFloats<truncatedNumbers>);
    add("StatelessRandomUniformInt", importIntegers);
    add("StatelessRandomUniformFullInt", importFullIntegers);
  }
  handlers["StatelessRandomGetKeyCounter"] = importGetKey;
  handlers["StatelessRandomGetKeyCounterAlg"] = importGetKey;
  handlers["StatelessRandomGetAlg"] = importGetAlgorithm;
}

} // namespace weir::tensorflow
