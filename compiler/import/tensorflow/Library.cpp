// The functions of a graph: found by name, checked before they are inlined.

#include "compiler/import/tensorflow/Library.h"

#include "compiler/import/Tracing.h"
#include "compiler/import/tensorflow/Graph.h"

using namespace mlir;
using ::tensorflow::FunctionDef;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// Nesting deeper than this is no program that anyone wrote.
constexpr unsigned depthBudget = 4096;

bool Library::add(Report &report, ::tensorflow::FunctionDefLibrary &defs) {
  for (FunctionDef &def : *defs.mutable_function()) {
    StringRef name = def.signature().name();
    // What nothing can call is no fault, but what is nothing at all is.
    if (name.empty() && def.node_def().empty()) {
      report.error() << "a function has no name and no nodes";
      return false;
    }
    if (name.empty())
      continue;
    if (!byName.try_emplace(name, &def).second) {
      report.error() << "function '" << escaped(name) << "' is defined twice";
      return false;
    }
    // Told of functions that nothing calls too: the file is damaged.
    for (const NodeDef &node : def.node_def())
      if (node.op() == "Const" && !node.attr().count("value")) {
        report.error(report.node(node.name()))
            << "(Const): has no value, in function '" << escaped(name) << "'";
        return false;
      }
  }
  return true;
}

FunctionDef *Library::find(StringRef name) const { return byName.lookup(name); }

SmallVector<StringRef> Library::names() const {
  SmallVector<StringRef> result;
  for (const auto &entry : byName)
    result.push_back(entry.getKey());
  llvm::sort(result);
  return result;
}

Graph *Library::graph(Report &report, FunctionDef &def) {
  std::unique_ptr<Graph> &graph = graphs[&def];
  if (!graph)
    graph = Graph::create(report, def, *this);
  return graph.get();
}

SmallVector<StringRef> calledFunctions(const NodeDef &def) {
  SmallVector<StringRef> result{def.op()};
  for (const auto &[name, value] : def.attr()) {
    if (value.has_func())
      result.push_back(value.func().name());
    else if (value.has_list())
      for (const auto &function : value.list().func())
        result.push_back(function.name());
  }
  return result;
}

bool Library::check(Report &report, const Graph &root) {
  struct Visit {
    const FunctionDef *def; // null for the root
    SmallVector<const FunctionDef *> callees;
    size_t next = 0;
    uint64_t size = 0;
  };
  // A function's size once it is known; 0 while it is being measured.
  DenseMap<const FunctionDef *, uint64_t> sizes;
  auto begin = [&](const FunctionDef *def, auto &&nodes) {
    Visit visit{def, {}, 0, 0};
    for (const NodeDef &node : nodes) {
      ++visit.size;
      for (StringRef name : calledFunctions(node))
        if (const FunctionDef *callee = find(name)) {
          visit.callees.push_back(callee);
          // What follows handles through calls keeps what each hands on.
          visit.size += node.input_size();
        }
    }
    return visit;
  };
  SmallVector<const NodeDef *> nodes;
  for (int i = 0; i < root.size(); ++i)
    nodes.push_back(&root.node(i));
  std::vector<Visit> stack{begin(nullptr, llvm::make_pointee_range(nodes))};
  while (!stack.empty()) {
    Visit &top = stack.back();
    if (top.next == top.callees.size()) {
      if (top.size > nodeBudget) {
        report.error(Status::limit) << "the calls of functions make more than "
                                    << nodeBudget << " nodes and arguments";
        return false;
      }
      // Every function counts, an empty one too: calls of it take time.
      uint64_t size = top.size + 1;
      const FunctionDef *def = top.def;
      stack.pop_back();
      if (def)
        sizes[def] = size;
      if (!stack.empty())
        stack.back().size += size;
      continue;
    }
    const FunctionDef *callee = top.callees[top.next++];
    auto [known, isNew] = sizes.try_emplace(callee, 0);
    if (!isNew && known->second == 0) {
      report.error(report.node(callee->signature().name()))
          << "the function calls itself, which a compiled model cannot";
      return false;
    }
    if (!isNew) {
      top.size = std::min(top.size + known->second, nodeBudget + 1);
      continue;
    }
    if (stack.size() > depthBudget) {
      report.error(Status::limit)
          << "functions call each other more than " << depthBudget << " deep";
      return false;
    }
    stack.push_back(begin(callee, callee->node_def()));
  }
  return true;
}

} // namespace weir::tensorflow
