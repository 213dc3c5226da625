// Mixtures of experts: each token goes through the k experts that its router
// chooses, whose weights may be quantized.

#include "compiler/import/onnx/microsoft/Activations.h"
#include "compiler/import/onnx/microsoft/Blocks.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// One layer of all experts, by the numbers of its operands; none: left out.
struct LayerOperands {
  std::optional<unsigned> weights, bias, scales = {}, zeros = {};
};

class Experts {
public:
  explicit Experts(Node &node) : node(node) {}

  LogicalResult run(bool isQuantized) {
    if (node.size() < 2 || !node.has(0) || !node.has(1))
      return node.error() << "lacks an operand";
    Expr input = operand(node, 0), router = operand(node, 1);
    if (!isOf(input.elementType(), Elements::floats) || input.rank() < 2 ||
        !isOf(router.elementType(), Elements::floats) || router.rank() != 2)
      return node.error() << "routes " << input.type() << " by "
                          << router.type();
    hidden = input.shape().back();
    tokens = productOf(input.shape().drop_back());
    experts = router.size(1);
    chosen = node.intAttr("k", 1);
    if (router.size(0) != tokens || chosen < 1 || chosen > experts)
      return node.error() << "chooses " << chosen << " experts for "
                          << input.type() << " by " << router.type();
    if (node.intAttr("use_sparse_mixer") != 0)
      return node.unsupported("use_sparse_mixer");
    bits = isQuantized ? node.intAttr("expert_weight_bits", 4) : 0;
    if (isQuantized && bits != 2 && bits != 4 && bits != 8)
      return node.error() << "has weights of " << bits << " bits";
    if (node.stringAttr("quant_type", "int") != "int")
      return node.unsupported("weights that are no integers");
    LayerOperands first{2, 3}, second{4, 5}, third{6, 7};
    if (isQuantized) {
      first = {2, 4, 3, 11};
      second = {5, 7, 6, 12};
      third = {8, 10, 9, 13};
    }
    Expr x = widened(input);
    computed = x.elementType();
    route(cast(router, computed));
    x = arranged(reshape(x, {tokens, hidden}));
    FailureOr<Expr> inner = activate(x, first, third);
    if (failed(inner))
      return failure();
    FailureOr<Expr> outer = layer(*inner, second, hidden);
    if (failed(outer))
      return failure();
    return give(
        node, cast(reshape(mixed(*outer), input.shape()), input.elementType()));
  }

private:
  /// The softmax of the router's numbers for the k largest of each token, and
  /// whose they are.
  void route(Expr router) {
    ImplicitLocOpBuilder &b = node.b;
    Expr probabilities(b, make<graph::SoftmaxOp>(b, router.value));
    auto top = b.create<graph::TopKOp>(probabilities.value, chosen);
    shares = Expr(b, top.getValues());
    indices = Expr(b, top.getIndices());
    if (node.intAttr("normalize_routing_weights") != 0)
      shares = shares / sum(shares, {1}, /*keep=*/true);
    // Few tokens read the weights of their own experts only; many share the
    // products with those of all.
    isPicked = tokens * chosen < experts;
    if (isPicked)
      indices = reshape(indices, {tokens * chosen});
  }

  /// The tokens as rows of a batch of products: for each choice, or for all
  /// experts at once.
  Expr arranged(Expr x) {
    if (!isPicked)
      return reshape(x, {1, tokens, hidden});
    x = broadcast(reshape(x, {tokens, 1, hidden}), {tokens, chosen, hidden});
    return reshape(x, {tokens * chosen, 1, hidden});
  }

  /// Of a tensor with a part for each expert the parts that are needed.
  Expr picked(Expr x) { return isPicked ? gather(x, indices, 0) : x; }

  /// The sum of the chosen experts' results times their shares.
  Expr mixed(Expr results) {
    ImplicitLocOpBuilder &b = node.b;
    if (isPicked) {
      Expr rows = reshape(results, {tokens, chosen, hidden});
      return sum(rows * reshape(shares, {tokens, chosen, 1}), {1});
    }
    Expr hot(b,
             make<graph::OneHotOp>(b, indices.value, shares.like(1).value,
                                   shares.like(0).value, experts, int64_t(2)));
    Expr all = sum(hot * reshape(shares, {tokens, chosen, 1}), {1});
    Expr share = reshape(transposed(all), {experts, tokens, 1});
    // An expert that is not chosen gives nothing, also where it overflows.
    Expr isChosen = broadcast(less(share.like(0), share), results.shape());
    Expr terms = results * share;
    return sum(select(isChosen, terms, terms.like(0)), {0});
  }

  /// x W^T + b for each expert; the result has `outputs` columns.
  FailureOr<Expr> layer(Expr x, const LayerOperands &at, int64_t outputs) {
    int64_t inputs = x.shape().back();
    FailureOr<Expr> weights = weightsOf(at, outputs, inputs);
    if (failed(weights))
      return failure();
    Expr y = matmul(x, *weights, false, /*transposeY=*/true);
    if (!node.has(*at.bias))
      return y;
    Expr bias = operand(node, *at.bias);
    if (!isOf(bias.elementType(), Elements::floats) ||
        bias.shape() != ArrayRef<int64_t>{experts, outputs})
      return node.error() << "operand " << *at.bias << ", " << bias.type()
                          << ", is no bias of " << experts << " experts with "
                          << outputs << " results each";
    Expr picks = picked(cast(bias, computed));
    return y + reshape(picks, {picks.size(0), 1, outputs});
  }

  /// Weights [experts, outputs, inputs].
  FailureOr<Expr> weightsOf(const LayerOperands &at, int64_t outputs,
                            int64_t inputs) {
    Expr w = operand(node, *at.weights);
    int64_t per = bits ? 8 / bits : 1;
    bool isStored = w && w.rank() == 3 && w.size(0) == experts &&
                    w.size(1) == outputs && w.size(2) * per == inputs &&
                    (bits ? w.elementType().isUnsignedInteger(8)
                          : isOf(w.elementType(), Elements::floats));
    if (isStored)
      return bits ? dequantized(at, w, outputs, inputs)
                  : FailureOr<Expr>(picked(cast(w, computed)));
    // Files of the operator's first years have the inputs before the outputs.
    if (w && !bits && isOf(w.elementType(), Elements::floats) &&
        w.shape() == ArrayRef<int64_t>{experts, inputs, outputs})
      return picked(transposed(cast(w, computed)));
    auto error = node.error();
    error << "operand " << *at.weights;
    if (w)
      error << ", " << w.type() << ",";
    error << " has no weights of " << experts << " experts with " << inputs
          << " inputs and " << outputs << " results";
    return failure();
  }

  /// (weights - zero points) times scales, of a row or of blocks of it.
  FailureOr<Expr> dequantized(const LayerOperands &at, Expr w, int64_t outputs,
                              int64_t inputs) {
    int64_t block = node.intAttr("block_size", inputs);
    if (block == 0)
      block = inputs;
    int64_t blocks = block > 0 ? inputs / block : 0;
    Expr scales = operand(node, *at.scales);
    if (blocks < 1 || inputs % block || !scales ||
        !isOf(scales.elementType(), Elements::floats) ||
        scales.type().getNumElements() != experts * outputs * blocks)
      return node.error() << "operand " << *at.scales
                          << " has no scales of weights " << w.type()
                          << " in blocks of " << block;
    auto split = [&](Expr x) {
      return picked(reshape(x, {experts, outputs, blocks, 1}));
    };
    Expr numbers = cast(unpackedLast(picked(w), bits), computed);
    numbers = reshape(numbers, {numbers.size(0), outputs, blocks, block});
    Expr zeros = numbers.like(double(1 << (bits - 1)));
    if (node.has(*at.zeros)) {
      Expr given = operand(node, *at.zeros);
      // Packed along the last dimension: blocks, or rows where they have one.
      bool isWhole = given.rank() == 2 && blocks == 1;
      int64_t last = isWhole ? outputs : blocks, per = 8 / bits;
      int64_t bytes = (last + per - 1) / per;
      int64_t rows = experts * outputs * blocks / last;
      if (!given.elementType().isUnsignedInteger(8) ||
          given.type().getNumElements() != rows * bytes)
        return node.error() << "operand " << *at.zeros << ", " << given.type()
                            << ", has no zero points of weights " << w.type()
                            << " in blocks of " << block;
      Expr points = unpackedLast(reshape(given, {rows, bytes}), bits);
      zeros = split(cast(slice(points, 1, 0, last), computed));
    }
    Expr floats = (numbers - zeros) * split(cast(scales, computed));
    return reshape(floats, {floats.size(0), outputs, inputs});
  }

  /// What goes into the second layer.
  FailureOr<Expr> activate(Expr x, const LayerOperands &first,
                           const LayerOperands &third) {
    std::string name = node.stringAttr("activation_type", "relu").str();
    int64_t fusion = node.intAttr("swiglu_fusion");
    // Before there were two ways, an attribute of its own named the one.
    if (node.intAttr("swiglu_interleaved") != 0)
      fusion = 1;
    bool isGated = name == "swiglu", isFused = isGated && fusion != 0;
    FailureOr<int64_t> inner = innerSize(first, isFused);
    if (failed(inner))
      return failure();
    FailureOr<Expr> all = layer(x, first, isFused ? *inner * 2 : *inner);
    if (failed(all))
      return failure();
    Expr gate = *all, linear;
    if (isFused && fusion == 1) {
      gate = slice(*all, 2, 0, *inner, 2);
      linear = slice(*all, 2, 1, *inner, 2);
    } else if (isFused) {
      gate = slice(*all, 2, 0, *inner);
      linear = slice(*all, 2, *inner, *inner);
    } else if (node.has(*third.weights)) {
      FailureOr<Expr> other = layer(x, third, *inner);
      if (failed(other))
        return failure();
      linear = *other;
    }
    if (isGated)
      return swiglu(gate, linear);
    FailureOr<Expr> y = activation(gate, name);
    if (failed(y) || !linear)
      return y;
    return *y * linear;
  }

  /// How many numbers the first layer gives the second.
  FailureOr<int64_t> innerSize(const LayerOperands &first, bool isFused) {
    Expr w = operand(node, *first.weights);
    if (!w || w.rank() != 3)
      return node.error() << "operand " << *first.weights
                          << " has no weights of experts";
    int64_t per = bits ? 8 / bits : 1;
    bool isStored = w.size(2) * per == hidden;
    int64_t size = isStored ? w.size(1) : w.size(2);
    if (isFused && size % 2)
      return node.error() << "has weights " << w.type()
                          << ", which are not of two layers";
    return isFused ? size / 2 : size;
  }

  FailureOr<Expr> swiglu(Expr gate, Expr linear) {
    if (!linear)
      return node.error() << "has a gate and no second layer beside it";
    if (node.hasAttr("swiglu_limit")) {
      double limit = node.floatAttr("swiglu_limit");
      gate = minimum(gate, gate.like(limit));
      linear = clamp(linear, -limit, limit);
    }
    double alpha = node.floatAttr("activation_alpha", 1),
           beta = node.floatAttr("activation_beta", 0);
    return gate * sigmoid(gate * alpha) * (linear + beta);
  }

  FailureOr<Expr> activation(Expr x, StringRef name) {
    if (name == "identity")
      return x;
    if (name == "relu")
      return apply<graph::ReluOp>(x);
    if (name == "gelu")
      return gaussianError(x);
    if (name == "silu")
      return x * sigmoid(x);
    return node.error() << "activation '" << escaped(name, 40)
                        << "' is none of relu, gelu, silu, swiglu and identity";
  }

  Node &node;
  Type computed; // of the input, widened
  int64_t hidden = 0, tokens = 0, experts = 0, chosen = 0, bits = 0;
  bool isPicked = false;
  Expr shares, indices;
};

LogicalResult importExperts(Node &node) { return Experts(node).run(false); }
LogicalResult importQuantizedExperts(Node &node) {
  return Experts(node).run(true);
}

} // namespace

void addMicrosoftExpertHandlers(Handlers &handlers) {
  handlers["com.microsoft::MoE"] = importExperts;
  handlers["com.microsoft::QMoE"] = importQuantizedExperts;
}

} // namespace weir::onnx
