// Finds the inputs and outputs of a graph and their types.

#include "compiler/import/tensorflow/Entry.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// A graph without --fetch has at most as many results.
constexpr size_t outputLimit = 1000;

bool isPlaceholder(StringRef op) {
  return op == "Placeholder" || op == "PlaceholderV2" || op == "_Arg";
}

FailureOr<Edge> resolveTensor(Report &report, const Graph &graph,
                              StringRef tensor, StringRef what) {
  auto [name, digits] = tensor.split(':');
  int output = 0;
  if (tensor.contains(':') &&
      (digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
       digits.getAsInteger(10, output))) {
    report.error() << what << " '" << escaped(tensor)
                   << "' is no tensor's name; one is NODE or NODE:RESULT";
    return failure();
  }
  if (std::optional<int> node = graph.find(name))
    return Edge{*node, output};
  report.error() << what << " '" << escaped(tensor)
                 << "': the graph has no such node"
                 << didYouMean(name, graph.names());
  return failure();
}

/// Ops whose results no one wants to have fetched.
static bool isNoOutput(const NodeDef &def) {
  return isPlaceholder(def.op()) ||
         llvm::is_contained(
             ArrayRef<StringRef>{"NoOp", "Assert", "Const", "SaveV2",
                                 "RestoreV2", "VarHandleOp", "VariableV2",
                                 "PlaceholderWithDefault", "NextIteration",
                                 "ControlTrigger", "Assign", "AssignVariableOp",
                                 "MergeV2Checkpoints", "ShardedFilename",
                                 "StringJoin"},
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

FailureOr<Entry> partialEntry(Report &report, const Graph &graph,
                              const ImportOptions &options) {
  Entry entry;
  entry.name = "main";
  SmallVector<Edge> fed;
  for (const Feed &feed : options.feeds) {
    FailureOr<Edge> edge = resolveTensor(report, graph, feed.name, "--feed");
    if (failed(edge))
      return failure();
    if (llvm::is_contained(fed, *edge)) {
      report.error(Status::badUsage)
          << "'" << escaped(feed.name) << "' is fed twice";
      return failure();
    }
    fed.push_back(*edge);
    entry.inputs.push_back({feed.name, feed.name, *edge, feed.type});
  }
  SmallVector<Edge> wanted;
  for (const std::string &fetch : options.fetches) {
    FailureOr<Edge> edge = resolveTensor(report, graph, fetch, "--fetch");
    if (failed(edge))
      return failure();
    entry.outputs.push_back({fetch, fetch, *edge, {}});
    wanted.push_back(*edge);
  }
  if (wanted.empty()) {
    llvm::DenseSet<int> used;
    for (int i = 0; i < graph.size(); ++i)
      for (Edge edge : graph.operands(i))
        used.insert(edge.node);
    llvm::BitVector ofCheckpoint = checkpointNodes(graph);
    auto add = [&](function_ref<bool(int)> isOutput) {
      for (int i = 0; wanted.size() <= outputLimit && i < graph.size(); ++i)
        if (!used.contains(i) && isOutput(i)) {
          std::string name = graph.name(i).str();
          entry.outputs.push_back({name, name, {i, 0}, {}});
          wanted.push_back({i, 0});
        }
    };
    // Such as what writes summaries: left out, where there are other results.
    add([&](int i) {
      return !isNoOutput(graph.node(i)) && isKnownOp(graph.op(i)) &&
             !ofCheckpoint.test(i);
    });
    if (wanted.empty())
      add([&](int i) { return !isNoOutput(graph.node(i)); });
    if (wanted.empty())
      add([&](int i) {
        return graph.op(i) == "Const" || isPlaceholder(graph.op(i));
      });
    if (wanted.size() > outputLimit) {
      report.error() << "the graph has more than " << outputLimit
                     << " results that nothing uses; name those that are "
                        "wanted with --fetch";
      return failure();
    }
    if (wanted.empty()) {
      report.error() << "the graph has no result; name one with --fetch";
      return failure();
    }
  }
  if (options.feeds.empty()) {
    FailureOr<std::vector<int>> order =
        orderNodes(report, graph, wanted, {}, fed);
    if (failed(order))
      return failure();
    std::vector<int> nodes = *order;
    llvm::sort(nodes);
    for (int node : nodes)
      if (isPlaceholder(graph.op(node))) {
        std::string name = graph.name(node).str();
        entry.inputs.push_back({name, name, {node, 0}, {}});
      }
  }
  for (Port &port : entry.inputs) {
    for (std::string *name : {&port.name, &port.tensor})
      if (StringRef(*name).ends_with(":0"))
        name->resize(name->size() - 2);
    if (!StringRef(port.tensor).contains(':'))
      port.tensor += ":0";
    if ((!port.type || !port.type.hasStaticShape()) &&
        failed(setInputType(report, graph, port, nullptr,
                            ::tensorflow::DT_INVALID, options)))
      return failure();
  }
  for (Port &port : entry.outputs) {
    if (StringRef(port.name).ends_with(":0"))
      port.name.resize(port.name.size() - 2);
    if (!StringRef(port.tensor).contains(':'))
      port.tensor += ":0";
  }
  return entry;
}

} // namespace weir::tensorflow
