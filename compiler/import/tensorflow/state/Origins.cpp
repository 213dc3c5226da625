// Follows edges back to where they come from.

#include "compiler/import/tensorflow/state/Origins.h"

using namespace mlir;

namespace weir::tensorflow {

ArrayRef<Edge> callArguments(const Graph &graph, int node) {
  StringRef op = graph.op(node);
  ArrayRef<Edge> operands = graph.operands(node);
  bool chooses = op == "If" || op == "StatelessIf" || op == "Case" ||
                 op == "StatelessCase";
  return chooses && !operands.empty() ? operands.drop_front() : operands;
}

std::optional<Edge> Origins::of(const Graph &graph, Edge edge) {
  SmallVector<int> followed;
  std::optional<Edge> origin = edge;
  while (!origin->isArgument() && handsOn(graph.op(origin->node))) {
    ArrayRef<Edge> operands = graph.operands(origin->node);
    if (operands.empty())
      break;
    auto [at, isNew] = known.try_emplace({&graph, origin->node}, std::nullopt);
    if (!isNew) {
      origin = at->second;
      break;
    }
    followed.push_back(origin->node);
    origin = operands.front();
  }
  for (int node : followed)
    known[{&graph, node}] = origin;
  return origin;
}

} // namespace weir::tensorflow
