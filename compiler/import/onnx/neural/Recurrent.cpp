// Recurrent layers over sequences.

#include "compiler/import/build/Steps.h"
#include "compiler/import/onnx/neural/Compose.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

/// A function of one element that a gate applies.
struct Activation {
  std::string name;
  double alpha, beta;

  Expr operator()(Expr x) const {
    if (!x)
      return {};
    Expr zero = x.like(0);
    auto isAbove = [&](Expr least) {
      return apply<graph::GreaterOp>(x, least);
    };
    if (name == "relu")
      return maximum(x, zero);
    if (name == "tanh")
      return tanh(x);
    if (name == "sigmoid")
      return sigmoid(x);
    if (name == "affine")
      return x * alpha + beta;
    if (name == "leakyrelu")
      return select(apply<graph::LessOp>(x, zero), x * alpha, x);
    if (name == "thresholdedrelu")
      return select(isAbove(x.like(alpha)), x, zero);
    if (name == "scaledtanh")
      return tanh(x * beta) * alpha;
    if (name == "hardsigmoid")
      return clamp(x * alpha + beta, 0, 1);
    if (name == "elu")
      return select(isAbove(zero), x,
                    apply<graph::Expm1Op>(minimum(x, zero)) * alpha);
    if (name == "softsign")
      return apply<graph::SoftsignOp>(x);
    if (name == "softplus")
      return apply<graph::SoftplusOp>(x);
    return {};
  }
};

/// The activations of all directions, as the node names them or by default.
static FailureOr<SmallVector<Activation>>
activationsOf(Node &node, ArrayRef<StringRef> otherwise, int64_t directions) {
  SmallVector<StringRef> names = node.stringsAttr("activations");
  if (names.empty())
    for (int64_t i = 0; i < directions; ++i)
      llvm::append_range(names, otherwise);
  if (names.size() != otherwise.size() * directions)
    return node.error() << "has " << names.size() << " activations instead of "
                        << otherwise.size() * directions;
  SmallVector<float> alphas = node.floatsAttr("activation_alpha"),
                     betas = node.floatsAttr("activation_beta");
  struct Default {
    StringRef name;
    double alpha, beta;
    bool hasAlpha, hasBeta;
  };
  static constexpr Default known[] = {{"relu", 0, 0, false, false},
                                      {"tanh", 0, 0, false, false},
                                      {"sigmoid", 0, 0, false, false},
                                      {"affine", 1, 0, true, true},
                                      {"leakyrelu", 0.01, 0, true, false},
                                      {"thresholdedrelu", 1, 0, true, false},
                                      {"scaledtanh", 1, 1, true, true},
                                      {"hardsigmoid", 0.2, 0.5, true, true},
                                      {"elu", 1, 0, true, false},
                                      {"softsign", 0, 0, false, false},
                                      {"softplus", 0, 0, false, false}};
  SmallVector<Activation> activations;
  // The lists have values for those activations only that take one, in order.
  size_t alpha = 0, beta = 0;
  for (StringRef name : names) {
    std::string lower = name.lower();
    const Default *found = llvm::find_if(
        known, [&](const Default &one) { return one.name == lower; });
    if (found == std::end(known))
      return node.error() << "activation '" << name << "' is unknown";
    Activation one{lower, found->alpha, found->beta};
    if (found->hasAlpha && alpha < alphas.size())
      one.alpha = alphas[alpha++];
    if (found->hasBeta && beta < betas.size())
      one.beta = betas[beta++];
    activations.push_back(one);
  }
  return activations;
}

/// A layer: what all three kinds have in common, for one direction at a time.
/// Sequences are [steps, batch, inputs].
struct Layer {
  Node &node;
  int64_t gates, hidden, directions;
  bool batchFirst;
  Expr x, lengths;
  SmallVector<Activation> activations;
  unsigned functions;

  Expr clipped(Expr e) const {
    double limit = node.floatAttr("clip", 0);
    return limit > 0 ? clamp(e, -limit, limit) : e;
  }
  /// Applies function `f` of direction `d`.
  Expr activate(int64_t d, unsigned f, Expr e) const {
    return activations[d * functions + f](clipped(e));
  }
  /// The part of an operand that belongs to a direction; zeros of `size` where
  /// it is left out.
  Expr part(unsigned i, int64_t d, ArrayRef<int64_t> size) const {
    Expr e = operand(node, i);
    if (!e)
      return filled(node.b, size, x.elementType(), 0);
    return reshape(slice(e, 0, d, 1), size);
  }
  /// States [directions, batch, hidden], or the batch first.
  Expr state(unsigned i, int64_t d) const {
    int64_t batch = x.size(1);
    Expr e = operand(node, i);
    if (!e)
      return filled(node.b, {batch, hidden}, x.elementType(), 0);
    if (batchFirst)
      e = transpose(e, {1, 0, 2});
    return reshape(slice(e, 0, d, 1), {batch, hidden});
  }
  Expr gate(Expr all, int64_t i) const {
    return slice(all, all.rank() - 1, i * hidden, hidden);
  }
};

/// The operands 0 to 2, and 3 to 5, which may be left out, in their shapes.
static FailureOr<Layer> layerOf(Node &node, int64_t gates,
                                ArrayRef<StringRef> functions) {
  if (failed(wantFloats(node, 3, 3)))
    return failure();
  StringRef direction = node.stringAttr("direction", "forward");
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return node.error() << "direction '" << direction << "' is unknown";
  Layer layer{node,
              gates,
              0,
              direction == "bidirectional" ? 2 : 1,
              node.intAttr("layout") == 1,
              operand(node, 0),
              {},
              {},
              static_cast<unsigned>(functions.size())};
  if (layer.batchFirst && layer.x.rank() == 3)
    layer.x = transpose(layer.x, {1, 0, 2});
  if (node.rank(2) != 3 || layer.x.rank() != 3)
    return node.error() << "cannot run " << node.type(0) << " through "
                        << node.type(2);
  layer.hidden = node.shape(2)[2];
  int64_t batch = layer.x.size(1), d = layer.directions;
  auto hasShape = [&](unsigned i, ArrayRef<int64_t> shape) {
    return !node.has(i) || (node.shape(i) == shape &&
                            (i == 4 || node.element(i) == node.element(0)));
  };
  Integers states{d, batch, layer.hidden};
  if (layer.batchFirst)
    std::swap(states[0], states[1]);
  if (!hasShape(1, {d, gates * layer.hidden, layer.x.size(2)}) ||
      !hasShape(2, {d, gates * layer.hidden, layer.hidden}) ||
      !hasShape(3, {d, 2 * gates * layer.hidden}) || !hasShape(4, {batch}) ||
      !hasShape(5, states) || layer.hidden < 1 || layer.x.size(0) < 1 ||
      (node.hasAttr("hidden_size") &&
       node.intAttr("hidden_size") != layer.hidden)) {
    auto diagnostic = node.error() << "its operands do not fit together:";
    for (unsigned i = 0; i < node.size(); ++i)
      if (node.has(i))
        diagnostic << ' ' << node.type(i);
    return diagnostic;
  }
  if (node.has(4))
    layer.lengths =
        cast(reshape(operand(node, 4), {batch, 1}), node.b.getI64Type());
  auto activations = activationsOf(node, functions, d);
  if (failed(activations))
    return failure();
  layer.activations = *activations;
  return layer;
}

/// One step of a direction: from the inputs' share of the gates and the states
/// to the next states, of which the first is the output.
using Step = function_ref<SmallVector<Expr>(int64_t d, Expr inputs,
                                            ArrayRef<Expr> states)>;

/// Runs all directions and gives Y and the last states.
static LogicalResult run(const Layer &layer, unsigned stateCount,
                         function_ref<Expr(int64_t d)> biasOf, Step step) {
  Node &node = layer.node;
  ImplicitLocOpBuilder &b = node.b;
  int64_t steps = layer.x.size(0), batch = layer.x.size(1);
  bool isReverse = node.stringAttr("direction", "forward") == "reverse";
  SmallVector<Expr> outputs;
  SmallVector<SmallVector<Expr>> last(stateCount);
  for (int64_t d = 0; d < layer.directions; ++d) {
    bool goesBack = isReverse || d == 1;
    Expr w = layer.part(1, d, {layer.gates * layer.hidden, layer.x.size(2)});
    // The inputs of all steps are multiplied at once.
    Expr inputs = matmul(layer.x, w, false, /*transposeY=*/true) + biasOf(d);
    SmallVector<Expr> states;
    for (unsigned i = 0; i < stateCount; ++i)
      states.push_back(layer.state(5 + i, d));
    states.push_back(
        filled(b, {steps, batch, layer.hidden}, layer.x.elementType(), 0));
    auto one = [&](Expr i, ArrayRef<Expr> before) -> SmallVector<Expr> {
      Expr at = goesBack ? i.like(static_cast<double>(steps - 1)) - i : i;
      SmallVector<Expr> next =
          step(d, partAt(inputs, 0, at), before.drop_back());
      Expr output = next[0];
      if (layer.lengths) {
        // Behind its end a sequence keeps its states, and gives zeros.
        Expr isInside = apply<graph::LessOp>(at, layer.lengths);
        for (auto [now, was] : llvm::zip(next, before))
          now = select(isInside, now, was);
        output = output ? select(isInside, output, output.like(0)) : output;
      }
      next.push_back(withPart(before.back(), 0, at, output));
      return next;
    };
    states = repeat(b, steps, states, one);
    outputs.push_back(reshape(states.back(), {steps, 1, batch, layer.hidden}));
    for (unsigned i = 0; i < stateCount; ++i)
      last[i].push_back(reshape(states[i], {1, batch, layer.hidden}));
  }
  Expr y = concat(outputs, 1);
  if (layer.batchFirst && y)
    y = transpose(y, {2, 0, 1, 3});
  SmallVector<Expr> results{y};
  for (ArrayRef<Expr> parts : last) {
    Expr state = concat(parts, 0);
    results.push_back(layer.batchFirst && state ? transpose(state, {1, 0, 2})
                                                : state);
  }
  return give(node, results);
}

static LogicalResult importRnn(Node &node) {
  auto layer = layerOf(node, 1, {"Tanh"});
  if (failed(layer))
    return failure();
  int64_t h = layer->hidden;
  auto bias = [&](int64_t d) {
    Expr both = layer->part(3, d, {2 * h});
    return slice(both, 0, 0, h) + slice(both, 0, h, h);
  };
  return run(*layer, 1, bias,
             [&](int64_t d, Expr inputs, ArrayRef<Expr> states) {
               Expr r = layer->part(2, d, {h, h});
               Expr sums = inputs + matmul(states[0], r, false, true);
               return SmallVector<Expr>{layer->activate(d, 0, sums)};
             });
}

/// Gates: update, reset, hidden.
static LogicalResult importGru(Node &node) {
  auto layer = layerOf(node, 3, {"Sigmoid", "Tanh"});
  if (failed(layer))
    return failure();
  int64_t h = layer->hidden;
  bool isLinear = node.intAttr("linear_before_reset") != 0;
  auto biases = [&](int64_t d, int64_t first) {
    return slice(layer->part(3, d, {6 * h}), 0, first * h, 3 * h);
  };
  auto bias = [&](int64_t d) {
    Expr own = biases(d, 0), recurrent = biases(d, 3);
    // With the linear form the recurrent bias of the hidden gate is reset too.
    if (isLinear)
      recurrent = concat(
          {slice(recurrent, 0, 0, 2 * h), slice(recurrent, 0, 2 * h, h) * 0.0},
          0);
    return own + recurrent;
  };
  return run(
      *layer, 1, bias, [&](int64_t d, Expr inputs, ArrayRef<Expr> states) {
        Expr r = layer->part(2, d, {3 * h, h}), state = states[0];
        Expr gates = slice(inputs, 1, 0, 2 * h), candidate;
        if (isLinear) {
          Expr recurrent = matmul(state, r, false, true);
          gates = layer->activate(d, 0, gates + slice(recurrent, 1, 0, 2 * h));
          Expr shift = slice(biases(d, 3), 0, 2 * h, h);
          candidate =
              slice(inputs, 1, 2 * h, h) +
              slice(gates, 1, h, h) * (slice(recurrent, 1, 2 * h, h) + shift);
        } else {
          Expr first = slice(r, 0, 0, 2 * h), second = slice(r, 0, 2 * h, h);
          gates =
              layer->activate(d, 0, gates + matmul(state, first, false, true));
          Expr kept = slice(gates, 1, h, h) * state;
          candidate =
              slice(inputs, 1, 2 * h, h) + matmul(kept, second, false, true);
        }
        candidate = layer->activate(d, 1, candidate);
        Expr update = slice(gates, 1, 0, h);
        return SmallVector<Expr>{(1 - update) * candidate + update * state};
      });
}

/// Gates: input, output, forget, cell. Operand 7 has the peepholes of the first
/// three.
static LogicalResult importLstm(Node &node) {
  auto layer = layerOf(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (failed(layer))
    return failure();
  int64_t h = layer->hidden;
  Integers states{layer->directions, layer->x.size(1), h};
  if (layer->batchFirst)
    std::swap(states[0], states[1]);
  Type element = node.element(0);
  if (node.has(6) && node.type(6) != RankedTensorType::get(states, element))
    return node.error() << "has cells " << node.type(6)
                        << " instead of the shape [" << states << "]";
  Integers peeps{layer->directions, 3 * h};
  if (node.has(7) && node.type(7) != RankedTensorType::get(peeps, element))
    return node.error() << "has peepholes " << node.type(7)
                        << " instead of the shape [" << peeps << "]";
  auto bias = [&](int64_t d) {
    Expr both = layer->part(3, d, {8 * h});
    return slice(both, 0, 0, 4 * h) + slice(both, 0, 4 * h, 4 * h);
  };
  bool hasPeepholes = node.has(7), couples = node.intAttr("input_forget") != 0;
  return run(
      *layer, 2, bias, [&](int64_t d, Expr inputs, ArrayRef<Expr> states) {
        Expr r = layer->part(2, d, {4 * h, h}), cell = states[1];
        Expr gates = inputs + matmul(states[0], r, false, true);
        Expr peepholes = layer->part(7, d, {3 * h});
        auto gate = [&](int64_t i, Expr seen) {
          Expr sums = layer->gate(gates, i);
          return layer->activate(
              d, 0,
              hasPeepholes ? sums + seen * layer->gate(peepholes, i) : sums);
        };
        Expr input = gate(0, cell);
        Expr forget = couples ? 1 - input : gate(2, cell);
        Expr candidate = layer->activate(d, 1, layer->gate(gates, 3));
        Expr next = forget * cell + input * candidate;
        Expr output = gate(1, next);
        return SmallVector<Expr>{output * layer->activations[d * 3 + 2](next),
                                 next};
      });
}

void addRecurrentHandlers(Handlers &handlers) {
  handlers["RNN"] = importRnn;
  handlers["GRU"] = importGru;
  handlers["LSTM"] = importLstm;
}

} // namespace weir::onnx
