// Attention by dot products, and the turns that say where queries stand.

#include "compiler/import/onnx/attention/Attention.h"

#include "compiler/import/onnx/Tracer.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace weir::onnx {

Expr splitHeads(Expr x, int64_t heads) {
  if (!x || x.rank() != 3 || heads < 1 || x.size(2) % heads)
    return {};
  Expr parted = reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads});
  return transpose(parted, {0, 2, 1, 3});
}

Expr joinHeads(Expr x) {
  if (!x || x.rank() != 4)
    return {};
  return reshape(transpose(x, {0, 2, 1, 3}),
                 {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

Expr repeatHeads(Expr x, int64_t times) {
  if (!x || times == 1)
    return x;
  Integers split(x.shape()), whole(x.shape());
  split.insert(split.begin() + 2, 1);
  x = reshape(x, split);
  split[2] = times;
  whole[1] *= times;
  return reshape(broadcast(x, split), whole);
}

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

} // namespace

FailureOr<Heads> headsOf(Node &node, Expr (&present)[2]) {
  if (failed(wantFloats(node, 3, 3)))
    return failure();
  Heads heads{operand(node, 0), operand(node, 1), operand(node, 2), 0, 0, 0};
  if (heads.q.rank() == 3) {
    int64_t own = node.intAttr("q_num_heads"),
            shared = node.intAttr("kv_num_heads");
    heads.q = splitHeads(heads.q, own);
    heads.k = splitHeads(heads.k, shared);
    heads.v = splitHeads(heads.v, shared);
  }
  auto fits = [&] {
    const auto &[q, k, v, queries, keys, past] = heads;
    return q && k && v && q.rank() == 4 && k.rank() == 4 && v.rank() == 4 &&
           q.size(0) == k.size(0) && q.size(0) == v.size(0) &&
           k.size(1) == v.size(1) && k.size(1) > 0 &&
           q.size(1) % k.size(1) == 0 && k.size(2) == v.size(2) &&
           q.size(3) == k.size(3) && q.size(3) > 0;
  };
  if (node.has(4) != node.has(5))
    return node.error() << "has past keys or past values, but not both";
  bool isWhole = fits();
  if (isWhole && node.has(4)) {
    heads.past = node.rank(4) == 4 ? node.shape(4)[2] : 0;
    heads.k = concat({operand(node, 4), heads.k}, 2);
    heads.v = concat({operand(node, 5), heads.v}, 2);
    isWhole = fits();
  }
  if (!isWhole)
    return node.error() << "queries " << node.type(0) << ", keys "
                        << node.type(1) << " and values " << node.type(2)
                        << " do not fit together";
  present[0] = heads.k;
  present[1] = heads.v;
  heads.queries = heads.q.size(2);
  heads.keys = heads.k.size(2);
  int64_t times = heads.q.size(1) / heads.k.size(1);
  heads.k = repeatHeads(heads.k, times);
  heads.v = repeatHeads(heads.v, times);
  return heads;
}

namespace {

/// The operand's mask as numbers that are added, with keys that it does not
/// reach left out.
FailureOr<Expr> givenMask(Node &node, const Heads &heads, Type element) {
  Expr mask = operand(node, 3);
  if (mask.rank() < 2 || mask.rank() > 4 || mask.shape().back() > heads.keys)
    return node.error() << "a mask " << mask.type() << " does not suit "
                        << heads.keys << " keys";
  ImplicitLocOpBuilder &b = node.b;
  if (mask.elementType().isInteger(1)) {
    Expr none = filled(b, {}, element, 0);
    mask = select(mask, none, none.like(nothing));
  }
  mask = cast(mask, element);
  if (int64_t missing = heads.keys - mask.shape().back()) {
    Integers low(mask.rank(), 0), high = low, none = low;
    high.back() = missing;
    mask = Expr(b, make<graph::PadOp>(b, mask.value, mask.like(nothing).value,
                                      low, high, none));
  }
  return mask;
}

/// What is added to products [batch, heads, queries, keys]; without a value
/// where that is nothing.
FailureOr<Expr> biasOf(Node &node, const Heads &heads, Type element) {
  ImplicitLocOpBuilder &b = node.b;
  Expr bias;
  if (node.has(3)) {
    auto mask = givenMask(node, heads, element);
    if (failed(mask))
      return failure();
    bias = *mask;
  }
  auto leaveOut = [&](Expr isSeen) {
    Expr zero = filled(b, {}, element, 0);
    Expr hidden = select(isSeen, zero, zero.like(nothing));
    bias = bias ? bias + hidden : hidden;
  };
  Type i64 = b.getI64Type();
  Expr key = along(counted(b, heads.keys, i64), 3, 4);
  Expr lengths;
  if (node.has(6)) {
    if (node.rank(6) != 1 || node.shape(6)[0] != heads.q.size(0))
      return node.error() << "has lengths " << node.type(6);
    lengths = along(cast(operand(node, 6), i64), 0, 4);
  }
  if (node.intAttr("is_causal")) {
    Expr query = along(counted(b, heads.queries, i64), 2, 4);
    Expr last = query + static_cast<double>(heads.past);
    if (lengths && !node.has(4))
      last = query + (lengths - static_cast<double>(heads.queries));
    leaveOut(apply<graph::LessEqualOp>(key, last));
  }
  if (lengths)
    leaveOut(apply<graph::LessOp>(key, lengths));
  return bias;
}

} // namespace

FailureOr<Expr> productsOf(Node &node, const Heads &heads) {
  double scale = node.floatAttr(
      "scale", 1 / std::sqrt(static_cast<double>(heads.q.size(3))));
  if (!(scale >= 0))
    return node.error() << "has a scale of " << std::to_string(scale);
  // The definition gives each the root of the scale. Keys are many: in a cache
  // that is read where it lies they stay as they are.
  return matmul(heads.q * scale, heads.k, false, /*transposeY=*/true);
}

FailureOr<Type> precisionOf(Node &node, Type otherwise) {
  if (!node.hasAttr("softmax_precision"))
    return otherwise;
  Type type = node.typeAttr("softmax_precision");
  if (!type)
    return failure();
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() < 16)
    return node.error() << "cannot compute a softmax in " << type;
  return type;
}

Expr sharesOf(Expr scores, bool isMasked) {
  return Expr(*scores.b,
              make<graph::SoftmaxOp>(*scores.b, scores.value, isMasked));
}

namespace {

LogicalResult importAttention(Node &node) {
  Expr present[2];
  auto heads = headsOf(node, present);
  if (failed(heads))
    return failure();
  Type element = heads->q.elementType();
  auto scaled = productsOf(node, *heads);
  if (failed(scaled))
    return failure();
  Expr products = *scaled;
  int64_t mode = node.intAttr("qk_matmul_output_mode");
  if (mode < 0 || mode > 3)
    return node.error() << "qk_matmul_output_mode is " << mode;
  auto bias = biasOf(node, *heads, element);
  if (failed(bias))
    return failure();
  Expr stages[4] = {products};
  if (double cap = node.floatAttr("softcap", 0); cap > 0)
    products = tanh(products / cap) * cap;
  stages[1] = products;
  if (*bias)
    products = products + *bias;
  stages[2] = products;
  auto precision = precisionOf(node, element);
  if (failed(precision))
    return failure();
  Expr shares =
      cast(sharesOf(cast(products, *precision), bool(*bias)), element);
  stages[3] = shares;
  Expr y = matmul(shares, cast(heads->v, element));
  if (node.rank(0) == 3)
    y = joinHeads(y);
  return give(node, {y, present[0], present[1], stages[mode]});
}

/// Operands: x, the cosines and sines of the angles of each place, and places.
LogicalResult importRotary(Node &node) {
  if (failed(wantFloats(node, 3, 3)))
    return failure();
  Expr x = operand(node, 0), cosines = operand(node, 1),
       sines = operand(node, 2);
  bool isFlat = x.rank() == 3;
  int64_t heads = node.intAttr("num_heads");
  if (isFlat) {
    if (heads < 1 || x.size(2) % heads)
      return node.error() << "cannot part " << x.type() << " into " << heads
                          << " heads";
    x = reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads});
  } else if (x.rank() == 4) {
    x = transpose(x, {0, 2, 1, 3});
  } else {
    return node.error() << "cannot turn " << x.type();
  }
  int64_t size = x.size(3), turned = node.intAttr("rotary_embedding_dim");
  if (turned == 0)
    turned = size;
  if (turned < 2 || turned > size || turned % 2)
    return node.error() << "cannot turn " << turned << " of " << size
                        << " elements";
  for (Expr *angles : {&cosines, &sines}) {
    if (node.has(3)) {
      if (angles->rank() != 2 || node.shape(3) != x.shape().take_front(2))
        return node.error() << "has angles " << angles->type() << " at places "
                            << node.type(3);
      Expr positions = operand(node, 3);
      if (failed(check(
              node,
              apply<graph::LogicalAndOp>(
                  apply<graph::GreaterEqualOp>(positions, positions.like(0)),
                  apply<graph::LessOp>(
                      positions,
                      positions.like(static_cast<double>(angles->size(0))))),
              "a place has no angle")))
        return failure();
      *angles = gather(*angles, positions, 0);
    }
    if (!*angles || angles->rank() != 3 ||
        angles->shape().take_front(2) != x.shape().take_front(2) ||
        angles->size(2) != turned / 2)
      return node.error() << "angles " << node.type(1) << " and "
                          << node.type(2) << " do not suit " << node.type(0);
    *angles = reshape(*angles, {x.size(0), x.size(1), 1, turned / 2});
  }
  Expr moved = slice(x, 3, 0, turned),
       rest = slice(x, 3, turned, size - turned);
  bool interleaved = node.intAttr("interleaved") != 0;
  Integers pairs{x.size(0), x.size(1), x.size(2), turned / 2, 2};
  if (!interleaved)
    std::swap(pairs[3], pairs[4]);
  int64_t half = interleaved ? 4 : 3;
  Integers part{x.size(0), x.size(1), x.size(2), turned / 2};
  Expr both = reshape(moved, pairs);
  Expr a = reshape(slice(both, half, 0, 1), part),
       c = reshape(slice(both, half, 1, 1), part);
  Expr re = cosines * a - sines * c, im = sines * a + cosines * c;
  Integers single(pairs);
  single[half] = 1;
  Expr y = reshape(concat({reshape(re, single), reshape(im, single)}, half),
                   {x.size(0), x.size(1), x.size(2), turned});
  if (turned < size)
    y = concat({y, rest}, 3);
  if (!isFlat)
    return give(node, y ? transpose(y, {0, 2, 1, 3}) : y);
  return give(node, reshape(y, node.shape(0)));
}

} // namespace

void addAttentionHandlers(Handlers &handlers) {
  handlers["Attention"] = importAttention;
  handlers["RotaryEmbedding"] = importRotary;
}

} // namespace weir::onnx
