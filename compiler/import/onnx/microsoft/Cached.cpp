// Attention of decoders, whose past may be a buffer of fixed size.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/microsoft/Attention.h"
#include "compiler/import/onnx/microsoft/Part.h"
#include "compiler/import/onnx/microsoft/Rotary.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {
namespace {

/// The sizes of a GroupQueryAttention: bounds of its tensors, and as scalars
/// i64 how much of them counts.
struct Cache {
  int64_t heads = 0, shared = 0, size = 0;
  Size batch, steps, past, present;
  Expr stepCount, pastCount, presentCount;
  /// How many keys each batch has in its past [batch].
  Expr before;

  /// Whether there is one sequence, and room behind its past for all steps: new
  /// keys are then written where they stay.
  bool isInPlace() const {
    return batch.isKnown() && batch.bound == 1 &&
           (steps.isKnown() || present.bound == past.bound + steps.bound);
  }
  /// How many keys there are of one sequence.
  Size seen() const {
    Expr count = reshape(before, {}) + stepCount;
    return {present.bound, count.value};
  }
  bool isDynamic() const {
    return !batch.isKnown() || !steps.isKnown() || !past.isKnown() ||
           !present.isKnown();
  }
};

/// Queries, keys and values of operands 0 to 2, or of operand 0 side by side.
FailureOr<Words> groupedWords(Node &node, Cache &cache) {
  cache.heads = node.intAttr("num_heads");
  cache.shared = node.intAttr("kv_num_heads");
  Expr q = operand(node, 0), k = operand(node, 1), v = operand(node, 2);
  int64_t heads = cache.heads, shared = cache.shared;
  constexpr int64_t most = 1 << 20;
  if (heads < 1 || shared < 1 || heads > most || shared > most ||
      heads % shared || q.rank() != 3)
    return node.error() << "cannot part " << q.type() << " into " << heads
                        << " heads, and keys into " << shared;
  if (!k && !v) {
    int64_t count = heads + 2 * shared, size = q.size(2) / count;
    if (q.size(2) % count)
      return node.error() << "cannot part " << q.type() << " into " << count
                          << " heads";
    k = slice(q, 2, heads * size, shared * size);
    v = slice(q, 2, (heads + shared) * size, shared * size);
    q = slice(q, 2, 0, heads * size);
  }
  Words words{q, k, v};
  Words parted{splitHeads(q, heads), splitHeads(k, shared),
               splitHeads(v, shared)};
  if (failed(checkWords(node, parted)))
    return failure();
  if (parted.q.size(2) != parted.k.size(2) ||
      parted.k.type() != parted.v.type())
    return node.error() << "has " << parted.q.size(2) << " queries, and keys "
                        << parted.k.type() << " with values "
                        << parted.v.type();
  cache.size = parted.q.size(3);
  Sizes sizes = sizesOf(node.traced(0));
  cache.batch = sizes[0];
  cache.steps = sizes[1];
  cache.stepCount = exactly(node.b, cache.steps);
  if (!sizes[2].isKnown())
    return node.error() << "has words of a size known only at run time";
  return words;
}

/// Reads the past at operands 3 and 4.
LogicalResult readPast(Node &node, Cache &cache) {
  if (node.has(3) != node.has(4))
    return node.error() << "has a past of keys or of values alone";
  if (node.has(3)) {
    Integers shape{cache.batch.bound, cache.shared, 0, cache.size};
    if (node.rank(3) == 4)
      shape[2] = node.shape(3)[2];
    if (node.shape(3) != ArrayRef<int64_t>(shape) ||
        node.type(4) != node.type(3) || node.element(3) != node.element(0))
      return node.error() << "has a past " << node.type(3) << " and "
                          << node.type(4);
    cache.past = sizesOf(node.traced(3))[2];
  }
  cache.pastCount = exactly(node.b, cache.past);
  return success();
}

/// The present is as long as all keys, `total`, or as the buffer of the past.
LogicalResult readPresent(Node &node, Cache &cache, Expr total) {
  const Size &past = cache.past, &steps = cache.steps;
  cache.present.bound = past.bound + steps.bound;
  if (!past.isKnown() || !steps.isKnown()) {
    auto size = sizeFrom(node, maximum(total, cache.pastCount).value,
                         cache.present.bound);
    if (failed(size))
      return failure();
    cache.present = *size;
    cache.presentCount = exactly(node.b, *size);
    return success();
  }
  if (auto shape = node.declaredShape(1); shape && shape->size() == 4) {
    cache.present.bound = (*shape)[2];
  } else if (node.tryConstant(6)) {
    auto known = node.integers(6);
    if (failed(known))
      return failure();
    cache.present.bound = std::max(past.bound, known->front());
  }
  if (cache.present.bound < std::max(past.bound, steps.bound) ||
      cache.present.bound > past.bound + steps.bound)
    return node.error() << "its present has " << cache.present.bound
                        << " places, its past " << past.bound << " and "
                        << steps.bound << " more come";
  cache.presentCount = exactly(node.b, cache.present);
  return check(node, equal(maximum(total, cache.pastCount), cache.presentCount),
               "its total_sequence_length does not suit the size of its "
               "present");
}

/// Reads lengths at operands 5 and 6: the last place of each batch, and the
/// greatest length of all.
LogicalResult readLengths(Node &node, Cache &cache) {
  for (unsigned i : {5, 6})
    if (!node.has(i) || !isOf(node.element(i), Elements::integers))
      return node.error() << "has no lengths at operand " << i;
  int64_t batch = cache.batch.bound;
  if (node.type(5).getNumElements() != batch ||
      node.type(6).getNumElements() != 1)
    return node.error() << "has lengths " << node.type(5) << " and "
                        << node.type(6) << " for a batch of " << batch;
  Type i64 = node.b.getI64Type();
  Expr total = reshape(cast(operand(node, 6), i64), {});
  if (failed(readPresent(node, cache, total)))
    return failure();
  Expr lengths = reshape(cast(operand(node, 5), i64), {batch}) + 1;
  // The first words have no past, and may be padded behind.
  cache.before = select(equal(total, cache.stepCount), lengths.like(0),
                        lengths - cache.stepCount);
  if (!cache.batch.isKnown())
    cache.before =
        select(within(node.b, cache.batch), cache.before, lengths.like(0));
  Expr most = minimum(cache.presentCount - cache.stepCount, cache.pastCount);
  return check(node, inRange(cache.before, cache.before.like(0), most + 1),
               "its seqlens_k names a place outside of its present");
}

/// New keys or values of one sequence in the room behind its past. What comes
/// after them may be anything.
Expr writtenBehind(Node &node, const Cache &cache, Expr past, Expr fresh) {
  Integers room(past.shape());
  room[2] = cache.present.bound;
  Value zero = weir::number(node.b, 0).value;
  SmallVector<Value> starts{zero, zero, reshape(cache.before, {}).value, zero};
  return Expr(node.b, make<graph::DynamicUpdateSliceOp>(
                          node.b, paddedTo(node.b, past.value, room),
                          fresh.value, starts));
}

/// New keys or values [batch, heads, steps, size] after those of the past at
/// operand `i`. Each batch has its own length; the rest is zero.
FailureOr<Expr> behindPast(Node &node, const Cache &cache, unsigned i,
                           Expr fresh) {
  Sizes sizes{cache.batch, {cache.shared, {}}, cache.steps, {cache.size, {}}};
  if (!node.has(i))
    return masked(node.b, withSizes(fresh.value, sizes), 0);
  if (cache.isInPlace())
    return writtenBehind(node, cache, operand(node, i), fresh);
  int64_t present = cache.present.bound, batch = cache.batch.bound;
  auto number = [&](int64_t n) { return static_cast<double>(n); };
  Expr position = along(counted(node.b, present, node.b.getI64Type()), 1, 2);
  Expr before = reshape(cache.before, {batch, 1});
  // Rows are those of the past, the new ones, and one of zeros.
  Integers none(fresh.shape());
  none[2] = 1;
  Expr zeros = filled(node.b, none, fresh.elementType(), 0);
  Expr rows = concat({operand(node, i), fresh, zeros}, 2);
  Expr at = select(less(position, before + cache.stepCount),
                   position - before + number(cache.past.bound),
                   position.like(number(cache.past.bound + cache.steps.bound)));
  at = select(less(position, before), position, at);
  at = broadcast(reshape(at, {batch, 1, present, 1}),
                 {batch, cache.shared, present, cache.size});
  return Part(node, "GatherElements")
      .set("axis", int64_t(2))
      .runForOne({rows, at});
}

/// Rotates queries and keys by their positions.
LogicalResult turn(Node &node, const Cache &cache, Words &words) {
  if (!node.intAttr("do_rotary"))
    return success();
  if (!node.has(7) || !node.has(8) || node.rank(7) != 2 ||
      node.type(7) != node.type(8))
    return node.error() << "has no angles at operands 7 and 8";
  Integers shape{cache.batch.bound, cache.steps.bound};
  Expr positions;
  if (node.has(9)) {
    positions = cast(operand(node, 9), node.b.getI64Type());
    if (positions.shape() != ArrayRef<int64_t>(shape))
      return node.error() << "has places " << positions.type();
    Traced given = node.traced(9);
    given.value = positions.value;
    positions = masked(node.b, given, 0);
  } else {
    // What lies beyond the steps has a place that there is.
    Expr count = counted(node.b, shape[1], node.b.getI64Type());
    if (!cache.steps.isKnown())
      count = minimum(count, maximum(cache.stepCount - 1, count.like(0)));
    positions =
        reshape(cache.before, {shape[0], 1}) + reshape(count, {1, shape[1]});
  }
  int64_t size = 2 * node.shape(7)[1];
  for (Expr *x : {&words.q, &words.k}) {
    auto y = turned(node, *x, operand(node, 7), operand(node, 8), positions,
                    x == &words.q ? cache.heads : cache.shared, size);
    if (failed(y))
      return failure();
    *x = *y;
  }
  return success();
}

LogicalResult checkSupported(Node &node) {
  if (node.has(12) || node.has(13) ||
      node.stringAttr("k_quant_type", "NONE") != "NONE" ||
      node.stringAttr("v_quant_type", "NONE") != "NONE")
    return node.unsupported("a past that is quantized");
  if (node.wants(3) || node.intAttr("qk_output"))
    return node.unsupported("products of queries and keys as a result");
  if (node.intAttr("causal", 1) != 1)
    return node.unsupported("attention that is not causal");
  return success();
}

/// What masks, the window and operand 10 add to products.
FailureOr<Expr> biasOf(Node &node, const Cache &cache) {
  Type i64 = node.b.getI64Type();
  Expr key = along(counted(node.b, cache.present.bound, i64), 3, 4);
  Expr query = along(counted(node.b, cache.steps.bound, i64), 2, 4) +
               along(cache.before, 0, 4);
  Expr seen = apply<graph::LessEqualOp>(key, query);
  if (int64_t window = node.intAttr("local_window_size", -1); window >= 0)
    seen = both(seen, less(query - static_cast<double>(window), key));
  double nothing = -std::numeric_limits<double>::infinity();
  Expr hidden = hiding(seen, nothing);
  if (!node.has(10))
    return hidden;
  Integers whole{cache.batch.bound, cache.heads, cache.steps.bound,
                 cache.present.bound};
  Expr bias = widened(masked(node.b, node.traced(10), 0));
  if (bias.rank() == 4 && bias.size(3) > whole[3])
    bias = slice(bias, 3, 0, whole[3]);
  auto shape = broadcastShapes(bias.shape(), whole);
  if (failed(shape) || *shape != whole)
    return node.error() << "adds " << node.type(10) << " to products ["
                        << ArrayRef<int64_t>(whole) << "]";
  return hidden + bias;
}

/// Operands: queries, keys, values, the past of keys and of values, lengths,
/// angles, places, what is added to products, and logits of sinks.
LogicalResult importGroupQuery(Node &node) {
  if (failed(wantFloats(node, 1, 3)) || failed(checkSupported(node)))
    return failure();
  Cache cache;
  auto words = groupedWords(node, cache);
  if (failed(words) || failed(readPast(node, cache)) ||
      failed(readLengths(node, cache)) || failed(turn(node, cache, *words)))
    return failure();
  Words heads{splitHeads(words->q, cache.heads),
              splitHeads(words->k, cache.shared),
              splitHeads(words->v, cache.shared)};
  auto k = behindPast(node, cache, 3, heads.k),
       v = behindPast(node, cache, 4, heads.v);
  if (failed(k) || failed(v))
    return failure();
  heads.k = *k;
  heads.v = *v;
  auto bias = biasOf(node, cache);
  if (failed(bias))
    return failure();
  Scores scores{
      node.floatAttr("scale"), node.floatAttr("softcap"), *bias, {}, {}};
  if (node.has(11)) {
    if (node.type(11).getNumElements() != cache.heads)
      return node.error() << "has sinks " << node.type(11) << " for "
                          << cache.heads << " heads";
    scores.sink = reshape(operand(node, 11), {1, cache.heads, 1, 1});
  } else if (node.intAttr("smooth_softmax") == 1) {
    scores.sink = filled(node.b, {1, 1, 1, 1}, node.b.getF32Type(), 0);
  }
  if (node.has(3) && cache.isInPlace())
    scores.keys = cache.seen();
  Expr y = joinHeads(attended(node, heads, scores));
  if (failed(give(node, {y, heads.k, heads.v})))
    return failure();
  if (!cache.isDynamic() || !y || !heads.k || !heads.v)
    return success();
  Sizes present{
      cache.batch, {cache.shared, {}}, cache.present, {cache.size, {}}};
  if (failed(giveSizes(node, 1, present)) ||
      failed(giveSizes(node, 2, present)))
    return failure();
  return giveSizes(node, 0, {cache.batch, cache.steps, {y.size(2), {}}});
}

} // namespace

void addMicrosoftCacheHandlers(Handlers &handlers) {
  handlers["com.microsoft::GroupQueryAttention"] = {importGroupQuery,
                                                    Takes::bounded};
}

} // namespace weir::onnx
