// Loops of the first version's control flow, traced a frame at a time.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/LoopNest.h"

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
      : node(node), graph(graph), nest(*graph.loops),
        loop(graph.loops->loop(loop)), level(loop) {}

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
  const LoopNest &nest;
  const FrameLoop &loop;
  int level;
  SmallVector<LoopVariable> variables;
  /// What comes in from outside and stays.
  SmallVector<std::pair<Edge, Traced>> constants;
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
  for (int i = 0; i < graph.size(); ++i) {
    if (plainOp(graph.op(i)) != "Switch" || nest.loopOf(i) != level)
      continue;
    ArrayRef<Edge> operands = graph.operands(i);
    if (operands.size() != 2 || operands[1].node != loop.condition)
      continue;
    for (LoopVariable &variable : variables)
      if (operands[0] == Edge{variable.merge, 0})
        variable.choice = i;
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
  SmallVector<std::pair<Edge, Traced>> fed(constants);
  for (auto [variable, value] : llvm::zip(variables, values)) {
    fed.push_back({{variable.merge, 0}, value});
    if (inBody && variable.choice >= 0)
      fed.push_back({{variable.choice, 1}, value});
  }
  if (inBody) {
    ImplicitLocOpBuilder b(node.b.getLoc(), node.tracer.builder);
    auto type = RankedTensorType::get({}, b.getI1Type());
    fed.push_back({{loop.condition, 0}, {splat(b, type, 1), {}, nullptr}});
  }
  return node.tracer.traceLevel(node, graph, wanted, fed, level);
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
    constants.push_back({{enter, 0}, *value});
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
  for (int exit : loop.exits) {
    NodeState &state = outside.states[exit];
    state.traced = true;
    state.unsupported = missing;
    state.guards = guards;
    if (missing)
      continue;
    Edge from = graph.operands(exit).empty() ? Edge() : graph.operands(exit)[0];
    Traced result = dead ? deadValue() : Traced();
    bool found = dead;
    for (size_t i = 0; !dead && i < variables.size(); ++i)
      if (from == Edge{variables[i].choice, 0} ||
          from == Edge{variables[i].merge, 0}) {
        result = (*results)[i];
        found = true;
      }
    if (!found)
      return error(exit) << "leaves the loop with something that is none of "
                            "its variables";
    state.results.assign(1, result);
  }
  return success();
}

LogicalResult traceFrame(Node &node, const Graph &graph, int loop) {
  return FrameTracer(node, graph, loop).trace();
}

} // namespace weir::tensorflow
