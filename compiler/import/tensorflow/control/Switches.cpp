// Conditionals of the first version's control flow: both sides of a Switch are
// traced, and a Merge chooses between them. What is behind a Switch whose
// predicate is known to go the other way is not traced at all.

#include "compiler/import/tensorflow/control/Switches.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/Frames.h"
#include "compiler/import/tensorflow/control/LoopNest.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

namespace {
struct Dead : Object {};
} // namespace

Traced deadValue() {
  static const std::shared_ptr<Object> dead = std::make_shared<Dead>();
  return {{}, {}, dead};
}

bool isDead(const Traced &traced) {
  return dynamic_cast<Dead *>(traced.object.get()) != nullptr;
}

static void addGuards(Guards &guards, const Guards &more) {
  for (const Guard &guard : more)
    if (!llvm::is_contained(guards, guard))
      guards.push_back(guard);
}

Guards Tracer::guardsOf(const Frame &frame, Edge edge) const {
  if (edge.isArgument() || frame.fed->find(edge))
    return {};
  const NodeState &state = frame.states.at(edge.node);
  Guards guards = state.guards;
  if (state.choice)
    addGuards(guards, {Guard{state.choice, edge.output == 1}});
  return guards;
}

FailureOr<bool> Tracer::traceSwitches(int index, Location at,
                                      ArrayRef<Traced> operands) {
  Frame &top = frame();
  NodeState &state = top.states[index];
  bool dead = llvm::any_of(operands, isDead);
  for (Edge edge : top.graph->operands(index))
    addGuards(state.guards, guardsOf(top, edge));
  for (int control : top.graph->controls(index)) {
    const NodeState &before = top.states.at(control);
    dead |= before.dead;
    addGuards(state.guards, before.guards);
  }
  if (dead) {
    // As many results as anyone asks for.
    state.results.assign(64, deadValue());
    state.traced = state.dead = true;
    return false;
  }
  if (plainOp(top.graph->op(index)) != "Switch")
    return true;
  Traced predicate = operands.size() == 2 ? operands[1] : Traced();
  auto type = predicate.value
                  ? dyn_cast<RankedTensorType>(predicate.value.getType())
                  : RankedTensorType();
  if (!type || type.getRank() != 0 || !type.getElementType().isInteger(1)) {
    report.error(at) << "(Switch): its predicate is no Boolean";
    return failure();
  }
  state.results.assign(2, operands[0]);
  state.traced = true;
  if (std::optional<bool> known = knownBoolean(predicate.value))
    state.results[*known ? 0 : 1] = deadValue();
  else
    state.choice = predicate.value;
  return false;
}

LogicalResult Tracer::traceMerge(int index, Location at) {
  Frame &top = frame();
  NodeState &state = top.states[index];
  struct Input {
    Traced value;
    Guards guards;
    Value number;
  };
  ImplicitLocOpBuilder b(at, builder);
  auto numberType = RankedTensorType::get({}, b.getI32Type());
  SmallVector<Input> alive;
  bool missing = false;
  for (auto [i, edge] : llvm::enumerate(top.graph->operands(index))) {
    FailureOr<Traced> traced = value(top, edge, at, missing);
    if (failed(traced))
      return failure();
    if (!isDead(*traced))
      alive.push_back({*traced, guardsOf(top, edge),
                       splat(b, numberType, static_cast<double>(i))});
  }
  if (missing) {
    state.unsupported = true;
    return success();
  }
  state.traced = true;
  if (alive.empty()) {
    state.dead = true;
    state.results.assign(2, deadValue());
    return success();
  }
  const ::tensorflow::NodeDef &def = top.graph->node(index);
  Node node(*this, def, {}, b);
  while (alive.size() > 1) {
    Input last = alive.pop_back_val(), &first = alive.back();
    auto opposite = llvm::find_if(first.guards, [&](const Guard &guard) {
      return llvm::is_contained(last.guards,
                                Guard{guard.predicate, !guard.side});
    });
    if (opposite == first.guards.end()) {
      report.error(at) << "(Merge): merges values of which none or both may "
                          "be there";
      return failure();
    }
    Guard guard = *opposite;
    Input &onTrue = guard.side ? first : last;
    Input &onFalse = guard.side ? last : first;
    size_t before = refusals();
    auto both = buildIf(
        node, guard.predicate,
        [&]() -> FailureOr<SmallVector<Traced>> {
          return SmallVector<Traced>{onTrue.value, {onTrue.number, {}, {}}};
        },
        [&]() -> FailureOr<SmallVector<Traced>> {
          return SmallVector<Traced>{onFalse.value, {onFalse.number, {}, {}}};
        });
    if (failed(both)) {
      state.traced = false;
      state.unsupported = refusals() > before;
      return success(state.unsupported && report.status == Status::ok);
    }
    Guards common;
    for (const Guard &each : first.guards)
      if (llvm::is_contained(last.guards, each))
        common.push_back(each);
    first = {(*both)[0], common, (*both)[1].value};
  }
  state.guards = alive[0].guards;
  state.results.assign({alive[0].value, {alive[0].number, {}, {}}});
  keepResults(top, index);
  return success();
}

LogicalResult Tracer::traceExit(int index, Location at) {
  Frame &top = frame();
  const NodeState &state = top.states.at(index);
  if (state.traced || state.unsupported)
    return success();
  int loop = top.graph->loops->left(index);
  if (loop < 0) {
    report.error(at) << "(Exit): leaves no loop";
    return failure();
  }
  ImplicitLocOpBuilder b(at, builder);
  Node node(*this, top.graph->node(index), {}, b);
  node.bindings = top.bindings;
  return traceFrame(node, *top.graph, loop);
}

FailureOr<SmallVector<Traced>> Tracer::traceLevel(Node &node,
                                                  const Graph &graph,
                                                  ArrayRef<Edge> wanted,
                                                  Feeds fed, int level) {
  if (nesting >= nestingLimit) {
    report.error(node.b.getLoc(), Status::limit) << "loops nest too deep";
    return failure();
  }
  bool unsupported = false;
  Frame &around = frame();
  ++nesting;
  auto results =
      traceGraph(graph, wanted, std::make_shared<Feeds>(std::move(fed)),
                 unsupported, &around, level);
  --nesting;
  if (failed(results) || unsupported)
    return failure();
  return results;
}

void Tracer::guardChecks(Mark mark, int index) {
  Guards guards = frame().guards;
  addGuards(guards, frame().states.at(index).guards);
  if (guards.empty() || !mark.block)
    return;
  for (auto op = mark.next(); op != mark.block->end(); ++op) {
    auto check = dyn_cast<graph::CheckOp>(&*op);
    if (!check)
      continue;
    // Where the node would not run, nothing is wrong.
    ImplicitLocOpBuilder b(check.getLoc(), check);
    Value condition = check.getCondition();
    for (const Guard &guard : guards) {
      Value elsewhere = guard.predicate;
      if (guard.side)
        elsewhere = make<graph::LogicalNotOp>(b, elsewhere);
      condition = make<graph::LogicalOrOp>(b, condition, elsewhere);
    }
    check.getConditionMutable().assign(condition);
  }
}

} // namespace weir::tensorflow
