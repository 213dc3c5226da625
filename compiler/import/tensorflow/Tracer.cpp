// Walks graphs, operands first.

#include "compiler/import/tensorflow/Tracer.h"

#include "compiler/import/Build.h"
#include "compiler/import/Custom.h"
#include "compiler/import/Names.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/InputTypes.h"
#include "compiler/import/tensorflow/Order.h"
#include "compiler/import/tensorflow/control/LoopNest.h"
#include "compiler/import/tensorflow/control/Switches.h"
#include "compiler/import/tensorflow/state/Assigned.h"
#include "compiler/import/tensorflow/state/State.h"
#include "compiler/import/tensorflow/state/Tables.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

const NodeState &NodeStates::at(int node) const {
  static const NodeState none;
  auto found = states.find(node);
  return found == states.end() ? none : found->second;
}

Location Tracer::locationOf(const Frame &frame, int node) {
  Location at = report.node(frame.graph->name(node));
  return frame.caller ? Location(CallSiteLoc::get(at, frame.caller)) : at;
}

FailureOr<Traced> Tracer::value(const Frame &frame, Edge edge, Location at,
                                bool &unsupported) {
  auto see = [&](const Traced &found) {
    if (onTensor && found.value && !frame.caller)
      onTensor((frame.graph->name(edge.node) + ":" + Twine(edge.output)).str(),
               found.value.getType());
    return found;
  };
  if (const Traced *fed = frame.fed->find(edge))
    return see(*fed);
  if (edge.isArgument())
    return frame.arguments[edge.argumentIndex()];
  const NodeState &state = frame.states.at(edge.node);
  if (state.unsupported) {
    unsupported = true;
    return Traced();
  }
  if (!state.traced ||
      static_cast<size_t>(edge.output) >= state.results.size()) {
    report.error(at) << "asks for result " << edge.output << " of '"
                     << escaped(frame.graph->name(edge.node)) << "' ("
                     << escaped(frame.graph->op(edge.node)) << "), which has "
                     << state.results.size();
    return failure();
  }
  return see(state.results[edge.output]);
}

FailureOr<SmallVector<Traced>>
Tracer::traceGraph(const Graph &graph, ArrayRef<Edge> wanted,
                   std::shared_ptr<const Feeds> fed, bool &unsupported,
                   const Frame *around, int level, ArrayRef<int> targets) {
  FailureOr<std::vector<int>> order =
      orderNodes(report, graph, wanted, targets, *fed, level);
  if (failed(order))
    return failure();
  auto frame = std::make_unique<Frame>();
  frame->graph = &graph;
  if (around) {
    frame->arguments = around->arguments;
    frame->bindings = around->bindings;
    frame->caller = around->caller;
    frame->guards = around->guards;
  }
  frame->fed = std::move(fed);
  frame->order = std::move(*order);
  frame->wanted.assign(wanted.begin(), wanted.end());
  SmallVector<Traced> results;
  frame->done = [&](SmallVector<Traced> values, bool isUnsupported) {
    results = std::move(values);
    unsupported = isUnsupported;
    return success();
  };
  frames.push_back(std::move(frame));
  if (failed(run(frames.size() - 1)))
    return failure();
  return results;
}

FailureOr<SmallVector<Traced>> Tracer::trace(const Graph &graph,
                                             ArrayRef<Edge> wanted,
                                             ArrayRef<int> targets, Feeds fed) {
  bool unsupported = false;
  auto results =
      traceGraph(graph, wanted, std::make_shared<Feeds>(std::move(fed)),
                 unsupported, nullptr, -1, targets);
  if (failed(results) || failed(reportUnsupported()))
    return failure();
  return results;
}

FailureOr<Traced> Tracer::traceAside(const Graph &graph, Edge edge) {
  if (nesting >= nestingLimit)
    return failure();
  bool unsupported = false;
  // What is fed to the graph is given here too.
  std::shared_ptr<const Feeds> fed;
  for (const std::unique_ptr<Frame> &frame : frames)
    if (frame->graph == &graph)
      fed = frame->fed;
  if (!fed)
    fed = std::make_shared<Feeds>();
  ++nesting;
  auto results = traceGraph(graph, edge, std::move(fed), unsupported);
  --nesting;
  if (failed(results) || unsupported)
    return failure();
  return results->front();
}

FailureOr<Traced> Tracer::dereference(Traced traced, int index, unsigned i) {
  auto *variable = dynamic_cast<Variable *>(traced.object.get());
  if (!variable || !variable->isReference || traced.value)
    return traced;
  const Graph &graph = *frame().graph;
  StringRef op = index < 0 ? StringRef() : graph.op(index);
  if (assigns(op, i) || op.starts_with("Ref") || op == "IsVariableInitialized")
    return traced;
  Location at = index < 0 ? report.file() : locationOf(frame(), index);
  ImplicitLocOpBuilder b(at, builder);
  static const ::tensorflow::NodeDef none;
  Node node(*this, index < 0 ? none : graph.node(index), traced, b);
  FailureOr<Value> value = currentValue(node, *variable);
  if (failed(value))
    return failure();
  return Traced{*value, {}, nullptr};
}

LogicalResult Tracer::run(size_t base) {
  auto giveUp = [&] {
    frames.resize(base);
    return failure();
  };
  while (frames.size() > base) {
    Frame &top = frame();
    if (top.next < top.order.size()) {
      if (failed(traceNode(top.order[top.next++])))
        return giveUp();
      continue;
    }
    std::unique_ptr<Frame> finished = std::move(frames.back());
    frames.pop_back();
    if (failed(finish(std::move(finished))))
      return giveUp();
  }
  return success();
}

LogicalResult Tracer::finish(std::unique_ptr<Frame> frame) {
  SmallVector<Traced> values;
  bool unsupported = false;
  Location at = frame->caller ? Location(frame->caller) : report.file();
  for (Edge edge : frame->wanted) {
    FailureOr<Traced> traced = value(*frame, edge, at, unsupported);
    if (failed(traced))
      return failure();
    if (isDead(*traced) || !guardsOf(*frame, edge).empty()) {
      report.error(locationOf(*frame, edge.node))
          << "(" << escaped(frame->graph->op(edge.node))
          << "): may have no value, being on one side of a Switch without a "
             "Merge";
      return failure();
    }
    frames.push_back(std::move(frame));
    traced = dereference(*traced, /*node=*/-1, 0);
    frame = std::move(frames.back());
    frames.pop_back();
    if (failed(traced))
      return failure();
    values.push_back(*traced);
  }
  return frame->done(std::move(values), unsupported);
}

LogicalResult Tracer::traceNode(int index) {
  Frame &top = frame();
  Location at = locationOf(top, index);
  if (failed(countNode(at)))
    return failure();
  SmallVector<Traced> operands;
  bool missing = false;
  StringRef plain = plainOp(top.graph->op(index));
  if (top.graph->hasSwitches && plain == "Merge")
    return traceMerge(index, at);
  if (top.graph->loops && plain == "Exit")
    return traceExit(index, at);
  for (Edge edge : top.graph->operands(index)) {
    FailureOr<Traced> traced = value(top, edge, at, missing);
    if (succeeded(traced))
      traced = dereference(*traced, index, operands.size());
    if (failed(traced))
      return failure();
    operands.push_back(*traced);
  }
  if (!missing && top.graph->hasSwitches) {
    FailureOr<bool> runs = traceSwitches(index, at, operands);
    if (failed(runs))
      return failure();
    if (!*runs)
      return success();
  }
  if (!missing)
    return runNode(index, operands, at);
  // What lies behind a node that is not supported cannot be traced, but its
  // op can still be one of those to report.
  top.states[index].unsupported = true;
  StringRef op = top.graph->op(index);
  if (!isKnownOp(op) && !library.find(op) && !library.customOps.count(op))
    unsupported(at, op, whyUnknown(op));
  return success();
}

LogicalResult Tracer::runNode(int index, ArrayRef<Traced> operands,
                              Location at) {
  Frame &top = frame();
  NodeState &state = top.states[index];
  ImplicitLocOpBuilder b(at, builder);
  Node node(*this, top.graph->node(index), operands, b);
  node.bindings = top.bindings;
  pending = false;
  return runHandler(
      node, isConditional(), [&] { state.unsupported = true; },
      [&](Mark mark) {
        // A call: its frame gives the results.
        if (pending)
          return success();
        for (Traced &traced : node.given)
          refine(b, traced);
        state.results.assign(node.given.begin(), node.given.end());
        state.traced = true;
        if (frames.size() == 1)
          keepWatched(*this, index, b, state.results);
        if (instruments)
          instruments->add(node, top.caller, resultsOf(top, index));
        guardChecks(mark, index);
        return success();
      });
}

SmallVector<NodeResult> Tracer::resultsOf(const Frame &frame, int index) const {
  std::string node = frame.graph->name(index).str();
  SmallVector<NodeResult> results;
  for (auto [i, traced] : llvm::enumerate(frame.states.at(index).results))
    results.push_back({node, node + ":" + std::to_string(i), &traced,
                       &frame.graph->node(index),
                       declaredDims(frame.graph->node(index), i)});
  return results;
}

void Tracer::keepResults(const Frame &frame, int index) {
  if (instruments)
    instruments->keep(builder, locationOf(frame, index), frame.caller,
                      resultsOf(frame, index));
}

FailureOr<Constant> Tracer::constant(Node &node,
                                     ::tensorflow::TensorProto &proto) {
  auto [known, isNew] = library.constants.try_emplace(&proto);
  if (!isNew)
    return known->second;
  std::string why;
  FailureOr<Constant> read =
      readTensor(report.context, proto, node.name(), why);
  if (failed(read)) {
    node.error() << "its constant " << why;
    return failure();
  }
  library.constants[&proto] = *read;
  return read;
}

} // namespace weir::tensorflow
