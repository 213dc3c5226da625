// Operators that weir refuses, with a reason.

#include "compiler/import/onnx/microsoft/Microsoft.h"

using namespace mlir;

namespace weir::onnx {

/// Decoding loops, which hold a decoder as a graph and call it until a token of
/// their own ends it.
static LogicalResult refuseSearch(Node &node) {
  return node.unsupported("decoding loops inside of a model; compile the "
                          "decoder alone, and search in the program that calls "
                          "it");
}

static LogicalResult refuseSparse(Node &node) {
  return node.unsupported("products of sparse tensors");
}

static LogicalResult refuseBlocked(Node &node) {
  return node.unsupported(
      "logits that depend on all tokens so far; forbid "
      "repeated runs of tokens in the program that samples");
}

void addRefusedHandlers(Handlers &handlers) {
  for (StringRef op :
       {"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"})
    handlers[("com.microsoft::" + op).str()] = refuseSearch;
  handlers["com.microsoft::NGramRepeatBlock"] = refuseBlocked;
  handlers["com.microsoft::SparseToDenseMatMul"] = {refuseSparse,
                                                    Takes::anything};
}

} // namespace weir::onnx
