// Recurrent cells that TensorFlow has as one op.

#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// A long short-term memory: its weights and how it computes.
struct Lstm {
  Expr weights, peepInput, peepForget, peepOutput, bias;
  double forgetBias, clip;
  bool peephole, forgetFirst;

  Lstm(Node &node, unsigned first, bool second)
      : weights(operand(node, first)), peepInput(operand(node, first + 1)),
        peepForget(operand(node, first + 2)),
        peepOutput(operand(node, first + 3)), bias(operand(node, first + 4)),
        // Version 2 has the forget bias in its bias, and does not clip.
        forgetBias(second ? 0 : node.floatAttr("forget_bias", 1)),
        clip(node.floatAttr("cell_clip", second ? 0 : 3)),
        peephole(node.boolAttr("use_peephole")), forgetFirst(second) {}

  /// i, cs, f, o, ci, co, h: gates and states after one step.
  SmallVector<Expr> step(Expr x, Expr state, Expr hidden) const {
    Expr gates = matmul(concat({x, hidden}, 1), weights) + bias;
    if (!gates || gates.rank() != 2 || gates.size(1) % 4 != 0)
      return SmallVector<Expr>(7);
    int64_t cells = gates.size(1) / 4;
    auto gate = [&](int64_t i) { return slice(gates, 1, i * cells, cells); };
    Expr input = gate(0), candidate = gate(forgetFirst ? 2 : 1),
         forget = gate(forgetFirst ? 1 : 2), output = gate(3);
    if (peephole) {
      input = input + state * peepInput;
      forget = forget + state * peepForget;
    }
    input = sigmoid(input);
    forget = sigmoid(forget + forgetBias);
    candidate = tanh(candidate);
    Expr next = candidate * input + state * forget;
    if (clip > 0)
      next = clamp(next, -clip, clip);
    if (peephole)
      output = output + next * peepOutput;
    output = sigmoid(output);
    Expr squashed = tanh(next);
    return {input,     next,     forget,           output,
            candidate, squashed, squashed * output};
  }
};

LogicalResult lstmCell(Node &node) {
  Lstm lstm(node, 3, /*second=*/false);
  return give(node,
              lstm.step(operand(node, 0), operand(node, 1), operand(node, 2)));
}

/// All steps of a sequence [time, batch, inputs]; zeros after its length.
LogicalResult lstmSequence(Node &node) {
  Lstm lstm(node, 4, node.op() == "BlockLSTMV2");
  auto length = node.integer(0);
  if (failed(length))
    return failure();
  Expr x = operand(node, 1), state = operand(node, 2),
       hidden = operand(node, 3);
  if (!x || x.rank() != 3 || !state || state.rank() != 2)
    return give(node, Expr());
  int64_t steps = x.size(0);
  if (*length < 0 || *length > steps)
    return node.error() << "a sequence of " << *length << " in " << steps
                        << " steps";
  SmallVector<SmallVector<Expr>> all(7);
  for (int64_t i = 0; i < *length; ++i) {
    Expr now = reshape(slice(x, 0, i, 1), {x.size(1), x.size(2)});
    SmallVector<Expr> results = lstm.step(now, state, hidden);
    state = results[1];
    hidden = results[6];
    if (!hidden)
      return give(node, Expr());
    for (int64_t k = 0; k < 7; ++k)
      all[k].push_back(
          reshape(results[k], {1, results[k].size(0), results[k].size(1)}));
  }
  auto rest = RankedTensorType::get(
      {steps - *length, state.size(0), state.size(1)}, state.elementType());
  SmallVector<Expr> results;
  for (SmallVector<Expr> &parts : all) {
    if (*length < steps || parts.empty())
      parts.push_back(Expr(node.b, splat(node.b, rest, 0)));
    results.push_back(concat(parts, 0));
  }
  return give(node, results);
}

/// r, u, c, h of a gated recurrent unit.
LogicalResult gruCell(Node &node) {
  Expr x = operand(node, 0), hidden = operand(node, 1);
  Expr gates = sigmoid(matmul(concat({x, hidden}, 1), operand(node, 2)) +
                       operand(node, 4));
  if (!gates || gates.rank() != 2 || gates.size(1) % 2 != 0)
    return give(node, Expr());
  int64_t cells = gates.size(1) / 2;
  Expr reset = slice(gates, 1, 0, cells);
  Expr update = slice(gates, 1, cells, cells);
  Expr candidate =
      tanh(matmul(concat({x, hidden * reset}, 1), operand(node, 3)) +
           operand(node, 5));
  return give(node, {reset, update, candidate,
                     update * hidden + (1 - update) * candidate});
}

} // namespace

void addRecurrentHandlers(Handlers &handlers) {
  handlers["LSTMBlockCell"] = lstmCell;
  handlers["BlockLSTM"] = lstmSequence;
  handlers["BlockLSTMV2"] = lstmSequence;
  handlers["GRUBlockCell"] = gruCell;
}

} // namespace weir::tensorflow
