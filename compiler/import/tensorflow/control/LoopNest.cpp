// Finds the loops of a graph from its Enter and Exit nodes.

#include "compiler/import/tensorflow/control/LoopNest.h"

#include "compiler/import/tensorflow/Graph.h"

#include <map>

using namespace llvm;

namespace weir::tensorflow {

StringRef plainOp(StringRef op) {
  if (op.starts_with("Ref") &&
      is_contained(ArrayRef<StringRef>{"RefSwitch", "RefMerge", "RefEnter",
                                       "RefExit", "RefNextIteration"},
                   op))
    return op.drop_front(3);
  return op;
}

/// An edge that closes a loop.
static bool isBack(const Graph &graph, int node, Edge edge) {
  return !edge.isArgument() && plainOp(graph.op(node)) == "Merge" &&
         plainOp(graph.op(edge.node)) == "NextIteration";
}

LoopNest::LoopNest(const Graph &graph)
    : graph(graph), loops(graph.size(), -1), mixed(graph.size()) {
  // Nodes in an order of their own, without the edges that close loops.
  std::vector<std::vector<int>> users(graph.size());
  std::vector<int> missing(graph.size());
  for (int node = 0; node < graph.size(); ++node) {
    for (Edge edge : graph.operands(node))
      if (!edge.isArgument() && !isBack(graph, node, edge)) {
        users[edge.node].push_back(node);
        ++missing[node];
      }
    for (int control : graph.controls(node)) {
      users[control].push_back(node);
      ++missing[node];
    }
  }
  std::vector<int> ready;
  for (int node = 0; node < graph.size(); ++node)
    if (!missing[node])
      ready.push_back(node);
  std::map<std::pair<int, std::string>, int> byName;
  while (!ready.empty()) {
    int node = ready.back();
    ready.pop_back();
    for (int user : users[node])
      if (!--missing[user])
        ready.push_back(user);
    // The innermost loop of what it needs. Constants without inputs are at
    // home everywhere.
    int inner = -1;
    bool any = false;
    auto see = [&](int before) {
      if (graph.op(before) == "Const" && graph.controls(before).empty())
        return;
      int loop = loops[before];
      if (any && loop != inner)
        mixed[node] = true;
      any = true;
      if (loop >= 0 && (inner < 0 || all[loop].depth > all[inner].depth))
        inner = loop;
    };
    for (Edge edge : graph.operands(node))
      if (!edge.isArgument() && !isBack(graph, node, edge))
        see(edge.node);
    for (int control : graph.controls(node))
      see(control);
    StringRef op = plainOp(graph.op(node));
    if (op == "Enter") {
      auto name = graph.node(node).attr().find("frame_name");
      std::string frame = name == graph.node(node).attr().end()
                              ? std::string()
                              : name->second.s();
      auto [found, isNew] = byName.try_emplace({inner, frame}, all.size());
      if (isNew) {
        all.emplace_back();
        all.back().parent = inner;
        all.back().depth = inner < 0 ? 1 : all[inner].depth + 1;
      }
      all[found->second].enters.push_back(node);
      loops[node] = found->second;
      continue;
    }
    if (op == "Exit") {
      if (inner >= 0) {
        all[inner].exits.push_back(node);
        loops[node] = all[inner].parent;
      }
      continue;
    }
    loops[node] = inner;
    if (inner < 0)
      continue;
    if (op == "LoopCond")
      all[inner].condition = node;
    else if (op == "Switch")
      all[inner].switches.push_back(node);
    else if (op == "Merge" && any_of(graph.operands(node), [&](Edge edge) {
               return isBack(graph, node, edge);
             }))
      all[inner].merges.push_back(node);
  }
  for (FrameLoop &loop : all) {
    llvm::sort(loop.merges);
    llvm::sort(loop.switches);
  }
}

int LoopNest::left(int exit) const {
  for (Edge edge : graph.operands(exit))
    if (!edge.isArgument())
      return loops[edge.node];
  return -1;
}

} // namespace weir::tensorflow
