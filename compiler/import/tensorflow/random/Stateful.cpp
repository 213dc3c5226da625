// Random ops whose generator is a variable of i64: two words of the counter,
// the lower first, and the key. What is drawn moves the counter on.

#include "compiler/import/tensorflow/random/Random.h"

#include "compiler/import/tensorflow/random/RandomNodes.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/state/State.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// What an op calls its generator; 3 is any.
constexpr int64_t philox = 1, anyAlgorithm = 3;
/// Words of the state.
constexpr int64_t stateSize = 3;

/// A variable that holds a generator, and what it holds now.
struct RngState {
  const Variable *variable = nullptr;
  Expr state;
  Generator generator;
};

/// Of operands 0 and 1, a variable and the algorithm; the others must be
/// tensors.
FailureOr<RngState> rngStateOf(Node &node, unsigned operands) {
  if (failed(wantOperands(node, operands)))
    return failure();
  RngState rngState;
  rngState.variable = variableAt(node, 0);
  if (!rngState.variable)
    return node.error() << "draws from something that is no variable";
  for (unsigned i = 1; i < node.size(); ++i)
    if (failed(tensorAt(node, i)))
      return failure();
  auto algorithm = node.integer(1);
  if (failed(algorithm))
    return failure();
  if (*algorithm != philox && *algorithm != anyAlgorithm)
    return node.unsupported("algorithm " + Twine(*algorithm));
  FailureOr<Value> state = currentValue(node, *rngState.variable);
  if (failed(state))
    return failure();
  rngState.state = Expr(node.b, *state);
  if (rngState.state.rank() != 1 || rngState.state.size(0) < stateSize ||
      !rngState.state.elementType().isSignlessInteger(64))
    return node.error() << "has no generator in variable '"
                        << escaped(rngState.variable->name) << "', which is a "
                        << rngState.state.type();
  Expr words = cast(rngState.state, node.b.getIntegerType(64, false));
  auto word = [&](int64_t i) { return reshape(slice(words, 0, i, 1), {}); };
  rngState.generator = {word(2), word(0), word(1)};
  return rngState;
}

/// Moves the counter on by 256 for each of `count` numbers, a scalar, as if
/// each had drawn so much.
LogicalResult skip(Node &node, const RngState &rngState, Expr count) {
  const Generator &generator = rngState.generator;
  Type type = generator.low.elementType();
  Expr low = generator.low + cast(count, type) * 256;
  Expr carries = apply<graph::LessOp>(low, generator.low);
  Expr high = generator.high + cast(carries, type);
  Expr counter = cast(concat({reshape(low, {1}), reshape(high, {1})}, 0),
                      rngState.state.elementType());
  Expr rest = slice(rngState.state, 0, 2, rngState.state.size(0) - 2);
  return assign(node, *rngState.variable, concat({counter, rest}, 0).value);
}

/// RngSkip, and RngReadAndSkip, which gives the state from before.
LogicalResult importSkip(Node &node) {
  auto rngState = rngStateOf(node, 3);
  if (failed(rngState))
    return failure();
  Expr count = operand(node, 2);
  if (count.rank() != 0 || !isa<IntegerType>(count.elementType()))
    return node.error() << "cannot skip " << count.type() << " numbers";
  if (failed(skip(node, *rngState, count)))
    return failure();
  if (node.op() == "RngSkip")
    return node.tracedResults({});
  return give(node, slice(rngState->state, 0, 0, stateSize));
}

/// Numbers of the shape in operand 2.
LogicalResult draw(Node &node, const RngState &rngState, MakeNumbers make) {
  Expr drawn;
  auto counted = [&](int64_t count, Expr exact) {
    drawn = exact;
    return make(count, exact);
  };
  if (failed(giveShaped(node, counted, /*shapeAt=*/2)))
    return failure();
  return skip(node, rngState, drawn);
}

template <auto numbers>
LogicalResult importFloats(Node &node) {
  auto type = dyn_cast_or_null<FloatType>(
      typeAttrOr(node, "dtype", node.b.getF32Type()));
  if (!type)
    return node.unsupported("its element type");
  auto rngState = rngStateOf(node, 3);
  if (failed(rngState))
    return failure();
  return draw(node, *rngState, [&](int64_t count, Expr) {
    return numbers(rngState->generator, count, type);
  });
}

LogicalResult importIntegers(Node &node) {
  auto rngState = rngStateOf(node, 5);
  if (failed(rngState))
    return failure();
  Expr low = operand(node, 3), high = operand(node, 4);
  if (failed(checkRange(node, low, high)))
    return failure();
  return draw(node, *rngState, [&](int64_t count, Expr) {
    return integerNumbers(rngState->generator, count, low, high);
  });
}

LogicalResult importFullIntegers(Node &node) {
  Type type = typeAttrOr(node, "dtype", node.b.getIntegerType(64, false));
  if (!isFullInteger(type))
    return node.unsupported("its element type");
  auto rngState = rngStateOf(node, 3);
  if (failed(rngState))
    return failure();
  return draw(node, *rngState, [&](int64_t count, Expr) {
    return fullIntegers(rngState->generator, count, type);
  });
}

} // namespace

void addGeneratorHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, Handler handler) {
    handlers[op] = {handler, Takes::anything};
  };
  add("RngSkip", importSkip);
  add("RngReadAndSkip", importSkip);
  add("StatefulUniform", importFloats<uniformNumbers>);
  add("StatefulStandardNormalV2", importFloats<normalNumbers>);
  add("StatefulTruncatedNormal", importFloats<truncatedNumbers>);
  add("StatefulUniformInt", importIntegers);
  add("StatefulUniformFullInt", importFullIntegers);
}

} // namespace weir::tensorflow
