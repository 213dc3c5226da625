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

/// Calls `use` with every value that the node needs, those that its graphs take
/// from around them among them; some of these may be the graphs' own.
static void forEachUse(const NodeProto &node,
                       llvm::function_ref<void(StringRef)> use) {
  SmallVector<const NodeProto *> work{&node};
  while (!work.empty()) {
    const NodeProto *next = work.pop_back_val();
    for (const std::string &input : next->input())
      if (!input.empty())
        use(input);
    auto enter = [&](const GraphProto &graph) {
      for (const NodeProto &inner : graph.node())
        work.push_back(&inner);
      for (const auto &output : graph.output())
        use(output.name());
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
  for (int i = 0; i < size(); ++i) {
    const NodeProto &node = *nodes[i];
    for (const std::string &value : node.input()) {
      if (value.empty())
        continue;
      auto found = makers.find(value);
      if (found == makers.end()) {
        if (isInner)
          continue;
        report.error(report.node(labelOf(node)))
            << "(" << escaped(node.op_type()) << "): needs '" << escaped(value)
            << "', which nothing gives" << didYouMean(value, names());
        return false;
      }
      if (found->second < i)
        continue;
      report.error(report.node(labelOf(node)))
          << "(" << escaped(node.op_type()) << "): needs '" << escaped(value)
          << "', which only node '" << escaped(labelOf(*nodes[found->second]))
          << "' gives: the nodes are not in order, or form a cycle";
      return false;
    }
  }
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
      !graph->checkUses(report, isInner))
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
      !graph->checkUses(report, false))
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
