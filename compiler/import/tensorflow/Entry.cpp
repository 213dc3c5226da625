// Finds the inputs and outputs of a graph and their types.

#include "compiler/import/tensorflow/Entry.h"

#include "compiler/import/Fetched.h"
#include "compiler/import/bounded/entry/InputDims.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/InputTypes.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Order.h"
#include "compiler/import/tensorflow/Outputs.h"
#include "dialects/weir/TensorName.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

bool isPlaceholder(StringRef op) {
  return op == "Placeholder" || op == "PlaceholderV2" || op == "_Arg";
}

bool isIterator(StringRef op) {
  return op == "IteratorGetNext" || op == "IteratorGetNextSync";
}

static bool comesBefore(Edge a, Edge b) {
  return std::pair(a.node, a.output) < std::pair(b.node, b.output);
}

/// What nodes use of tf.data's iterators, in the order of the graph.
static SmallVector<Edge> iteratorResults(const Graph &graph,
                                         ArrayRef<int> nodes,
                                         ArrayRef<Edge> wanted) {
  SmallVector<Edge> results;
  auto add = [&](Edge edge) {
    if (!edge.isArgument() && isIterator(graph.op(edge.node)))
      results.push_back(edge);
  };
  llvm::for_each(wanted, add);
  for (int node : nodes)
    llvm::for_each(graph.operands(node), add);
  llvm::sort(results, comesBefore);
  results.erase(std::unique(results.begin(), results.end()), results.end());
  return results;
}

/// The inputs of an entry for which no one names any: placeholders and, since
/// the caller feeds what an input pipeline would have read, what iterators
/// give.
static LogicalResult findInputs(Report &report, const Graph &graph,
                                ArrayRef<Edge> wanted, Entry &entry) {
  auto order = orderNodes(report, graph, wanted, entry.targets, Feeds());
  if (failed(order))
    return failure();
  SmallVector<Edge> read = iteratorResults(graph, *order, wanted);
  if (!read.empty())
    order = orderNodes(report, graph, wanted, entry.targets, Feeds(read));
  if (failed(order))
    return failure();
  auto add = [&](Edge edge) {
    std::string name = graph.name(edge.node).str();
    if (edge.output)
      name += ":" + std::to_string(edge.output);
    entry.inputs.push_back({{name, name}, edge});
  };
  for (int node : *order)
    if (isPlaceholder(graph.op(node)))
      read.push_back({node, 0});
  llvm::sort(read, comesBefore);
  for (Edge edge : read) {
    add(edge);
    if (isIterator(graph.op(edge.node)))
      report.warning(report.node(graph.name(edge.node)))
          << "what the iterator gives is an input, '"
          << escaped(entry.inputs.back().name)
          << "': the caller feeds what the pipeline would have read";
  }
  return success();
}

FailureOr<Edge> resolveTensor(Report &report, const Graph &graph,
                              StringRef tensor, StringRef what) {
  auto [name, digits] = tensor.split(':');
  int output = 0;
  if (tensor.contains(':') &&
      (digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
       digits.getAsInteger(10, output))) {
    report.error(what.starts_with("--") ? Status::badUsage : Status::badInput)
        << what << " '" << escaped(tensor)
        << "' is no tensor's name; one is NODE or NODE:RESULT";
    return failure();
  }
  if (std::optional<int> node = graph.find(name))
    return Edge{*node, output};
  report.error(what.starts_with("--") ? Status::badUsage : Status::badInput)
      << what << " '" << escaped(tensor) << "': the graph has no such node"
      << didYouMean(name, graph.names());
  return failure();
}

static FailureOr<Entry> entryOf(Report &report, const Graph &graph,
                                const Library &library,
                                const ImportOptions &options,
                                const EntryRequest &want,
                                const Derived<Port> &derived) {
  Entry entry;
  entry.name = want.name;
  llvm::DenseSet<std::pair<int, int>> fed;
  for (const Feed &feed : options.feeds) {
    FailureOr<Edge> edge = resolveTensor(report, graph, feed.name, "--feed");
    if (failed(edge))
      return failure();
    if (!fed.insert({edge->node, edge->output}).second) {
      report.error(Status::badUsage)
          << "'" << escaped(feed.name) << "' is fed twice";
      return failure();
    }
    entry.inputs.push_back({fedPort(feed, feed.name), *edge});
  }
  SmallVector<Edge> wanted;
  for (const std::string &fetch : want.fetches) {
    if (auto found = fetchedNamed(fetch, derived.gradients, options)) {
      entry.results.push_back(*found);
      continue;
    }
    FailureOr<Edge> edge = resolveTensor(report, graph, fetch, "--fetch");
    if (failed(edge))
      return failure();
    entry.results.push_back({Fetched::output, entry.outputs.size()});
    entry.outputs.push_back({{fetch, fetch}, *edge});
    wanted.push_back(*edge);
  }
  if (entry.results.size() == entry.outputs.size())
    entry.results.clear();
  takeDerived(entry, derived);
  forEachDerived(entry,
                 [&](const Port &port, bool) { wanted.push_back(port.edge); });
  for (const std::string &target : want.targets) {
    FailureOr<Edge> edge =
        resolveTensor(report, graph, target, "--target-node");
    if (failed(edge))
      return failure();
    entry.targets.push_back(edge->node);
  }
  if (wanted.empty() && entry.targets.empty()) {
    auto chosen = defaultOutputs(report, graph, library);
    if (failed(chosen))
      return failure();
    entry.isGuess = true;
    for (int node : *chosen) {
      std::string name = graph.name(node).str();
      entry.outputs.push_back({{name, name}, {node, 0}});
      wanted.push_back({node, 0});
    }
  }
  // What becomes of state is fetched besides, where it is for one function.
  for (const StateInput &state : options.states) {
    if (!options.entries.empty())
      break;
    FailureOr<Edge> edge =
        resolveTensor(report, graph, state.output, "--state");
    if (failed(edge))
      return failure();
    if (llvm::is_contained(wanted, *edge))
      continue;
    entry.outputs.push_back({{state.output, state.output}, *edge});
    wanted.push_back(*edge);
  }
  if (options.feeds.empty()) {
    if (failed(findInputs(report, graph, wanted, entry)))
      return failure();
  } else if (!options.entries.empty()) {
    // Of several functions each takes the feeds that it needs.
    auto order = orderNodes(report, graph, wanted, entry.targets, Feeds());
    if (failed(order))
      return failure();
    llvm::DenseSet<int> needed(order->begin(), order->end());
    llvm::erase_if(entry.inputs, [&](const Port &port) {
      return !needed.contains(port.edge.node);
    });
  }
  for (Port &port : entry.inputs) {
    port.name = withoutIndex(port.name).str();
    port.tensor = withIndex(withoutIndex(port.tensor));
    if ((!port.type || !port.type.hasStaticShape()) &&
        failed(setInputType(report, graph, port, nullptr,
                            ::tensorflow::DT_INVALID, options)))
      return failure();
  }
  for (Port &port : entry.outputs) {
    port.name = withoutIndex(port.name).str();
    port.tensor = withIndex(port.tensor);
  }
  return entry;
}

FailureOr<Entry> partialEntry(Report &report, const Graph &graph,
                              const Library &library,
                              const ImportOptions &options) {
  FailureOr<Entry> entry =
      entryOf(report, graph, library, options,
              {"main", options.fetches, options.targets}, Derived<Port>());
  if (failed(entry))
    return failure();
  MutableArrayRef<Entry> all(*entry);
  if (failed(boundEntries(report, options, all)))
    return failure();
  return entry;
}

FailureOr<std::vector<Entry>> partialEntries(Report &report, const Graph &graph,
                                             const Library &library,
                                             const ImportOptions &options) {
  std::vector<EntryRequest> all;
  if (options.entries.empty() || !options.fetches.empty() ||
      !options.targets.empty())
    all.push_back({"main", options.fetches, options.targets});
  for (StringRef text : options.entries)
    all.push_back(parseEntry(text));
  FailureOr<Derived<Port>> derived = derivedOf(report, graph, options, {});
  if (failed(derived))
    return failure();
  std::vector<Entry> entries;
  for (const EntryRequest &want : all) {
    FailureOr<Entry> entry =
        entryOf(report, graph, library, options, want, *derived);
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  if (failed(boundEntries(report, options, entries)))
    return failure();
  return entries;
}

} // namespace weir::tensorflow
