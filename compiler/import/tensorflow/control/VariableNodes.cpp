// Variables: their handles, and the values that a checkpoint or their
// initializer gives them.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/control/Control.h"

#include "dialects/graph/gradients/Gradient.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

namespace {

struct Variable : Object {
  std::string name;
  Type element;
  std::optional<SmallVector<int64_t>> shape;
};

} // namespace

std::string variableName(const NodeDef &def) {
  auto shared = def.attr().find("shared_name");
  return shared != def.attr().end() && !shared->second.s().empty()
             ? shared->second.s()
             : def.name();
}

static FailureOr<std::shared_ptr<Variable>> declared(Node &node) {
  auto variable = std::make_shared<Variable>();
  variable->name = variableName(node.def);
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
  for (int i = 0; i < root.size(); ++i) {
    StringRef op = root.op(i);
    ArrayRef<Edge> operands = root.operands(i);
    if ((op != "Assign" && op != "AssignVariableOp") || operands.size() != 2 ||
        operands[0].isArgument())
      continue;
    const NodeDef &target = root.node(operands[0].node);
    if (variableName(target) != variable.name ||
        !(target.op() == "VarHandleOp" || target.op() == "VariableV2" ||
          target.op() == "Variable"))
      continue;
    // Assignments by the nodes that restore a checkpoint say nothing.
    size_t refusals = tracer.refusals();
    auto traced = tracer.traceAside(root, operands[1]);
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
      "known at compile time");
}

static FailureOr<Value> storedValue(Node &node, const Variable &variable) {
  Tracer &tracer = node.tracer;
  if (tracer.variables) {
    FailureOr<ElementsAttr> saved = tracer.variables->value(variable.name);
    if (failed(saved))
      return failure();
    if (*saved) {
      auto type = cast<RankedTensorType>(saved->getType());
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

static FailureOr<Value> currentValue(Node &node, const Variable &variable) {
  Tracer &tracer = node.tracer;
  auto assigned = tracer.state.find(variable.name);
  if (assigned != tracer.state.end() && assigned->second.value)
    return assigned->second.value;
  Watched *watched = watchedOf(tracer);
  if (!watched || !watched->variables.contains(variable.name))
    return storedValue(node, variable);
  Value &shared = watched->variables[variable.name];
  if (!shared) {
    FailureOr<Value> value = storedValue(node, variable);
    if (failed(value))
      return failure();
    shared = node.b.create<graph::BarrierOp>(*value);
  }
  return shared;
}

static LogicalResult importHandle(Node &node) {
  auto variable = declared(node);
  if (failed(variable))
    return failure();
  return node.tracedResults({{{}, {}, *variable}});
}

/// A variable of the first version is its own value, too.
static LogicalResult importReference(Node &node) {
  auto variable = declared(node);
  if (failed(variable))
    return failure();
  FailureOr<Value> value = currentValue(node, **variable);
  if (failed(value))
    return failure();
  return node.tracedResults({{*value, {}, *variable}});
}

static LogicalResult importRead(Node &node) {
  auto *variable = node.size() == 1
                       ? dynamic_cast<Variable *>(node.traced(0).object.get())
                       : nullptr;
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
  auto *variable = node.size() == 1
                       ? dynamic_cast<Variable *>(node.traced(0).object.get())
                       : nullptr;
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

/// A value that a variable has from here on. It does not outlive the run: each
/// begins with what the checkpoint says, and the user is told.
static LogicalResult importAssign(Node &node) {
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  const Traced &target = node.traced(0), &value = node.traced(1);
  if (!value.value || value.imaginary)
    return node.unsupported("an assignment of something that is no tensor");
  auto *variable = dynamic_cast<Variable *>(target.object.get());
  if (!variable) {
    // Frozen graphs assign to the constant that the variable has become.
    if (!target.value || target.value.getType() != value.value.getType())
      return node.error() << "assigns a value of another type";
    return node.tracedResults({value});
  }
  if (node.tracer.isConditional())
    return node.unsupported("an assignment that not every run makes once");
  if (variable->element &&
      typeOf(value.value).getElementType() != variable->element)
    return node.error() << "assigns a " << value.value.getType()
                        << " to variable '" << escaped(variable->name)
                        << "' of " << variable->element;
  mlir::emitWarning(node.b.getLoc())
      << "(" << escaped(node.op()) << "): the value given to variable '"
      << escaped(variable->name)
      << "' does not outlive the run; each run begins with its saved value";
  node.tracer.state[variable->name] = value;
  if (target.value)
    return node.tracedResults({{value.value, {}, target.object}});
  return node.tracedResults({});
}

void addVariableHandlers(Handlers &handlers) {
  handlers["VarHandleOp"] = importHandle;
  for (StringRef op : {"VariableV2", "Variable"})
    handlers[op] = importReference;
  handlers["ReadVariableOp"] = {importRead, Takes::anything};
  handlers["VariableShape"] = {importVariableShape, Takes::anything};
  for (StringRef op : {"Assign", "AssignVariableOp"})
    handlers[op] = {importAssign, Takes::anything};
}

} // namespace weir::tensorflow
