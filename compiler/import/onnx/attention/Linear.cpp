// Attention by a state that each step updates, and convolutions that look back.

#include "compiler/import/Build.h"
#include "compiler/import/build/Steps.h"
#include "compiler/import/onnx/attention/Attention.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;

namespace weir::onnx {

/// Operands: queries, keys, values; the past state [batch, heads, dk, dv]; the
/// logarithms of what remains of it at each step; how much of a correction is
/// taken; and what part of keys is corrected.
static LogicalResult importLinearAttention(Node &node) {
  if (failed(wantFloats(node, 3, 3)))
    return failure();
  StringRef rule = node.stringAttr("update_rule", "gated_delta");
  bool isGated = rule == "gated" || rule == "gated_delta",
       corrects = rule == "delta" || rule == "gated_delta";
  if (!isGated && !corrects && rule != "linear")
    return node.error() << "update rule '" << rule << "' is unknown";
  if (node.has(4) != isGated || node.has(5) != corrects ||
      (node.has(6) && !corrects))
    return node.error() << "update rule '" << rule
                        << "' does not go with these operands";
  int64_t own = node.intAttr("q_num_heads"),
          shared = node.intAttr("kv_num_heads");
  if (own < 1 || shared < 1 || own % shared)
    return node.error() << own << " heads cannot share " << shared;
  Type f32 = node.b.getF32Type();
  auto part = [&](unsigned i, int64_t heads) {
    return cast(splitHeads(operand(node, i), heads), f32);
  };
  Expr q = part(0, own), k = part(1, shared), v = part(2, shared);
  if (!q || !k || !v || q.size(0) != k.size(0) || q.size(2) != k.size(2) ||
      v.shape().take_front(3) != k.shape().take_front(3) ||
      q.size(3) != k.size(3) || q.size(3) < 1)
    return give(node, Expr());
  int64_t batch = q.size(0), steps = q.size(2), dk = q.size(3), dv = v.size(3);
  Integers shape{batch, shared, dk, dv};
  Expr state = filled(node.b, shape, f32, 0), decay, beta, erase = k;
  if (node.has(3))
    state = cast(operand(node, 3), f32);
  if (!state || state.shape() != ArrayRef<int64_t>(shape))
    return node.error() << "has a state " << node.type(3);
  auto suits = [&](Expr e) {
    return e && e.size(0) == batch && e.size(2) == steps;
  };
  if (isGated) {
    decay = part(4, shared);
    if (!suits(decay) || (decay.size(3) != 1 && decay.size(3) != dk))
      return node.error() << "has decays " << node.type(4);
    decay = apply<graph::ExpOp>(decay);
  }
  if (corrects) {
    beta = part(5, node.rank(5) == 3 && node.shape(5)[2] == 1 ? 1 : shared);
    if (!suits(beta) || beta.size(3) != 1)
      return node.error() << "has rates " << node.type(5);
  }
  if (node.has(6)) {
    erase = part(6, shared) * k;
    if (!erase || erase.shape() != k.shape())
      return node.error() << "has gates " << node.type(6);
  }
  double scale = node.floatAttr("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(static_cast<double>(dk));
  Expr outputs = filled(node.b, {batch, own, steps, dv}, f32, 0);
  auto column = [&](Expr e, Expr at) {
    Expr now = partAt(e, 2, at);
    return now ? reshape(now, {now.size(0), now.size(1), now.size(2), 1}) : now;
  };
  auto row = [&](Expr e, Expr at) {
    Expr now = partAt(e, 2, at);
    return now ? reshape(now, {now.size(0), now.size(1), 1, now.size(2)}) : now;
  };
  auto step = [&](Expr at, ArrayRef<Expr> before) -> SmallVector<Expr> {
    Expr now = before[0], value = row(v, at);
    if (isGated)
      now = now * column(decay, at);
    if (corrects)
      value = row(beta, at) * (value - matmul(row(erase, at), now));
    now = now + column(k, at) * value;
    Expr seen = repeatHeads(now, own / shared);
    Expr y = matmul(row(q, at), seen) * scale;
    return {now, withPart(before[1], 2, at, reshape(y, {batch, own, dv}))};
  };
  SmallVector<Expr> last = repeat(node.b, steps, {state, outputs}, step);
  return give(node,
              {cast(joinHeads(last[1]), node.element(0)),
               cast(last[0], node.has(3) ? node.element(3) : node.element(0))});
}

/// Operands: x [batch, channels, steps], filters [channels, 1, k], a bias and
/// the k - 1 steps before.
static LogicalResult importCausalConv(Node &node) {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  Expr x = operand(node, 0), w = operand(node, 1);
  StringRef activation = node.stringAttr("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.error() << "activation '" << activation << "' is unknown";
  int64_t channels = x.rank() == 3 ? x.size(1) : 0;
  if (w.rank() != 3 || w.size(0) != channels || w.size(1) != 1 ||
      w.size(2) < 1 || channels < 1 ||
      (node.has(2) && node.shape(2) != ArrayRef<int64_t>{channels}))
    return node.error() << "cannot convolve " << x.type() << " with "
                        << w.type();
  int64_t size = w.size(2);
  Integers before{x.size(0), channels, size - 1};
  Expr past = node.has(3) ? operand(node, 3)
                          : filled(node.b, before, x.elementType(), 0);
  if (!past || past.shape() != ArrayRef<int64_t>(before))
    return node.error() << "has a state " << node.type(3);
  Expr all = size > 1 ? concat({past, x}, 2) : x;
  if (!all)
    return give(node, all);
  Windows windows{{size}, {1}, {1}, {0}, {0}, {x.size(2)}};
  Expr y =
      convolve(channelsLast(all), transpose(w, {2, 1, 0}), windows, channels);
  if (node.has(2))
    y = y + operand(node, 2);
  if (activation != "none" && y) {
    Expr wide = widened(y);
    y = cast(wide * sigmoid(wide), y.elementType());
  }
  return give(node, {channelsFirst(y),
                     slice(all, 2, all.size(2) - (size - 1), size - 1)});
}

void addLinearAttentionHandlers(Handlers &handlers) {
  handlers["LinearAttention"] = importLinearAttention;
  handlers["CausalConvWithState"] = importCausalConv;
}

} // namespace weir::onnx
