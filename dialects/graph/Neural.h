// The ops of family Neural.

#ifndef WEIR_DIALECTS_GRAPH_NEURAL_H
#define WEIR_DIALECTS_GRAPH_NEURAL_H

#include "dialects/graph/Graph.h"
#include <optional>

namespace weir::graph {

/// A window that slides along one dimension.
struct Window {
  int64_t size, stride, dilation, low, high;
};

/// How often `window` fits into `size` elements and their padding; nothing
/// where it never does or its numbers make no sense.
std::optional<int64_t> windowCount(int64_t size, const Window &window);

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/NeuralOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_NEURAL_H
