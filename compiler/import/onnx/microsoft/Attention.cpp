// Attention of encoders and of decoders without a cache of fixed size.

#include "compiler/import/onnx/microsoft/Attention.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/learned/Forest.h"
#include "compiler/import/onnx/microsoft/Activations.h"
#include "compiler/import/onnx/microsoft/Part.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace weir::onnx {

/// Of one step, the heads that share keys as rows of one product: a cache is
/// then read where it lies, and not repeated.
static Scores shareKeys(Words &words, Scores scores) {
  int64_t heads = words.q.size(1), shared = words.k.size(1);
  auto grouped = [&](Expr x) {
    if (!x || x.rank() != 4 || x.size(1) != heads)
      return x;
    return reshape(x, {x.size(0), shared, heads / shared, x.size(3)});
  };
  words.q = grouped(words.q);
  scores.bias = grouped(scores.bias);
  scores.sink = grouped(scores.sink);
  return scores;
}

/// x with `fill` behind the keys that count, which are its dimension `dim`.
static Expr hidingRest(const Scores &scores, Expr x, int64_t dim, double fill) {
  if (!scores.keys || !x)
    return x;
  Sizes sizes = sizesOf({x.value, {}, nullptr});
  sizes[dim] = *scores.keys;
  return masked(*x.b, withSizes(x.value, sizes), x.like(fill), {dim});
}

Expr attended(Node &node, const Words &given, const Scores &added) {
  Words words = given;
  Scores scores = added;
  if (!words.q || !words.k || !words.v)
    return {};
  Integers whole(words.q.shape());
  whole[3] = words.v.size(3);
  int64_t times = whole[1] / words.k.size(1);
  if (whole[2] == 1 && times > 1) {
    scores = shareKeys(words, scores);
    times = 1;
  }
  Expr q = words.q;
  Expr k = repeatHeads(words.k, times), v = repeatHeads(words.v, times);
  double scale = scores.scale;
  if (scale == 0)
    scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  Type element = q.elementType();
  Expr products = matmul(q * scale, k, false, /*transposeY=*/true);
  if (scores.keys && products) {
    Sizes sizes = sizesOf({products.value, {}, nullptr});
    sizes[3] = *scores.keys;
    writeSizes(node.tracing.report, products.value, sizes);
  }
  products = widened(products);
  if (scores.softcap > 0)
    products = tanh(products / scores.softcap) * scores.softcap;
  if (scores.bias)
    products = products + cast(scores.bias, products.elementType());
  products =
      hidingRest(scores, products, 3, -std::numeric_limits<double>::infinity());
  if (!products)
    return {};
  int64_t keys = products.size(3);
  if (scores.sink) {
    Integers one(products.shape());
    one[3] = 1;
    Expr sink = cast(scores.sink, products.elementType());
    products = concat({products, broadcast(sink, one)}, 3);
  }
  // A row without keys has zeros.
  Expr shares(*q.b, make<graph::SoftmaxOp>(*q.b, products.value,
                                           static_cast<bool>(scores.bias)));
  if (scores.sink)
    shares = slice(shares, 3, 0, keys);
  shares = hidingRest(scores, cast(shares, element), 3, 0);
  v = hidingRest(scores, cast(v, element), 2, 0);
  return reshape(matmul(shares, v), whole);
}

LogicalResult checkWords(Node &node, const Words &words) {
  const auto &[q, k, v] = words;
  bool fits = q && k && v && q.rank() == 4 && k.rank() == 4 && v.rank() == 4 &&
              q.size(0) == k.size(0) && q.size(0) == v.size(0) &&
              k.size(1) == v.size(1) && k.size(1) > 0 &&
              q.size(1) % k.size(1) == 0 && k.size(2) == v.size(2) &&
              q.size(3) == k.size(3) && q.size(3) > 0;
  if (!fits)
    return node.error() << "its queries, keys and values do not fit together";
  return success();
}

Expr hiding(Expr isSeen, double hidden) {
  Expr zero = filled(*isSeen.b, {}, isSeen.b->getF32Type(), 0);
  return select(isSeen, zero, zero.like(hidden));
}

Expr plus(Expr x, Expr y) { return x && y ? x + y : x ? x : y; }

Expr hidingLater(ImplicitLocOpBuilder &b, int64_t queries, int64_t keys,
                 int64_t past) {
  Type i64 = b.getI64Type();
  Expr query =
           along(counted(b, queries, i64), 2, 4) + static_cast<double>(past),
       key = along(counted(b, keys, i64), 3, 4);
  return hiding(apply<graph::LessEqualOp>(key, query),
                -std::numeric_limits<double>::infinity());
}

namespace {

/// The mask at operand `i` as numbers that are added. Its rank says what it is:
/// lengths, or first and last keys; keys, or queries and keys that are seen.
FailureOr<Expr> maskAt(Node &node, unsigned i, const Words &words) {
  if (!node.has(i))
    return Expr();
  Expr mask = operand(node, i);
  int64_t batch = words.q.size(0), queries = words.q.size(2),
          keys = words.k.size(2);
  double hidden = node.floatAttr("mask_filter_value", -10000.0f);
  auto misfit = [&]() -> LogicalResult {
    return node.error() << "a mask " << mask.type() << " does not suit "
                        << batch << " x " << queries << " queries and " << keys
                        << " keys";
  };
  if (!isOf(mask.elementType(), Elements::integers) &&
      !mask.elementType().isInteger(1))
    return misfit();
  if (mask.rank() == 1) {
    Expr key = along(counted(node.b, keys, mask.elementType()), 3, 4);
    // Behind the lengths, 3 batch + 2 elements hold the sums of those before.
    bool hasStarts = mask.size(0) == 2 * batch;
    if (mask.size(0) != batch && mask.size(0) != 3 * batch + 2 && !hasStarts)
      return misfit();
    Expr seen = less(key, along(slice(mask, 0, 0, batch), 0, 4));
    if (hasStarts)
      seen = both(seen, apply<graph::GreaterEqualOp>(
                            key, along(slice(mask, 0, batch, batch), 0, 4)));
    return hiding(seen, hidden);
  }
  if (mask.rank() == 4 && mask.size(1) == 1 && mask.size(2) >= keys &&
      mask.size(3) >= keys) {
    // One for all lengths, of which the last queries count.
    mask = slice(slice(mask, 2, keys - queries, queries), 3, 0, keys);
  } else if (mask.rank() == 2 || mask.rank() == 3) {
    Integers shape(mask.shape());
    shape.insert(shape.begin() + 1, mask.rank() == 2 ? 2 : 1, 1);
    mask = reshape(mask, shape);
  }
  if (mask.rank() != 4 || mask.size(0) != batch || mask.size(3) != keys ||
      (mask.size(2) != 1 && mask.size(2) != queries))
    return misfit();
  if (!mask.elementType().isInteger(1))
    mask = less(mask.like(0), mask);
  return hiding(mask, hidden);
}

/// The mask at operand `mask`, what operand `bias` adds and the order of words.
FailureOr<Scores> scoresOf(Node &node, const Words &words, unsigned mask,
                           unsigned bias) {
  auto added = maskAt(node, mask, words);
  if (failed(added))
    return failure();
  Scores scores{node.floatAttr("scale"), 0, *added, {}, {}};
  int64_t queries = words.q.size(2), keys = words.k.size(2);
  Integers whole{words.q.size(0), words.q.size(1), queries, keys};
  if (node.has(bias)) {
    auto shape = broadcastShapes(node.shape(bias), whole);
    if (failed(shape) || *shape != whole)
      return node.error() << "adds " << node.type(bias) << " to products ["
                          << ArrayRef<int64_t>(whole) << "]";
    scores.bias = plus(scores.bias, widened(operand(node, bias)));
  }
  if (node.intAttr("unidirectional")) {
    if (keys < queries)
      return node.error() << "has fewer keys than queries that look back";
    scores.bias =
        plus(scores.bias, hidingLater(node.b, queries, keys, keys - queries));
  }
  return scores;
}

/// Queries, keys and values side by side in the last dimension of x, parted
/// into heads; and the past at operand `past` before keys and values. `present`
/// is both with it.
FailureOr<Words> partedWords(Node &node, Expr x, unsigned past, Expr &present) {
  int64_t heads = node.intAttr("num_heads");
  Integers sizes = node.intsAttr("qkv_hidden_sizes");
  if (sizes.empty())
    sizes.assign(3, x.shape().back() / 3);
  if (sizes.size() != 3 || heads < 1 ||
      sizes[0] + sizes[1] + sizes[2] != x.shape().back() ||
      llvm::any_of(sizes, [&](int64_t n) { return n < 1 || n % heads; }))
    return node.error() << "cannot part " << x.type() << " into " << heads
                        << " heads of queries, keys and values";
  Words words;
  int64_t at = 0;
  Expr *parts[] = {&words.q, &words.k, &words.v};
  for (unsigned i = 0; i < 3; ++i) {
    *parts[i] = splitHeads(slice(x, 2, at, sizes[i]), heads);
    at += sizes[i];
  }
  if (failed(checkWords(node, words)))
    return failure();
  if (node.has(past)) {
    Integers shape(words.k.shape());
    shape.insert(shape.begin(), 2);
    if (node.rank(past) == 5)
      shape[3] = node.shape(past)[3];
    if (node.shape(past) != ArrayRef<int64_t>(shape) ||
        words.k.type() != words.v.type())
      return node.error() << "has a past " << node.type(past);
    Integers each(shape.begin() + 1, shape.end());
    Expr both = operand(node, past);
    words.k = concat({reshape(slice(both, 0, 0, 1), each), words.k}, 2);
    words.v = concat({reshape(slice(both, 0, 1, 1), each), words.v}, 2);
  }
  if (words.k && words.v && words.k.type() == words.v.type()) {
    Integers one(words.k.shape());
    one.insert(one.begin(), 1);
    present = concat({reshape(words.k, one), reshape(words.v, one)}, 0);
  }
  return words;
}

LogicalResult checkBuffer(Node &node, unsigned length) {
  if (node.intAttr("past_present_share_buffer") || node.has(length))
    return node.unsupported("a past that shares its buffer with the present");
  if (node.intAttr("do_rotary"))
    return node.unsupported("rotary embeddings without angles");
  return success();
}

/// Operands: x, merged weights, a bias, a mask, the past and what is added.
LogicalResult importAttention(Node &node) {
  if (failed(wantFloats(node, 2, 3)) || failed(checkBuffer(node, 6)))
    return failure();
  auto x = Part(node, "MatMul").runForOne({operand(node, 0), operand(node, 1)});
  if (failed(x))
    return failure();
  if (!*x || x->rank() != 3)
    return node.error() << "multiplies " << node.type(0) << " by "
                        << node.type(1);
  if (node.has(2)) {
    auto bias = forLast(node, 2, *x);
    if (failed(bias))
      return failure();
    *x = *x + *bias;
  }
  Expr present;
  auto words = partedWords(node, *x, 4, present);
  if (failed(words))
    return failure();
  auto scores = scoresOf(node, *words, 3, 5);
  if (failed(scores))
    return failure();
  return give(node, {joinHeads(attended(node, *words, *scores)), present});
}

/// Operands: x, merged weights, a bias, the scales of both, a mask, the zero
/// points of both, and the past.
LogicalResult importQuantized(Node &node) {
  if (failed(wantOperands(node, 5)) || failed(checkBuffer(node, 9)))
    return failure();
  if (node.rank(0) != 3)
    return node.error() << "takes no words " << node.type(0);
  auto sums = Part(node, "MatMulInteger")
                  .runForOne({operand(node, 0), operand(node, 1),
                              operand(node, 6), operand(node, 7)});
  if (failed(sums))
    return failure();
  auto scale = [&](unsigned i) {
    Expr e = cast(operand(node, i), node.b.getF32Type());
    return e.type().getNumElements() == 1 ? reshape(e, {}) : e;
  };
  Expr x = cast(*sums, node.b.getF32Type()) * (scale(3) * scale(4));
  if (!x)
    return give(node, x);
  auto bias = forLast(node, 2, x);
  if (failed(bias))
    return failure();
  x = x + cast(*bias, x.elementType());
  Expr present;
  auto words = partedWords(node, x, 8, present);
  if (failed(words))
    return failure();
  auto scores = scoresOf(node, *words, 5, 10);
  if (failed(scores))
    return failure();
  return give(node, {joinHeads(attended(node, *words, *scores)), present});
}

/// Part `i` of `count` in a dimension before the last, whose heads stand before
/// it: [batch, steps, heads, count, size] as [batch, heads, steps, size].
Expr packedPart(Expr x, int64_t i) {
  Expr part =
      reshape(slice(x, 3, i, 1), {x.size(0), x.size(1), x.size(2), x.size(4)});
  return transpose(part, {0, 2, 1, 3});
}

/// Queries, keys and values of operands 0 to 2, with their part of the bias at
/// operand 3. Keys and values that are in heads already have no bias.
FailureOr<Words> separateWords(Node &node, int64_t heads) {
  Expr q = operand(node, 0), k = operand(node, 1), v = operand(node, 2);
  Words words;
  if (q.rank() == 5 && !k && q.size(2) == heads && q.size(3) == 3) {
    words = {packedPart(q, 0), packedPart(q, 1), packedPart(q, 2)};
  } else {
    words.q = splitHeads(q, heads);
    if (k && k.rank() == 5 && !v && k.size(2) == heads && k.size(3) == 2) {
      words.k = packedPart(k, 0);
      words.v = packedPart(k, 1);
    } else if (k && v) {
      words.k = k.rank() == 4 ? k : splitHeads(k, heads);
      words.v = v.rank() == 4 ? v : splitHeads(v, heads);
    }
  }
  if (failed(checkWords(node, words)))
    return failure();
  if (!node.has(3))
    return words;
  Expr bias = operand(node, 3);
  int64_t sizes[] = {heads * words.q.size(3), heads * words.k.size(3),
                     heads * words.v.size(3)};
  if (bias.rank() != 1 || bias.size(0) != sizes[0] + sizes[1] + sizes[2])
    return node.error() << "has a bias " << bias.type();
  bool areHeads = k && k.rank() == 4;
  int64_t at = 0;
  Expr *parts[] = {&words.q, &words.k, &words.v};
  for (unsigned i = 0; i < 3; ++i) {
    if (i == 0 || !areHeads)
      *parts[i] = *parts[i] + reshape(slice(bias, 0, at, sizes[i]),
                                      {1, heads, 1, sizes[i] / heads});
    at += sizes[i];
  }
  return words;
}

/// Operands: queries, keys, values, their bias, a mask of keys, what is added,
/// and the past of keys and of values.
LogicalResult importMultiHead(Node &node) {
  if (failed(wantFloats(node, 1, 3)))
    return failure();
  if (node.has(8) || node.has(9))
    return node.unsupported("a past that shares its buffer with the present");
  if (node.wants(3))
    return node.unsupported("products of queries and keys as a result");
  int64_t heads = node.intAttr("num_heads");
  auto words = separateWords(node, heads);
  if (failed(words))
    return failure();
  if (node.has(6) != node.has(7))
    return node.error() << "has a past of keys or of values alone";
  if (node.has(6)) {
    words->k = concat({operand(node, 6), words->k}, 2);
    words->v = concat({operand(node, 7), words->v}, 2);
    if (failed(checkWords(node, *words)))
      return failure();
  }
  auto scores = scoresOf(node, *words, 4, 5);
  if (failed(scores))
    return failure();
  return give(node,
              {joinHeads(attended(node, *words, *scores)), words->k, words->v});
}

} // namespace

void addMicrosoftAttentionHandlers(Handlers &handlers) {
  handlers["com.microsoft::Attention"] = importAttention;
  handlers["com.microsoft::MultiHeadAttention"] = importMultiHead;
  handlers["com.microsoft::QAttention"] = importQuantized;
}

} // namespace weir::onnx
