// Variables: their handles, and their values. Those that no entry assigns are
// constants: what a checkpoint or their initializer gives them.

#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/state/Init.h"
#include "compiler/import/tensorflow/state/State.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/gradients/Gradient.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

std::string variableName(const NodeDef &def) {
  auto shared = def.attr().find("shared_name");
  return shared != def.attr().end() && !shared->second.s().empty()
             ? shared->second.s()
             : def.name();
}

const Variable *variableAt(Node &node, unsigned i) {
  return dynamic_cast<const Variable *>(node.traced(i).object.get());
}

static FailureOr<std::shared_ptr<Variable>> declared(Node &node) {
  auto variable = std::make_shared<Variable>();
  variable->name = variableName(node.def);
  variable->isReference = node.op() != "VarHandleOp";
  const AttrValue *type = node.attr("dtype", "a type");
  const AttrValue *shape = node.attr("shape", "a shape");
  if (!type)
    return node.missing("dtype");
  variable->element = elementType(node.b.getContext(), type->type());
  if (shape) {
    auto read = shapeOf(shape->shape());
    if (failed(read))
      return node.error() << "has no valid shape";
    variable->shape = *read;
  }
  return variable;
}

/// What the graph itself assigns to a variable that no checkpoint holds: the
/// value of its initializer, where that is known without running it.
static FailureOr<Value> initialValue(Node &node, const Variable &variable) {
  Tracer &tracer = node.tracer;
  const Graph &root = tracer.outermost();
  for (Edge edge : initialEdges(tracer, root, variable.name)) {
    size_t refusals = tracer.refusals();
    auto traced = tracer.traceAside(root, edge);
    if (failed(traced)) {
      if (tracer.report.status != Status::ok)
        return failure();
      tracer.forget(refusals);
      continue;
    }
    if (traced->value && !traced->imaginary)
      return traced->value;
  }
  return node.unsupported(
      "variable '" + escaped(variable.name) +
      "' has no value: it is in no checkpoint, and its initial value is not "
      "known at compile time; give it one with --checkpoint=PATH, or train it "
      "with --loss");
}

/// Whether ops are now inserted where each run passes once.
static bool isOutermost(Node &node) {
  return isa<func::FuncOp>(node.b.getInsertionBlock()->getParentOp());
}

static FailureOr<Value> stateValue(Node &node, graph::VariableOp state) {
  auto known = node.tracer.known.find(state.getSymName());
  if (known != node.tracer.known.end() &&
      (isOutermost(node) || node.tracer.isInit))
    return known->second;
  if (node.tracer.isInit)
    return node.unsupported("variable '" + escaped(state.nameInModel()) +
                            "' is read before it has its first value");
  Value value = node.b.create<graph::ReadVariableOp>(state.getTensorType(),
                                                     state.getSymName());
  if (isOutermost(node))
    node.tracer.known[state.getSymName()] = value;
  return value;
}

/// What a variable that no entry assigns holds.
static FailureOr<Value> storedValue(Node &node, const Variable &variable) {
  Tracer &tracer = node.tracer;
  if (tracer.variables) {
    FailureOr<ElementsAttr> saved = tracer.variables->value(variable.name);
    if (failed(saved))
      return failure();
    if (*saved) {
      auto type = mlir::cast<RankedTensorType>(saved->getType());
      bool agrees =
          !variable.element || type.getElementType() == variable.element;
      if (agrees && variable.shape) {
        agrees = type.getRank() == static_cast<int64_t>(variable.shape->size());
        for (int64_t i = 0; agrees && i < type.getRank(); ++i)
          agrees = ShapedType::isDynamic((*variable.shape)[i]) ||
                   (*variable.shape)[i] == type.getDimSize(i);
      }
      if (!agrees)
        return node.error()
               << "the checkpoint holds a " << type << " for variable '"
               << escaped(variable.name) << "', which is of another type";
      return node.b.create<graph::ConstantOp>(*saved).getResult();
    }
  }
  return initialValue(node, variable);
}

FailureOr<Value> currentValue(Node &node, const Variable &variable) {
  Tracer &tracer = node.tracer;
  graph::VariableOp state = tracer.stateVariables
                                ? tracer.stateVariables->find(variable.name)
                                : graph::VariableOp();
  auto read = [&] {
    return state ? stateValue(node, state) : storedValue(node, variable);
  };
  Watched *watched = watchedOf(tracer);
  if (!watched || !watched->variables.contains(variable.name))
    return read();
  Value &shared = watched->variables[variable.name];
  if (!shared) {
    FailureOr<Value> value = read();
    if (failed(value))
      return failure();
    shared = watched->keep(node.b, *value);
  }
  return shared;
}

FailureOr<Value> tensorAt(Node &node, unsigned i) {
  const Traced &traced = node.traced(i);
  if (const Variable *variable = variableAt(node, i))
    return currentValue(node, *variable);
  if (!traced.value || traced.imaginary || traced.isBounded())
    return node.unsupported("operand " + Twine(i) +
                            " is no tensor of a known size");
  return traced.value;
}

LogicalResult assign(Node &node, const Variable &variable, Value value) {
  Tracer &tracer = node.tracer;
  graph::VariableOp state = tracer.stateVariables
                                ? tracer.stateVariables->find(variable.name)
                                : graph::VariableOp();
  if (!state)
    return node.unsupported("an assignment to variable '" +
                            escaped(variable.name) +
                            "' that weir cannot follow");
  if (!value)
    return failure();
  if (value.getType() != state.getType())
    return node.error() << "assigns a " << value.getType() << " to variable '"
                        << escaped(variable.name) << "', which is a "
                        << state.getType();
  Guards guards = tracer.frame().guards;
  llvm::append_range(guards,
                     tracer.frame().states.at(tracer.currentNode()).guards);
  for (const Guard &guard : guards) {
    FailureOr<Value> old = stateValue(node, state);
    if (failed(old))
      return failure();
    Value all = broadcastTo(node.b, guard.predicate, typeOf(value).getShape());
    value = guard.side ? make<graph::SelectOp>(node.b, all, value, *old)
                       : make<graph::SelectOp>(node.b, all, *old, value);
  }
  node.b.create<graph::WriteVariableOp>(state.getSymName(), value);
  tracer.known.erase(state.getSymName());
  if (isOutermost(node))
    tracer.known[state.getSymName()] = value;
  return success();
}

static LogicalResult importHandle(Node &node) {
  auto variable = declared(node);
  if (failed(variable))
    return failure();
  return node.tracedResults({{{}, {}, *variable}});
}

/// A variable of the first version stands for its value, too: for a constant,
/// or for what it is when it is used.
static LogicalResult importReference(Node &node) {
  auto variable = declared(node);
  if (failed(variable))
    return failure();
  if (node.tracer.stateVariables &&
      node.tracer.stateVariables->find((*variable)->name))
    return node.tracedResults({{{}, {}, *variable}});
  FailureOr<Value> value = currentValue(node, **variable);
  if (failed(value))
    return failure();
  return node.tracedResults({{*value, {}, *variable}});
}

static LogicalResult importRead(Node &node) {
  const Variable *variable = node.size() == 1 ? variableAt(node, 0) : nullptr;
  if (!variable)
    return node.error() << "reads something that is no variable";
  if (Type wanted = node.typeAttr("dtype");
      wanted && variable->element && wanted != variable->element)
    return node.error() << "reads " << wanted << " from variable '"
                        << escaped(variable->name) << "' of "
                        << variable->element;
  FailureOr<Value> value = currentValue(node, *variable);
  return failed(value) ? failure() : node.result(*value);
}

static LogicalResult importVariableShape(Node &node) {
  const Variable *variable = node.size() == 1 ? variableAt(node, 0) : nullptr;
  if (!variable)
    return node.error() << "asks for the shape of something that is no "
                           "variable";
  FailureOr<Value> value = currentValue(node, *variable);
  if (failed(value))
    return failure();
  Type type = node.typeAttr("out_type");
  return node.result(numbers(node.b, type ? type : node.b.getI32Type(),
                             typeOf(*value).getShape()));
}

/// Functions that use variables do not run before these have values.
static LogicalResult importIsInitialized(Node &node) {
  return node.result(
      splat(node.b, RankedTensorType::get({}, node.b.getI1Type()), 1));
}

void addVariableHandlers(Handlers &handlers) {
  handlers["VarHandleOp"] = importHandle;
  for (StringRef op : {"VariableV2", "Variable"})
    handlers[op] = importReference;
  handlers["ReadVariableOp"] = {importRead, Takes::anything};
  handlers["VariableShape"] = {importVariableShape, Takes::anything};
  for (StringRef op : {"VarIsInitializedOp", "IsVariableInitialized"})
    handlers[op] = {importIsInitialized, Takes::anything};
  addAssignHandlers(handlers);
  addGeneratorHandlers(handlers);
  addOptimizerHandlers(handlers);
}

} // namespace weir::tensorflow
