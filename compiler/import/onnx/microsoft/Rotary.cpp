// Rotary embeddings, alone and inside of attention.

#include "compiler/import/onnx/microsoft/Rotary.h"

#include "compiler/import/onnx/microsoft/Attention.h"
#include "compiler/import/onnx/microsoft/Part.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Expr> turned(Node &node, Expr x, Expr cosines, Expr sines,
                       Expr positions, int64_t heads, int64_t size) {
  Part rotary(node, "RotaryEmbedding");
  rotary.set("num_heads", heads).set("rotary_embedding_dim", size);
  rotary.set("interleaved", node.intAttr(node.hasAttr("rotary_interleaved")
                                             ? "rotary_interleaved"
                                             : "interleaved"));
  return rotary.runForOne({x, cosines, sines, positions});
}

/// Operands: x, places, cosines and sines. One place alone is that of the first
/// word.
static LogicalResult importRotary(Node &node) {
  if (failed(wantOperands(node, 4)) ||
      failed(wantElements(node, 0, Elements::floats)) ||
      failed(wantElements(node, 1, Elements::integers)))
    return failure();
  Expr x = operand(node, 0), positions = operand(node, 1);
  if ((x.rank() != 3 && x.rank() != 4) || node.rank(2) != 2 ||
      node.type(2) != node.type(3))
    return node.error() << "cannot turn " << x.type() << " by angles "
                        << node.type(2) << " and " << node.type(3);
  if (node.intAttr("is_packed_batching"))
    return node.unsupported("batches that are packed into one sequence");
  int64_t batch = x.size(0), steps = x.size(x.rank() == 3 ? 1 : 2);
  int64_t heads = node.intAttr("num_heads"),
          size = node.intAttr("rotary_embedding_dim");
  // Without a number of heads, the angles say how large one is.
  if (x.rank() == 3 && heads == 0) {
    int64_t whole = node.shape(2)[1] * 2;
    if (size != 0 || whole == 0 || x.size(2) % whole)
      return node.error() << "cannot part " << x.type() << " into heads";
    heads = x.size(2) / whole;
  }
  if (positions.type().getNumElements() == 1 && positions.rank() < 2) {
    Expr count = counted(node.b, steps, positions.elementType());
    positions = broadcast(reshape(count, {1, steps}) + reshape(positions, {}),
                          {batch, steps});
  }
  auto y = turned(node, x, operand(node, 2), operand(node, 3), positions, heads,
                  size);
  if (failed(y))
    return failure();
  return give(node, *y);
}

void addMicrosoftRotaryHandlers(Handlers &handlers) {
  handlers["com.microsoft::RotaryEmbedding"] = importRotary;
}

} // namespace weir::onnx
