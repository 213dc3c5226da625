// Indexes a graph's values and finds what results need.

#include "compiler/import/onnx/Graph.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using google::protobuf::RepeatedPtrField;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace weir::onnx {

std::string labelOf(const NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return output;
  return node.op_type();
}

std::string opKey(StringRef domain, StringRef op) {
  if (domain.empty() || domain == "ai.onnx")
    return op.str();
  return (domain + "::" + op).str();
}

std::string opKey(const NodeProto &node) {
  return opKey(node.domain(), node.op_type());
}

namespace {
/// A node, and the graph in another one that it stands in.
struct Inner {
  const NodeProto *node;
  int graph; // -1: none
};
/// The values of a graph in a node, which may hide those around it.
struct Names {
  llvm::StringSet<> own;
  int around;
};
} // namespace

/// Calls `use` with every value that the node needs, those that its graphs take
/// from around them among them.
static void forEachUse(const NodeProto &node,
                       llvm::function_ref<void(StringRef)> use) {
  SmallVector<Inner> work{{&node, -1}};
  std::vector<Names> graphs;
  auto useIn = [&](int graph, StringRef value) {
    for (; graph >= 0; graph = graphs[graph].around)
      if (graphs[graph].own.contains(value))
        return;
    if (!value.empty())
      use(value);
  };
  while (!work.empty()) {
    Inner item = work.pop_back_val();
    const NodeProto *next = item.node;
    int around = item.graph;
    for (const std::string &input : next->input())
      useIn(around, input);
    auto enter = [&](const GraphProto &graph) {
      int index = static_cast<int>(graphs.size());
      llvm::StringSet<> &own = graphs.emplace_back(Names{{}, around}).own;
      for (const auto &input : graph.input())
        own.insert(input.name());
      for (const auto &tensor : graph.initializer())
        own.insert(tensor.name());
      for (const auto &tensor : graph.sparse_initializer())
        own.insert(tensor.values().name());
      for (const NodeProto &inner : graph.node()) {
        for (const std::string &output : inner.output())
          own.insert(output);
        work.push_back({&inner, index});
      }
      for (const auto &output : graph.output())
        useIn(index, output.name());
    };
    for (const auto &attribute : next->attribute()) {
      if (attribute.has_g())
        enter(attribute.g());
      for (const GraphProto &graph : attribute.graphs())
        enter(graph);
    }
  }
}

bool Graph::add(Report &report, StringRef value, int maker, StringRef what) {
  if (value.empty()) {
    report.error() << "has " << what << " without a name";
    return false;
  }
  if (makers.try_emplace(value, maker).second)
    return true;
  report.error() << what << " '" << escaped(value)
                 << "': there are two values of that name";
  return false;
}

void Graph::addTypes(const RepeatedPtrField<::onnx::ValueInfoProto> &infos) {
  for (const auto &info : infos)
    if (info.has_type())
      types[info.name()] = &info.type();
}

bool Graph::addNodes(Report &report, RepeatedPtrField<NodeProto> &defs) {
  nodes.reserve(defs.size());
  for (NodeProto &node : defs) {
    int index = static_cast<int>(nodes.size());
    nodes.push_back(&node);
    Location at = report.node(labelOf(node));
    if (node.op_type().empty()) {
      report.error(at) << "names no op";
      return false;
    }
    for (const std::string &output : node.output())
      if (!output.empty() && !makers.try_emplace(output, index).second) {
        report.error(at) << "(" << escaped(node.op_type()) << "): gives '"
                         << escaped(output) << "', which is there already";
        return false;
      }
  }
  return true;
}

bool Graph::checkUses(Report &report, bool isInner) const {
  for (const NodeProto *node : nodes)
    for (const std::string &value : node->input()) {
      if (value.empty() || isInner || has(value))
        continue;
      report.error(report.node(labelOf(*node)))
          << "(" << escaped(node->op_type()) << "): needs '" << escaped(value)
          << "', which nothing gives" << didYouMean(value, names());
      return false;
    }
  return true;
}

bool Graph::sort(Report &report) {
  // Depth first, so that nodes which are in order stay as they are.
  enum class State { unseen, open, done };
  struct Visit {
    int node;
    SmallVector<int> needs = {};
    size_t next = 0;
  };
  std::vector<State> states(nodes.size(), State::unseen);
  std::vector<NodeProto *> order;
  std::vector<Visit> stack;
  auto enter = [&](int i) {
    states[i] = State::open;
    Visit &visit = stack.emplace_back(Visit{i});
    forEachUse(*nodes[i], [&](StringRef value) {
      auto found = makers.find(value);
      if (found != makers.end() && found->second >= 0)
        visit.needs.push_back(found->second);
    });
  };
  for (int i = 0; i < size(); ++i) {
    if (states[i] == State::unseen)
      enter(i);
    while (!stack.empty()) {
      Visit &top = stack.back();
      if (top.next == top.needs.size()) {
        states[top.node] = State::done;
        order.push_back(nodes[top.node]);
        stack.pop_back();
        continue;
      }
      int need = top.needs[top.next++];
      if (states[need] == State::open) {
        report.error(report.node(labelOf(*nodes[top.node])))
            << "(" << escaped(nodes[top.node]->op_type())
            << "): needs a result of node '" << escaped(labelOf(*nodes[need]))
            << "', which needs "
            << (need == top.node ? "itself" : "one of this node")
            << ": the nodes form a cycle";
        return false;
      }
      if (states[need] == State::unseen)
        enter(need);
    }
  }
  nodes = std::move(order);
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &output : node->output())
      if (!output.empty())
        makers[output] = static_cast<int>(i);
  return true;
}

std::unique_ptr<Graph> Graph::create(Report &report, GraphProto &def,
                                     bool isInner) {
  auto graph = std::make_unique<Graph>();
  for (auto &tensor : *def.mutable_initializer()) {
    if (!graph->add(report, tensor.name(), stored, "initializer"))
      return nullptr;
    graph->tensors[tensor.name()] = &tensor;
  }
  for (auto &tensor : *def.mutable_sparse_initializer()) {
    const std::string &name = tensor.values().name();
    if (!graph->add(report, name, stored, "sparse initializer"))
      return nullptr;
    graph->sparseTensors[name] = &tensor;
  }
  llvm::StringSet<> seen;
  for (const auto &info : def.input()) {
    // Before version 4 of the format every initializer is an input too.
    bool isFirst = seen.insert(info.name()).second;
    if (isFirst && graph->has(info.name()))
      continue;
    if (!graph->add(report, info.name(), input, "input"))
      return nullptr;
    graph->inputs.push_back(info.name());
  }
  if (!graph->addNodes(report, *def.mutable_node()) ||
      !graph->checkUses(report, isInner) || !graph->sort(report))
    return nullptr;
  graph->addTypes(def.value_info());
  graph->addTypes(def.input());
  graph->addTypes(def.output());
  for (const auto &info : def.output()) {
    if (info.name().empty() || (!isInner && !graph->has(info.name()))) {
      report.error() << "output '" << escaped(info.name())
                     << "': nothing gives it"
                     << didYouMean(info.name(), graph->names());
      return nullptr;
    }
    graph->outputs.push_back(info.name());
  }
  graph->inferShapes();
  return graph;
}

std::unique_ptr<Graph> Graph::create(Report &report,
                                     ::onnx::FunctionProto &def) {
  auto graph = std::make_unique<Graph>();
  for (const std::string &name : def.input()) {
    if (!graph->add(report, name, input, "input"))
      return nullptr;
    graph->inputs.push_back(name);
  }
  if (!graph->addNodes(report, *def.mutable_node()) ||
      !graph->checkUses(report, false) || !graph->sort(report))
    return nullptr;
  graph->addTypes(def.value_info());
  for (const std::string &name : def.output()) {
    if (!graph->has(name)) {
      report.error() << "function '" << escaped(def.name()) << "': output '"
                     << escaped(name) << "': nothing gives it";
      return nullptr;
    }
    graph->outputs.push_back(name);
  }
  graph->inferShapes();
  return graph;
}

SmallVector<StringRef> Graph::resultsOfNodes(StringRef name) const {
  SmallVector<StringRef> results;
  for (const NodeProto *node : nodes)
    if (node->name() == name)
      for (const std::string &output : node->output())
        if (!output.empty()) {
          results.push_back(output);
          break;
        }
  return results;
}

SmallVector<StringRef> Graph::names() const {
  SmallVector<StringRef> all;
  for (const auto &maker : makers)
    all.push_back(maker.getKey());
  llvm::sort(all);
  return all;
}

Plan Graph::plan(ArrayRef<StringRef> wanted,
                 const llvm::StringSet<> &fed) const {
  llvm::BitVector needed(size());
  llvm::StringSet<> seen;
  Plan plan;
  int last = -1;
  auto need = [&](StringRef value) {
    if (fed.contains(value))
      plan.fed.insert(value);
    auto found = makers.find(value);
    if (found == makers.end() || fed.contains(value))
      return;
    if (found->second == stored && seen.insert(value).second)
      plan.initializers.push_back(found->getKey());
    if (found->second >= 0) {
      needed.set(found->second);
      last = std::max(last, found->second);
    }
  };
  for (StringRef value : wanted)
    need(value);
  // Operands come first, so one way back sees all.
  for (int i = last; i >= 0; --i)
    if (needed.test(i))
      forEachUse(*nodes[i], need);
  for (unsigned i : needed.set_bits())
    plan.nodes.push_back(static_cast<int>(i));
  // Independent of the order in which they were met.
  llvm::sort(plan.initializers);
  return plan;
}

llvm::StringSet<> Graph::used() const {
  llvm::StringSet<> values;
  for (const NodeProto *node : nodes)
    forEachUse(*node, [&](StringRef value) { values.insert(value); });
  return values;
}

} // namespace weir::onnx
