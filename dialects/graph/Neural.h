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

/// How many elements of zero stand behind `size` elements so that `count`
/// windows fit, whose own padding behind does not count; negative where the
/// last of them reach none. Nothing where that cannot be counted.
std::optional<int64_t> paddingBehind(int64_t size, const Window &window,
                                     int64_t count);

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/NeuralOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_NEURAL_H
