// Constants, ops that only hand on their operands, and assertions.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/ByName.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/state/State.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/gradients/Gradient.h"

using namespace mlir;
using ::tensorflow::AttrValue;

namespace weir::tensorflow {

static LogicalResult importConst(Node &node) {
  // Large contents are moved out of the message: the importer owns it.
  auto *value = const_cast<AttrValue *>(node.attr("value", "a tensor"));
  if (!value)
    return node.missing("value");
  const AttrValue *type = node.attr("dtype", "a type");
  if (type && type->type() != value->tensor().dtype())
    return node.error() << "says " << dataTypeName(type->type())
                        << " but its value is of "
                        << dataTypeName(value->tensor().dtype());
  Tracer &tracer = node.tracer;
  graph::VariableOp trained;
  if (tracer.stateVariables && !tracer.isInit &&
      tracer.frame().graph == &tracer.outermost())
    trained = tracer.stateVariables->find(node.name());
  if (trained && trained.getInitial()) {
    Variable variable;
    variable.name = node.name().str();
    FailureOr<Value> now = currentValue(node, variable);
    return failed(now) ? failure() : node.result(*now);
  }
  FailureOr<Constant> constant =
      node.tracer.constant(node, *value->mutable_tensor());
  if (failed(constant))
    return failure();
  Traced result;
  if (constant->value) {
    result.value = node.b.create<graph::ConstantOp>(constant->value);
    if (constant->imaginary)
      result.imaginary = node.b.create<graph::ConstantOp>(constant->imaginary);
  } else {
    auto strings = std::make_shared<Strings>();
    strings->shape = constant->shape;
    strings->values = constant->strings;
    result.object = strings;
  }
  return node.tracedResults({result});
}

/// The first operand, whatever it is.
static LogicalResult importIdentity(Node &node) {
  if (!node.size())
    return node.error() << "has no operand";
  if (failed(checkType(node, 0)))
    return failure();
  return node.tracedResults({node.traced(0)});
}

/// What gradients do not pass; one that comes to a PreventGradient is an error.
static LogicalResult importStop(Node &node) {
  if (!watchedOf(node.tracer) || !node.size() || failed(checkType(node, 0)))
    return importIdentity(node);
  Traced traced = node.traced(0);
  StringAttr refusal;
  if (node.op() == "PreventGradient") {
    std::string why = escaped(node.stringAttr("message"));
    refusal = node.b.getStringAttr("prevents gradients" +
                                   (why.empty() ? why : ": " + why));
  }
  for (Value *part : {&traced.value, &traced.imaginary})
    if (*part)
      *part = node.b.create<graph::StopGradientOp>(*part, refusal);
  return node.tracedResults({traced});
}

static LogicalResult importIdentityN(Node &node) {
  SmallVector<Traced> values;
  for (unsigned i = 0; i < node.size(); ++i)
    values.push_back(node.traced(i));
  return node.tracedResults(std::move(values));
}

static LogicalResult importNothing(Node &node) {
  return node.tracedResults({});
}

static LogicalResult importPlaceholder(Node &node) {
  return node.error() << "is a placeholder without a value; give it one with "
                         "--feed="
                      << escaped(node.name());
}

/// Parts of loops and conditionals that the importer has not met as such.
static LogicalResult importStray(Node &node) {
  return node.error() << "stands outside of any loop or conditional";
}

static LogicalResult importAssert(Node &node) {
  if (!node.size())
    return node.error() << "has no condition";
  Value condition = node.operand(0);
  auto type = condition ? dyn_cast<RankedTensorType>(condition.getType())
                        : RankedTensorType();
  if (!type || !type.getElementType().isInteger(1) || type.getRank() != 0)
    return node.error() << "its condition is no Boolean";
  std::string message = "node '" + escaped(node.name()) + "': assertion failed";
  for (unsigned i = 1; i < node.size(); ++i)
    if (auto *strings = dynamic_cast<Strings *>(node.traced(i).object.get());
        strings && !strings->values.empty() && message.size() < 400)
      message += (i == 1 ? ": " : " ") + escaped(strings->values.front());
  if (knownBoolean(condition) == true)
    return node.tracedResults({});
  node.b.create<graph::CheckOp>(condition, message);
  return node.tracedResults({});
}

/// A shape that TensorFlow checks as it runs is known here.
static LogicalResult importEnsureShape(Node &node) {
  const AttrValue *wanted = node.attr("shape", "a shape");
  if (node.size() != 1 || !wanted)
    return node.error() << "wants one operand and a shape";
  auto shape = shapeOf(wanted->shape());
  if (failed(shape))
    return node.error() << "has no valid shape";
  if (*shape) {
    bool agree = static_cast<int64_t>((*shape)->size()) == node.rank(0);
    for (int64_t i = 0; agree && i < node.rank(0); ++i)
      agree = (**shape)[i] == ShapedType::kDynamic ||
              (**shape)[i] == node.shape(0)[i];
    if (!agree)
      return node.error() << "a " << node.type(0)
                          << " is not of the shape that it ensures";
  }
  return node.result(node.operand(0));
}

/// A call says what it takes and gives, or TensorFlow refuses it.
static LogicalResult checkSignature(Node &node) {
  const auto *taken = node.listAttr("Tin", "types");
  if (!taken)
    return node.missing("Tin");
  if (static_cast<unsigned>(taken->type_size()) != node.size())
    return node.error() << "has " << node.size() << " operands, but Tin names "
                        << taken->type_size();
  return node.listAttr("Tout", "types") ? success() : node.missing("Tout");
}

static LogicalResult importCall(Node &node) {
  const AttrValue *function = node.attr("f", "a function");
  if (!function)
    return node.missing("f");
  if (failed(checkSignature(node)))
    return failure();
  SmallVector<Traced> arguments;
  for (unsigned i = 0; i < node.size(); ++i)
    arguments.push_back(node.traced(i));
  return node.tracer.call(node, function->func().name(),
                          function->func().attr(), arguments);
}

void addCoreHandlers(Handlers &handlers) {
  handlers["Const"] = {importConst, Takes::whole};
  for (StringRef op :
       {"Identity", "Snapshot", "DeepCopy", "PlaceholderWithDefault", "Print",
        "RefIdentity", "_Retval", "DebugGradientIdentity", "_EagerConst",
        "Copy", "CopyHost", "DebugIdentity", "DebugIdentityV2",
        "DebugIdentityV3"})
    handlers[op] = {importIdentity, Takes::whole};
  for (StringRef op : {"StopGradient", "PreventGradient"})
    handlers[op] = {importStop, Takes::whole};
  for (StringRef op : {"IdentityN", "_ArrayToList", "_ListToArray"})
    handlers[op] = {importIdentityN, Takes::whole};
  for (StringRef op : {"NoOp", "PrintV2", "ControlTrigger"})
    handlers[op] = {importNothing, Takes::whole};
  for (StringRef op : {"Placeholder", "PlaceholderV2", "_Arg"})
    handlers[op] = {importPlaceholder, Takes::whole};
  for (StringRef op :
       {"Switch", "Merge", "Enter", "Exit", "NextIteration", "RefSwitch",
        "RefMerge", "RefEnter", "RefExit", "RefNextIteration"})
    handlers[op] = {importStray, Takes::whole};
  handlers["Assert"] = {importAssert, Takes::whole};
  handlers["EnsureShape"] = importEnsureShape;
  for (StringRef op : {"PartitionedCall", "StatefulPartitionedCall"})
    handlers[op] = {importCall, Takes::whole};
}

} // namespace weir::tensorflow
