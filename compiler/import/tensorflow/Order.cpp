// Which nodes must be traced, and in which order.

#include "compiler/import/tensorflow/Order.h"

#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/control/LoopNest.h"
#include "compiler/import/tensorflow/file/Summary.h"
#include "compiler/import/tensorflow/state/Assigned.h"
#include "compiler/import/tensorflow/state/State.h"

using namespace mlir;

namespace weir::tensorflow {

/// Nodes that matter even where nothing uses their results. All else that is
/// only waited for is not traced; what it waits for is looked at all the same.
static bool hasEffects(const ::tensorflow::NodeDef &def) {
  StringRef op = def.op();
  if (assigns(op, 0))
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
  const Feeds &fed;

  /// What must be traced before the node. A loop is traced as a whole for the
  /// first of its Exits, which needs what enters it, and the others need that.
  void before(int node, SmallVectorImpl<Edge> &operands,
              SmallVectorImpl<int> &controls) const {
    int left = graph.loops && plainOp(graph.op(node)) == "Exit"
                   ? graph.loops->left(node)
                   : -1;
    auto add = [&](int of) {
      operands.append(graph.operands(of).begin(), graph.operands(of).end());
      for (int control : graph.controls(of))
        if (!fed.hasNode(control))
          controls.push_back(control);
    };
    if (left < 0)
      return add(node);
    const FrameLoop &loop = graph.loops->loop(left);
    int first = loop.exits.empty() ? node : loop.exits.front();
    if (first != node && !fed.hasNode(first)) {
      operands.push_back({first, 0});
      return;
    }
    for (int enter : loop.enters)
      add(enter);
  }
  bool isCut(Edge edge) const { return edge.isArgument() || fed.find(edge); }
};

} // namespace

/// What is needed, from the wanted edges back. Costs what it finds, however
/// large the graph is.
static llvm::DenseMap<int, Need> findNeeded(const Search &search,
                                            ArrayRef<Edge> wanted,
                                            ArrayRef<int> controls) {
  const Graph &graph = search.graph;
  llvm::DenseMap<int, Need> needed;
  std::vector<int> work;
  auto mark = [&](int node, Need why) {
    // Conditionals of the first version tell by control edges which nodes of
    // theirs run.
    if (why == waitedFor && (graph.hasSwitches || hasEffects(graph.node(node))))
      why = value;
    Need &need = needed[node];
    if (need >= why)
      return;
    need = why;
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
    SmallVector<Edge> operands;
    SmallVector<int> waits;
    search.before(node, operands, waits);
    Need need = needed.lookup(node);
    for (Edge edge : operands)
      if (!search.isCut(edge))
        mark(edge.node, need);
    for (int control : waits)
      mark(control, waitedFor);
  }
  return needed;
}

std::vector<int> neededNodes(const Graph &graph, ArrayRef<Edge> wanted,
                             ArrayRef<int> controls) {
  std::vector<int> nodes;
  for (auto [node, need] : findNeeded(Search{graph, Feeds()}, wanted, controls))
    if (need == value)
      nodes.push_back(node);
  llvm::sort(nodes);
  return nodes;
}

/// A node may only be used by those in its own loop.
static LogicalResult checkLevel(Report &report, const Graph &graph, int node,
                                int level) {
  const LoopNest *nest = graph.loops.get();
  if (!nest || (graph.op(node) == "Const" && graph.controls(node).empty()))
    return success();
  Location at = report.node(graph.name(node));
  if (nest->isMixed(node)) {
    report.error(at) << "(" << escaped(graph.op(node))
                     << "): has operands of different loops";
    return failure();
  }
  if (nest->loopOf(node) == level)
    return success();
  report.error(at) << "(" << escaped(graph.op(node))
                   << "): is in a loop, and is used outside of it without an "
                      "Exit";
  return failure();
}

FailureOr<std::vector<int>> orderNodes(Report &report, const Graph &graph,
                                       ArrayRef<Edge> wanted,
                                       ArrayRef<int> controls, const Feeds &fed,
                                       int level) {
  Search search{graph, fed};
  llvm::DenseMap<int, Need> needed = findNeeded(search, wanted, controls);
  std::vector<int> roots(llvm::make_first_range(needed).begin(),
                         llvm::make_first_range(needed).end());
  llvm::sort(roots);
  for (int node : roots)
    if (failed(checkLevel(report, graph, node, level)))
      return failure();
  enum Seen : char { unseen, open, closed };
  llvm::DenseMap<int, Seen> seen;
  std::vector<int> order;
  struct Visit {
    int node;
    size_t next = 0;
    SmallVector<Edge> operands;
    SmallVector<int> waits;
  };
  std::vector<Visit> stack;
  auto enter = [&](int node) {
    seen[node] = open;
    stack.emplace_back();
    stack.back().node = node;
    search.before(node, stack.back().operands, stack.back().waits);
  };
  for (int root : roots) {
    if (seen.lookup(root) != unseen)
      continue;
    enter(root);
    while (!stack.empty()) {
      auto &[node, next, operands, waits] = stack.back();
      if (next == operands.size() + waits.size()) {
        seen[node] = closed;
        if (needed.lookup(node) == value)
          order.push_back(node);
        stack.pop_back();
        continue;
      }
      size_t i = next++;
      if (i < operands.size() && search.isCut(operands[i]))
        continue;
      int before =
          i < operands.size() ? operands[i].node : waits[i - operands.size()];
      Seen beforeIs = seen.lookup(before);
      if (beforeIs == unseen) {
        enter(before);
      } else if (beforeIs == open) {
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
