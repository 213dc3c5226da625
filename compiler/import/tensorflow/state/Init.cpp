// The entry that gives variables their first values.

#include "compiler/import/tensorflow/state/Init.h"

#include "compiler/import/Trained.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/state/Assigned.h"
#include "compiler/import/tensorflow/state/State.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// Whether the value of an edge can be had without a run's inputs, a
/// checkpoint's tensors and the variable itself.
static bool isInitial(const Graph &graph, Edge edge, StringRef name) {
  llvm::DenseSet<int> seen;
  SmallVector<int> work;
  auto add = [&](Edge edge) {
    if (!edge.isArgument() && seen.insert(edge.node).second)
      work.push_back(edge.node);
  };
  add(edge);
  while (!work.empty()) {
    int node = work.pop_back_val();
    StringRef op = graph.op(node);
    if (isPlaceholder(op) || op == "RestoreV2" || op == "Restore" ||
        (isVariableOp(op) && variableName(graph.node(node)) == name))
      return false;
    for (Edge operand : graph.operands(node))
      add(operand);
  }
  return true;
}

namespace {
/// The nodes of a graph that assign variables which are nodes of it, by the
/// variables' names.
struct Assignments : Object {
  const Graph *graph = nullptr;
  llvm::StringMap<SmallVector<int, 1>> nodes;
};
} // namespace

/// All variables' at once, for there may be as many of them as nodes.
static const Assignments &assignmentsOf(Tracer &tracer, const Graph &graph) {
  std::shared_ptr<Object> &kept = tracer.state[" assignments"].object;
  if (auto *found = static_cast<Assignments *>(kept.get());
      found && found->graph == &graph)
    return *found;
  auto made = std::make_shared<Assignments>();
  kept = made;
  made->graph = &graph;
  for (int i = 0; i < graph.size(); ++i) {
    StringRef op = graph.op(i);
    ArrayRef<Edge> operands = graph.operands(i);
    if ((op != "Assign" && op != "AssignVariableOp") || operands.size() != 2 ||
        operands[0].isArgument())
      continue;
    const NodeDef &target = graph.node(operands[0].node);
    if (isVariableOp(target.op()))
      made->nodes[variableName(target)].push_back(i);
  }
  return *made;
}

std::vector<Edge> initialEdges(Tracer &tracer, const Graph &graph,
                               StringRef name) {
  std::vector<Edge> found;
  const Assignments &all = assignmentsOf(tracer, graph);
  auto nodes = all.nodes.find(name);
  if (nodes == all.nodes.end())
    return found;
  for (int i : nodes->second) {
    ArrayRef<Edge> operands = graph.operands(i);
    if (!isInitial(graph, operands[1], name))
      continue;
    // What makers of graphs call the first assignment.
    StringRef target = graph.name(operands[0].node);
    bool isNamedSo = graph.name(i) == (target + "/Assign").str();
    found.insert(isNamedSo ? found.begin() : found.end(), operands[1]);
  }
  return found;
}

/// The variable's value from the checkpoint, or else from its initializer, or
/// else from that of the options where it is trained; null where there is none.
static FailureOr<Value> givenValue(Report &report, Tracer &tracer,
                                   const Graph &graph,
                                   graph::VariableOp variable,
                                   OpBuilder &builder,
                                   const ImportOptions &options) {
  StringRef name = variable.nameInModel();
  if (tracer.variables) {
    FailureOr<ElementsAttr> saved = tracer.variables->value(name);
    if (failed(saved))
      return failure();
    if (*saved)
      return builder.create<graph::ConstantOp>(variable.getLoc(), *saved)
          .getResult();
  }
  std::vector<Edge> edges = initialEdges(tracer, graph, name);
  if (edges.empty() && isMarkedTrained(variable)) {
    FailureOr<ElementsAttr> first =
        firstValue(report, *options.training, variable);
    if (failed(first))
      return failure();
    return builder.create<graph::ConstantOp>(variable.getLoc(), *first)
        .getResult();
  }
  if (edges.empty())
    return Value();
  auto traced = tracer.trace(graph, edges.front(), {}, {});
  if (failed(traced))
    return failure();
  Value value = traced->front().value;
  if (!value || value.getType() != variable.getType()) {
    InFlightDiagnostic error = report.error(variable.getLoc());
    error << "(VariableV2): variable '" << escaped(name) << "' is a "
          << variable.getType() << ", but its first value is ";
    if (value)
      error << "a " << value.getType();
    else
      error << "no tensor";
    return failure();
  }
  return value;
}

LogicalResult buildInit(Report &report, ModuleOp module, const Graph &graph,
                        Library &library, VariableSource *source,
                        StateVariables &state, const ImportOptions &options) {
  if (state.all().empty())
    return success();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  size_t number = llvm::range_size(module.getOps<func::FuncOp>());
  auto function = builder.create<func::FuncOp>(
      report.file(), "weir_entry_" + std::to_string(number),
      builder.getFunctionType({}, {}));
  attrs::entry.set(function, builder.getStringAttr("init"));
  attrs::init.set(function);
  builder.setInsertionPointToStart(function.addEntryBlock());
  Tracer tracer(report, library, source, builder);
  tracer.boundedElements = options.boundedElements;
  tracer.stateVariables = &state;
  tracer.isInit = true;
  bool complete = true;
  for (auto [name, variable] : state.all()) {
    if (tracer.known.count(variable.getSymName()) || variable.getInitial())
      continue;
    FailureOr<Value> value =
        givenValue(report, tracer, graph, variable, builder, options);
    if (failed(value))
      return failure();
    if (!*value) {
      report.warning(variable.getLoc())
          << "variable '" << escaped(variable.nameInModel())
          << "' has no first value; only a checkpoint gives it one";
      complete = false;
      break;
    }
    if (tracer.known.count(variable.getSymName()))
      continue;
    builder.create<graph::WriteVariableOp>(variable.getLoc(),
                                           variable.getSymName(), *value);
    tracer.known[variable.getSymName()] = *value;
  }
  if (!complete) {
    function.erase();
    return success();
  }
  builder.create<func::ReturnOp>(report.file());
  return success();
}

} // namespace weir::tensorflow
