// Loops of the first version's control flow, traced a frame at a time.

#include "compiler/import/tensorflow/control/Frames.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/LoopNest.h"
#include "compiler/import/tensorflow/control/Loops.h"
#include "compiler/import/tensorflow/control/Switches.h"

using namespace mlir;

namespace weir::tensorflow {

namespace {

/// One variable of a loop: Enter -> Merge -> Switch -> ... -> NextIteration.
struct LoopVariable {
  int merge = -1;
  /// The edges that give its first and its next value.
  Edge first, next;
  /// -1 where the loop only counts with it and no body uses it.
  int choice = -1;
};

class FrameTracer {
public:
  FrameTracer(Node &node, const Graph &graph, int loop)
      : node(node), graph(graph), loop(graph.loops->loop(loop)), level(loop) {}

  LogicalResult trace();

private:
  LogicalResult findVariables();
  bool isInvariant(const LoopVariable &variable) const;
  FailureOr<SmallVector<Traced>>
  traceInside(ArrayRef<Traced> values, ArrayRef<Edge> wanted, bool inBody);
  Location at(int of) const { return node.tracer.report.node(graph.name(of)); }
  InFlightDiagnostic error(int of) { return node.tracer.report.error(at(of)); }

  Node &node;
  const Graph &graph;
  const FrameLoop &loop;
  int level;
  SmallVector<LoopVariable> variables;
  /// What comes in from outside and stays.
  Feeds constants;
};

} // namespace

LogicalResult FrameTracer::findVariables() {
  if (loop.condition < 0 || graph.operands(loop.condition).size() != 1)
    return error(node.tracer.currentNode())
           << "leaves a loop that has no condition";
  for (int merge : loop.merges) {
    LoopVariable variable;
    variable.merge = merge;
    for (Edge edge : graph.operands(merge)) {
      if (edge.isArgument())
        return error(merge) << "merges something from outside of its loop";
      StringRef op = plainOp(graph.op(edge.node));
      ArrayRef<Edge> from = graph.operands(edge.node);
      if (from.size() != 1 || (op != "Enter" && op != "NextIteration"))
        return error(merge) << "is no variable of a loop";
      (op == "Enter" ? variable.first : variable.next) = from[0];
    }
    if (graph.operands(merge).size() != 2)
      return error(merge) << "is no variable of a loop";
    variables.push_back(variable);
  }
  llvm::DenseMap<int, size_t> byMerge;
  for (auto [i, variable] : llvm::enumerate(variables))
    byMerge[variable.merge] = i;
  for (int choice : loop.switches) {
    ArrayRef<Edge> operands = graph.operands(choice);
    if (operands.size() != 2 || operands[1].node != loop.condition ||
        operands[0].output != 0)
      continue;
    auto found = byMerge.find(operands[0].node);
    if (found != byMerge.end())
      variables[found->second].choice = choice;
  }
  return success();
}

/// Whether the next value is the value itself, through nodes that change
/// nothing.
bool FrameTracer::isInvariant(const LoopVariable &variable) const {
  Edge edge = variable.next;
  for (int steps = 0; !edge.isArgument() && steps < graph.size(); ++steps) {
    if (edge == Edge{variable.choice, 1})
      return true;
    if (graph.op(edge.node) != "Identity" || graph.operands(edge.node).empty())
      return false;
    edge = graph.operands(edge.node)[0];
  }
  return false;
}

FailureOr<SmallVector<Traced>> FrameTracer::traceInside(ArrayRef<Traced> values,
                                                        ArrayRef<Edge> wanted,
                                                        bool inBody) {
  Feeds fed = constants;
  for (auto [variable, value] : llvm::zip(variables, values)) {
    fed.add({variable.merge, 0}, value);
    if (inBody && variable.choice >= 0)
      fed.add({variable.choice, 1}, value);
  }
  if (inBody) {
    ImplicitLocOpBuilder b(node.b.getLoc(), node.tracer.builder);
    auto type = RankedTensorType::get({}, b.getI1Type());
    fed.add({loop.condition, 0}, {splat(b, type, 1), {}, nullptr});
  }
  return node.tracer.traceLevel(node, graph, wanted, std::move(fed), level);
}

LogicalResult FrameTracer::trace() {
  if (failed(findVariables()))
    return failure();
  Tracer &tracer = node.tracer;
  Frame &outside = tracer.frame();
  Loop steps;
  bool dead = false, missing = false;
  Guards guards;
  auto valueOf = [&](Edge edge) {
    if (!edge.isArgument())
      for (const Guard &guard : tracer.guardsOf(outside, edge))
        if (!llvm::is_contained(guards, guard))
          guards.push_back(guard);
    return tracer.value(outside, edge, node.b.getLoc(), missing);
  };
  for (int enter : loop.enters) {
    if (graph.operands(enter).size() != 1)
      return error(enter) << "wants one operand";
    FailureOr<Traced> value = valueOf(graph.operands(enter)[0]);
    if (failed(value))
      return failure();
    dead |= isDead(*value);
    constants.add({enter, 0}, *value);
  }
  for (const LoopVariable &variable : variables) {
    FailureOr<Traced> value = valueOf(variable.first);
    if (failed(value))
      return failure();
    steps.inits.push_back(*value);
    steps.invariant.push_back(isInvariant(variable));
  }
  FailureOr<SmallVector<Traced>> results(failure());
  if (!dead && !missing) {
    Edge condition = graph.operands(loop.condition)[0];
    SmallVector<Edge> next;
    for (const LoopVariable &variable : variables)
      next.push_back(variable.next);
    steps.condition = [&](ArrayRef<Traced> values) {
      return traceInside(values, condition, false);
    };
    steps.body = [&](ArrayRef<Traced> values) {
      return traceInside(values, next, true);
    };
    results = buildLoop(node, std::move(steps));
    if (failed(results)) {
      // All results of the loop share its fate.
      if (tracer.report.status != Status::ok)
        return failure();
      missing = true;
    }
  }
  // What a variable is after the last step leaves its Switch, or its Merge.
  llvm::DenseMap<int, size_t> sources;
  for (auto [i, variable] : llvm::enumerate(variables)) {
    sources[variable.merge] = i;
    if (variable.choice >= 0)
      sources[variable.choice] = i;
  }
  for (int exit : loop.exits) {
    NodeState &state = outside.states[exit];
    state.traced = true;
    state.unsupported = missing;
    state.guards = guards;
    if (missing)
      continue;
    Edge from = graph.operands(exit).empty() ? Edge() : graph.operands(exit)[0];
    Traced result = dead ? deadValue() : Traced();
    auto source = sources.find(from.node);
    bool isVariable = source != sources.end() && from.output == 0 &&
                      !graph.operands(exit).empty();
    if (!dead && isVariable)
      result = (*results)[source->second];
    else if (!dead)
      return error(exit) << "leaves the loop with something that is none of "
                            "its variables";
    state.results.assign(1, result);
    tracer.keepResults(outside, exit);
  }
  return success();
}

LogicalResult traceFrame(Node &node, const Graph &graph, int loop) {
  return FrameTracer(node, graph, loop).trace();
}

} // namespace weir::tensorflow
