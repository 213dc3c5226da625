// Indexes a graph and checks its edges.

#include "compiler/import/tensorflow/Graph.h"

#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/ResultNames.h"
#include "compiler/import/tensorflow/control/LoopNest.h"

#include "llvm/ADT/StringExtras.h"
#include <climits>

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// TensorFlow's node names; functions' own nodes may begin with `_` too.
static bool isNodeName(StringRef name) {
  if (name.empty() || !(llvm::isAlnum(name.front()) || name.front() == '.' ||
                        name.front() == '_'))
    return false;
  return llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || StringRef("_.\\-/>").contains(c);
  });
}

/// Decimal digits and nothing else, of an int's range.
static std::optional<int> parseIndex(StringRef digits) {
  int value;
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
      digits.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

std::optional<int> Graph::find(StringRef name) const {
  auto found = byName.find(name);
  if (found == byName.end())
    return std::nullopt;
  return found->second;
}

Edge Graph::behindIdentities(Edge edge) const {
  for (int steps = 0; !edge.isArgument() && steps < size(); ++steps) {
    if (op(edge.node) != "Identity" || operands(edge.node).empty())
      break;
    edge = operands(edge.node)[0];
  }
  return edge;
}

SmallVector<StringRef> Graph::names() const {
  SmallVector<StringRef> result;
  for (NodeDef *def : nodes)
    result.push_back(def->name());
  return result;
}

/// An attribute is one thing, though a file may say two.
static bool checkAttrs(Report &report, const NodeDef &def) {
  for (const auto &[name, value] : def.attr()) {
    int kinds = value.has_list() + value.has_s() + value.has_i() +
                value.has_f() + value.has_b() + value.has_type() +
                value.has_shape() + value.has_tensor() +
                value.has_placeholder() + value.has_func();
    if (kinds <= 1)
      continue;
    report.error(report.node(def.name()))
        << "(" << escaped(def.op(), 60) << "): attribute '" << escaped(name, 60)
        << "' has " << kinds << " values";
    return false;
  }
  return true;
}

bool Graph::add(Report &report, NodeDef &def) {
  if (!isNodeName(def.name())) {
    report.error() << "'" << escaped(def.name())
                   << "' is no name that a node may have";
    return false;
  }
  if (!byName.try_emplace(def.name(), nodes.size()).second ||
      arguments.count(def.name())) {
    report.error(report.node(def.name())) << "there are two nodes of this name";
    return false;
  }
  if (!checkAttrs(report, def))
    return false;
  StringRef op = plainOp(def.op());
  hasLoops |= op == "Enter" || op == "Exit" || op == "NextIteration";
  hasSwitches |= hasLoops || op == "Switch" || op == "Merge";
  nodes.push_back(&def);
  return true;
}

/// How many tensors a result is; nothing where its attribute is missing.
static std::optional<int> tensorCount(const NodeDef &def, StringRef attribute) {
  auto found = def.attr().find(attribute.str());
  if (found == def.attr().end())
    return std::nullopt;
  if (found->second.has_list())
    return found->second.list().type_size();
  if (!found->second.has_i())
    return std::nullopt;
  int64_t count = found->second.i();
  if (count < 0 || count > INT_MAX / 2)
    return std::nullopt;
  return static_cast<int>(count);
}

/// The first tensor of the result that an op or function calls `result`.
static std::optional<int> firstTensor(const NodeDef &def, StringRef result,
                                      const Library &library) {
  int64_t first = 0;
  auto skip = [&](StringRef attribute) {
    std::optional<int> count =
        attribute.empty() ? std::optional(1) : tensorCount(def, attribute);
    if (count)
      first += *count;
    return count && first < INT_MAX / 2;
  };
  if (const ::tensorflow::FunctionDef *callee = library.find(def.op())) {
    for (const auto &argument : callee->signature().output_arg()) {
      if (argument.name() == result)
        return first;
      StringRef number = argument.number_attr();
      if (!skip(number.empty() ? StringRef(argument.type_list_attr()) : number))
        return std::nullopt;
    }
    return std::nullopt;
  }
  ArrayRef<StringRef> names = resultNames(def.op());
  if (names.empty())
    return 0;
  for (StringRef entry : names) {
    auto [name, attribute] = entry.split('*');
    if (name == result)
      return first;
    if (!skip(attribute))
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Edge> Graph::parseEdge(StringRef text, const Library &library,
                                     std::string &why) const {
  auto [name, rest] = text.split(':');
  bool hasRest = text.contains(':');
  if (auto argument = arguments.find(name); argument != arguments.end()) {
    if (!hasRest || rest == "0")
      return Edge::argument(argument->second);
    why = "'" + escaped(name) + "' is an argument, which has one value";
    return std::nullopt;
  }
  std::optional<int> node = find(name);
  if (!node) {
    why =
        "there is no node '" + escaped(name) + "'" + didYouMean(name, names());
    return std::nullopt;
  }
  std::optional<int> output = 0;
  if (!function) {
    if (hasRest)
      output = parseIndex(rest);
  } else {
    auto [result, index] = rest.split(':');
    output = result.empty() ? std::nullopt
                            : firstTensor(*nodes[*node], result, library);
    if (output && rest.contains(':')) {
      std::optional<int> offset = parseIndex(index);
      output = offset && *offset < INT_MAX / 2
                   ? std::optional(*output + *offset)
                   : std::nullopt;
    }
  }
  if (!output) {
    why = "'" + escaped(text) + "' is no result of a node";
    return std::nullopt;
  }
  return Edge{*node, *output};
}

bool Graph::connect(Report &report, const Library &library) {
  std::string why;
  for (NodeDef *def : nodes) {
    starts.push_back(edges.size());
    controlStarts.push_back(controlEdges.size());
    bool inControls = false;
    for (const std::string &text : def->input()) {
      StringRef input = text;
      if (input.consume_front("^")) {
        inControls = true;
        if (std::optional<int> node = find(input)) {
          controlEdges.push_back(*node);
          continue;
        }
        if (arguments.count(input))
          continue;
        report.error(report.node(def->name()))
            << "waits for '" << escaped(input) << "', which does not exist"
            << didYouMean(input, names());
        return false;
      }
      std::optional<Edge> edge = parseEdge(input, library, why);
      if (!edge) {
        report.error(report.node(def->name()))
            << "input '" << escaped(input) << "': " << why;
        return false;
      }
      if (inControls) {
        report.error(report.node(def->name()))
            << "input '" << escaped(input) << "' stands after a control input";
        return false;
      }
      edges.push_back(*edge);
    }
  }
  starts.push_back(edges.size());
  controlStarts.push_back(controlEdges.size());
  if (hasLoops)
    loops = std::make_shared<LoopNest>(*this);
  return true;
}

bool Graph::connectReturns(Report &report, const Library &library) {
  const auto &signature = function->signature();
  auto at = report.node(signature.name());
  std::string why;
  for (const auto &result : signature.output_arg()) {
    auto found = function->ret().find(result.name());
    std::optional<Edge> edge;
    if (found == function->ret().end())
      why = "the function returns no value for it";
    else
      edge = parseEdge(found->second, library, why);
    if (!edge) {
      report.error(at) << "result '" << escaped(result.name()) << "': " << why;
      return false;
    }
    returns.push_back(*edge);
  }
  if (static_cast<int>(function->ret_size()) > signature.output_arg_size()) {
    report.error(at) << "gives values for results that it does not declare";
    return false;
  }
  SmallVector<std::pair<StringRef, StringRef>> controls;
  for (const auto &[name, node] : function->control_ret())
    controls.push_back({name, node});
  llvm::sort(controls);
  for (auto [name, node] : controls) {
    std::optional<int> found = find(node);
    if (!found) {
      report.error(at) << "control result '" << escaped(node)
                       << "' does not exist";
      return false;
    }
    controlReturns.push_back(*found);
  }
  return true;
}

std::unique_ptr<Graph> Graph::create(Report &report,
                                     ::tensorflow::GraphDef &def,
                                     const Library &library) {
  auto graph = std::make_unique<Graph>();
  for (NodeDef &node : *def.mutable_node())
    if (!graph->add(report, node))
      return nullptr;
  if (!graph->connect(report, library))
    return nullptr;
  return graph;
}

std::unique_ptr<Graph> Graph::create(Report &report,
                                     ::tensorflow::FunctionDef &def,
                                     const Library &library) {
  auto graph = std::make_unique<Graph>();
  graph->function = &def;
  for (const auto &argument : def.signature().input_arg()) {
    int index = graph->arguments.size();
    if (!graph->arguments.try_emplace(argument.name(), index).second) {
      report.error(report.node(def.signature().name()))
          << "has two arguments '" << escaped(argument.name()) << "'";
      return nullptr;
    }
  }
  for (NodeDef &node : *def.mutable_node_def())
    if (!graph->add(report, node))
      return nullptr;
  if (!graph->connect(report, library) ||
      !graph->connectReturns(report, library))
    return nullptr;
  return graph;
}

} // namespace weir::tensorflow
