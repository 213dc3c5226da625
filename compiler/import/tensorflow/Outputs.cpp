// What a graph gives where no one says: the nodes that nothing uses.

#include "compiler/import/tensorflow/Outputs.h"

#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/control/LoopNest.h"
#include "compiler/import/tensorflow/state/Tables.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// A graph without --fetch has at most as many results.
constexpr size_t outputLimit = 20'000;

/// Ops whose results no one wants to have fetched.
static bool isNoOutput(const NodeDef &def) {
  return isPlaceholder(def.op()) || isTableOp(def.op()) ||
         fillsTable(def.op()) ||
         llvm::is_contained(
             ArrayRef<StringRef>{
                 "NoOp", "Assert", "Const", "SaveV2", "RestoreV2",
                 "VarHandleOp", "VariableV2", "PlaceholderWithDefault",
                 "NextIteration", "TensorArrayCloseV3", "TensorArrayCloseV2",
                 "ControlTrigger", "Assign", "AssignVariableOp",
                 "MergeV2Checkpoints", "ShardedFilename", "StringJoin"},
             def.op());
}

/// The nodes that pass on what a checkpoint's subgraph reads, or its file
/// names: a graph's own save and restore are no results of it.
static llvm::BitVector checkpointNodes(const Graph &graph) {
  llvm::BitVector found(graph.size());
  SmallVector<SmallVector<int>> users(graph.size());
  SmallVector<int> work;
  for (int i = 0; i < graph.size(); ++i) {
    for (Edge edge : graph.operands(i))
      users[edge.node].push_back(i);
    auto dtype = graph.node(i).attr().find("dtype");
    bool isText = graph.op(i) == "Const" &&
                  dtype != graph.node(i).attr().end() &&
                  dtype->second.type() == ::tensorflow::DT_STRING;
    if (graph.op(i) == "RestoreV2" || isText) {
      found.set(i);
      work.push_back(i);
    }
  }
  while (!work.empty())
    for (int user : users[work.pop_back_val()])
      if (!found.test(user)) {
        found.set(user);
        work.push_back(user);
      }
  return found;
}

/// The nodes that run only on one side of a Switch, or in a loop: what they
/// give may be nothing, or something in every step.
static llvm::BitVector conditionalNodes(const Graph &graph) {
  llvm::BitVector found(graph.size());
  if (!graph.hasSwitches && !graph.loops)
    return found;
  // How many Switches without their Merge lie before each node. Edges that
  // close a loop lead to Merges, which are in the loop anyway.
  std::vector<SmallVector<int>> users(graph.size());
  std::vector<int> depth(graph.size()), missing(graph.size());
  for (int i = 0; i < graph.size(); ++i) {
    auto see = [&](int before) {
      if (plainOp(graph.op(before)) == "NextIteration")
        return;
      users[before].push_back(i);
      ++missing[i];
    };
    for (Edge edge : graph.operands(i))
      see(edge.node);
    for (int control : graph.controls(i))
      see(control);
  }
  SmallVector<int> ready;
  for (int i = 0; i < graph.size(); ++i)
    if (!missing[i])
      ready.push_back(i);
  while (!ready.empty()) {
    int node = ready.pop_back_val();
    StringRef op = plainOp(graph.op(node));
    int after = depth[node] + (op == "Switch");
    if (op == "Merge" && after > 0)
      --after;
    bool inLoop = graph.loops && graph.loops->loopOf(node) >= 0;
    if (after > 0 || inLoop)
      found.set(node);
    for (int user : users[node]) {
      depth[user] = std::max(depth[user], op == "Exit" ? 0 : after);
      if (!--missing[user])
        ready.push_back(user);
    }
  }
  return found;
}

FailureOr<std::vector<int>> defaultOutputs(Report &report, const Graph &graph,
                                           const Library &library) {
  llvm::BitVector used(graph.size());
  for (int i = 0; i < graph.size(); ++i)
    for (Edge edge : graph.operands(i))
      used.set(edge.node);
  llvm::BitVector ofCheckpoint = checkpointNodes(graph);
  llvm::BitVector conditional = conditionalNodes(graph);
  std::vector<int> chosen;
  auto add = [&](function_ref<bool(int)> isOutput) {
    for (int i = 0; chosen.size() <= outputLimit && i < graph.size(); ++i)
      if (!used.test(i) && isOutput(i))
        chosen.push_back(i);
  };
  auto isResult = [&](int i) {
    const auto *function = library.find(graph.op(i));
    bool givesNothing = function && function->signature().output_arg().empty();
    return !isNoOutput(graph.node(i)) && !givesNothing && !conditional.test(i);
  };
  // Such as what writes summaries: left out, where there are other results.
  add([&](int i) {
    return isResult(i) &&
           (isKnownOp(graph.op(i)) || library.find(graph.op(i))) &&
           !ofCheckpoint.test(i);
  });
  if (chosen.empty())
    add(isResult);
  if (chosen.empty())
    add([&](int i) {
      return graph.op(i) == "Const" || isPlaceholder(graph.op(i)) ||
             graph.op(i) == "PlaceholderWithDefault";
    });
  if (chosen.size() > outputLimit)
    return report.error() << "the graph has more than " << outputLimit
                          << " results that nothing uses; name those that are "
                             "wanted with --fetch";
  if (chosen.empty())
    return report.error() << "the graph has no result; name one with --fetch";
  return chosen;
}

} // namespace weir::tensorflow
