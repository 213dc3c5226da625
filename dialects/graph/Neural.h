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

/// The number of positions of `window` over `size` elements and their padding.
/// No value if it does not fit, or if its numbers are invalid.
std::optional<int64_t> windowCount(int64_t size, const Window &window);

/// The padding after `size` elements for `count` windows, without the windows'
/// own padding there. Negative if the last window ends before the last element.
/// No value on overflow.
std::optional<int64_t> paddingBehind(int64_t size, const Window &window,
                                     int64_t count);

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/NeuralOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_NEURAL_H
