// Which nodes must be traced, and in which order.

#include "compiler/import/tensorflow/Tracer.h"

using namespace mlir;

namespace weir::tensorflow {

/// Nodes that matter even where nothing uses their results. All else that is
/// only waited for is not traced; what it waits for is looked at all the same.
static bool hasEffects(const ::tensorflow::NodeDef &def) {
  StringRef op = def.op();
  if (op.starts_with("Assign") || op.starts_with("Scatter") ||
      op.starts_with("ResourceScatter") || op.starts_with("ResourceApply") ||
      op.starts_with("Apply"))
    return true;
  return llvm::is_contained(ArrayRef<StringRef>{"Assert", "PartitionedCall",
                                                "StatefulPartitionedCall", "If",
                                                "While", "Case"},
                            op);
}

namespace {

/// What a needed node's own results are needed for.
enum Need : char { none = 0, waitedFor = 1, value = 2 };

struct Search {
  const Graph &graph;
  ArrayRef<Edge> fed;
  llvm::DenseSet<std::pair<int, int>> cut;

  Search(const Graph &graph, ArrayRef<Edge> fed) : graph(graph), fed(fed) {
    for (Edge edge : fed)
      cut.insert({edge.node, edge.output});
  }
  bool isCut(Edge edge) const {
    return edge.isArgument() || cut.contains({edge.node, edge.output});
  }
};

} // namespace

/// Marks what is needed, from the wanted edges back.
static std::vector<char> markNeeded(const Search &search, ArrayRef<Edge> wanted,
                                    ArrayRef<int> controls) {
  const Graph &graph = search.graph;
  std::vector<char> need(graph.size(), none);
  std::vector<int> work;
  auto mark = [&](int node, char why) {
    // Conditionals of the first version tell by control edges which nodes of
    // theirs run.
    if (why == waitedFor && (graph.hasSwitches || hasEffects(graph.node(node))))
      why = value;
    if (need[node] >= why)
      return;
    need[node] = why;
    work.push_back(node);
  };
  for (Edge edge : wanted)
    if (!search.isCut(edge))
      mark(edge.node, value);
  for (int node : controls)
    mark(node, waitedFor);
  while (!work.empty()) {
    int node = work.back();
    work.pop_back();
    for (Edge edge : graph.operands(node))
      if (!search.isCut(edge))
        mark(edge.node, need[node]);
    for (int control : graph.controls(node))
      mark(control, waitedFor);
  }
  return need;
}

FailureOr<std::vector<int>> orderNodes(Report &report, const Graph &graph,
                                       ArrayRef<Edge> wanted,
                                       ArrayRef<int> controls,
                                       ArrayRef<Edge> fed) {
  Search search(graph, fed);
  std::vector<char> need = markNeeded(search, wanted, controls);
  enum : char { unseen, open, closed };
  std::vector<char> seen(graph.size(), unseen);
  std::vector<int> order;
  struct Visit {
    int node;
    size_t next;
  };
  std::vector<Visit> stack;
  auto enter = [&](int node) {
    seen[node] = open;
    stack.push_back({node, 0});
  };
  for (int root = 0; root < graph.size(); ++root) {
    if (!need[root] || seen[root] != unseen)
      continue;
    enter(root);
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      ArrayRef<Edge> operands = graph.operands(node);
      ArrayRef<int> waits = graph.controls(node);
      if (next == operands.size() + waits.size()) {
        seen[node] = closed;
        if (need[node] == value)
          order.push_back(node);
        stack.pop_back();
        continue;
      }
      size_t i = next++;
      if (i < operands.size() && search.isCut(operands[i]))
        continue;
      int before =
          i < operands.size() ? operands[i].node : waits[i - operands.size()];
      if (seen[before] == unseen) {
        enter(before);
      } else if (seen[before] == open) {
        auto start = llvm::find_if(
            stack, [&](const Visit &visit) { return visit.node == before; });
        InFlightDiagnostic error =
            report.error(report.node(graph.name(before)));
        error << "its value needs itself, by way of "
              << std::distance(start, stack.end()) << " nodes";
        if (std::next(start) != stack.end())
          error << ", the last of them '"
                << escaped(graph.name(std::next(start)->node)) << "'";
        return failure();
      }
    }
  }
  return order;
}

} // namespace weir::tensorflow
