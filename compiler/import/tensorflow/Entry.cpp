// Finds the inputs and outputs of a graph and their types.

#include "compiler/import/tensorflow/Entry.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

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

FailureOr<Entry> partialEntry(Report &report, const Graph &graph,
                              const Library &library,
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
    auto chosen = defaultOutputs(report, graph, library);
    if (failed(chosen))
      return failure();
    entry.isGuess = true;
    for (int node : *chosen) {
      std::string name = graph.name(node).str();
      entry.outputs.push_back({name, name, {node, 0}, {}});
      wanted.push_back({node, 0});
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
