// What a handler can ask of its node.

#include "compiler/import/onnx/Node.h"

#include "compiler/import/Custom.h"
#include "compiler/import/Names.h"
#include "compiler/import/onnx/ByName.h"
#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/StringTable.h"
#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/Types.h"
#include "compiler/import/onnx/attributes/Attributes.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/onnx/learned/Labels.h"
#include "compiler/import/onnx/narrow/Narrow.h"

using namespace mlir;
using ::onnx::AttributeProto;

namespace weir::onnx {

Node::Node(Tracer &tracer, Scope &scope, const ::onnx::NodeProto &def,
           ArrayRef<Traced> operands, ImplicitLocOpBuilder &b)
    : TracedNode(tracer, labelOf(def), opKey(def), def.input(), operands, b),
      tracer(tracer), scope(scope), def(def) {}

int64_t Node::opset() const {
  StringRef domain = def.domain();
  // This domain has one version. Its operators that became ONNX's own behave as
  // these do in later versions.
  if (domain == "com.microsoft")
    return 23;
  return scope.context.opsets->lookup(domain == "ai.onnx" ? "" : domain);
}

FailureOr<SmallVector<int64_t>> Node::integers(unsigned i) {
  if (has(i) && operand(i) && rank(i) > 1)
    return error() << "operand " << i << " is no list of integers but "
                   << type(i);
  return TracedNode::integers(i);
}

AttributeProto *Node::attr(StringRef name) const {
  for (const AttributeProto &attribute : def.attribute()) {
    if (attribute.name() != name)
      continue;
    if (attribute.ref_attr_name().empty())
      return const_cast<AttributeProto *>(&attribute);
    auto found = scope.context.attributes.find(attribute.ref_attr_name());
    if (found != scope.context.attributes.end())
      return found->second;
    if (fault.empty())
      fault = ("attribute '" + name + "' stands for '" +
               escaped(attribute.ref_attr_name(), 60) +
               "', which is no attribute of the function")
                  .str();
    return nullptr;
  }
  return nullptr;
}

AttributeProto *Node::attr(StringRef name, int kind,
                           bool isSet(const AttributeProto &)) const {
  AttributeProto *value = attr(name);
  if (!value)
    return nullptr;
  // The first versions of the format did not write the kind.
  if (value->has_type() ? value->type() == kind : isSet(*value))
    return value;
  if (fault.empty())
    fault = ("attribute '" + name + "' is not of kind " +
             StringRef(AttributeProto::AttributeType_Name(
                           static_cast<AttributeProto::AttributeType>(kind)))
                 .lower())
                .str();
  return nullptr;
}

bool Node::hasAttr(StringRef name) const { return attr(name) != nullptr; }

int64_t Node::intAttr(StringRef name, int64_t otherwise) const {
  auto *value = attr(name, AttributeProto::INT,
                     [](const AttributeProto &a) { return a.has_i(); });
  return value ? value->i() : otherwise;
}

double Node::floatAttr(StringRef name, double otherwise) const {
  auto *value = attr(name, AttributeProto::FLOAT,
                     [](const AttributeProto &a) { return a.has_f(); });
  return value ? value->f() : otherwise;
}

StringRef Node::stringAttr(StringRef name, StringRef otherwise) const {
  auto *value = attr(name, AttributeProto::STRING,
                     [](const AttributeProto &a) { return a.has_s(); });
  return value ? StringRef(value->s()) : otherwise;
}

SmallVector<int64_t> Node::intsAttr(StringRef name) const {
  auto *value = attr(name, AttributeProto::INTS,
                     [](const AttributeProto &a) { return !a.has_f(); });
  if (!value)
    return {};
  return SmallVector<int64_t>(value->ints().begin(), value->ints().end());
}

SmallVector<float> Node::floatsAttr(StringRef name) const {
  auto *value = attr(name, AttributeProto::FLOATS,
                     [](const AttributeProto &a) { return !a.has_i(); });
  if (!value)
    return {};
  return SmallVector<float>(value->floats().begin(), value->floats().end());
}

SmallVector<StringRef> Node::stringsAttr(StringRef name) const {
  auto *value = attr(name, AttributeProto::STRINGS,
                     [](const AttributeProto &a) { return !a.has_i(); });
  if (!value)
    return {};
  return SmallVector<StringRef>(value->strings().begin(),
                                value->strings().end());
}

::onnx::GraphProto *Node::graphAttr(StringRef name) const {
  auto *value = attr(name, AttributeProto::GRAPH,
                     [](const AttributeProto &a) { return a.has_g(); });
  return value ? value->mutable_g() : nullptr;
}

Type Node::typeAttr(StringRef name, int otherwise) {
  int64_t given = intAttr(name, otherwise);
  // No type's number is so large; what is left of one in an int may be.
  int number = llvm::isInt<32>(given) ? static_cast<int>(given) : 0;
  Type element = elementType(b.getContext(), number);
  if (element || !fault.empty())
    return element;
  if (::onnx::TensorProto::DataType_IsValid(number) && number)
    (void)unsupported("is to give " + dataTypeName(number) +
                      ", which weir has no tensors of");
  else
    error() << "attribute '" << name << "' is no type but " << given;
  return {};
}

unsigned Node::outputs() const { return def.output_size(); }

bool Node::wants(unsigned i) const {
  return i < outputs() && !def.output(static_cast<int>(i)).empty();
}

/// The sizes that a type says; nothing where it does not say the rank.
static std::optional<SmallVector<int64_t>>
saidSizes(const ::onnx::TypeProto *type) {
  if (!type || !type->has_tensor_type())
    return std::nullopt;
  auto dims = dimsOf(type->tensor_type());
  if (failed(dims) || !*dims)
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (const Dim &dim : **dims)
    shape.push_back(dim.size);
  return shape;
}

RankedTensorType Node::declared(unsigned i) const {
  if (!wants(i))
    return {};
  const auto *type = scope.graph.declared(def.output(static_cast<int>(i)));
  auto shape = saidSizes(type);
  Type element =
      shape ? elementType(b.getContext(), type->tensor_type().elem_type())
            : Type();
  return element ? RankedTensorType::get(*shape, element) : RankedTensorType();
}

/// The same, where all sizes are said.
static std::optional<SmallVector<int64_t>>
wholeShapeOf(const ::onnx::TypeProto *type) {
  auto shape = saidSizes(type);
  if (!shape || ShapedType::isDynamicShape(*shape) || !byteSize(*shape, 8))
    return std::nullopt;
  return shape;
}

std::optional<SmallVector<int64_t>> Node::declaredShape(unsigned i) const {
  if (!wants(i))
    return std::nullopt;
  return wholeShapeOf(
      scope.graph.declaredShape(def.output(static_cast<int>(i))));
}

std::optional<SmallVector<int64_t>> Node::likelyShape(unsigned i) const {
  if (!wants(i))
    return std::nullopt;
  return wholeShapeOf(scope.graph.likelyShape(def.output(static_cast<int>(i))));
}

std::optional<SmallVector<int64_t>> Node::cutShape(unsigned i) const {
  if (!wants(i))
    return std::nullopt;
  return wholeShapeOf(scope.graph.cutShape(def.output(static_cast<int>(i))));
}

/// Refuses operands that the handler would not expect.
static LogicalResult checkOperands(Node &node, Takes takes) {
  for (unsigned i = 0; i < node.size(); ++i) {
    const Traced &operand = node.traced(i);
    if (takes >= Takes::anything || operand.value || !operand.object)
      continue;
    if (const Narrow *x = narrowAt(node, i)) {
      if (takes == Takes::narrow)
        continue;
      return node.unsupported("operand " + Twine(i) + " is of " +
                              dataTypeName(x->format.dataType) +
                              ", which only casts and quantization take");
    }
    return node.unsupported("operand " + Twine(i) + " is no tensor");
  }
  return success();
}

LogicalResult Node::runOn(ArrayRef<Traced> others) {
  Node inner(tracer, scope, def, others, b);
  return runAs(inner);
}

LogicalResult Node::handle() {
  // The nodes of a function define its operands.
  if (!tracer.model.function(def) && failed(checkStrings(*this)))
    return failure();
  return handleOp();
}

LogicalResult Node::checkGiven() {
  if (!tracer.model.function(def))
    addTables(*this, given);
  for (auto [i, name] : llvm::enumerate(def.output())) {
    if (name.empty())
      continue;
    if (i >= given.size())
      return error() << "has " << def.output_size() << " results, and the op "
                     << "has " << given.size();
    if (given[i].value || given[i].object)
      continue;
    return misfit();
  }
  return success();
}

LogicalResult Node::handleOp() {
  if (auto custom = tracer.model.customOps.find(op());
      custom != tracer.model.customOps.end())
    return importCustom(*this, custom->second, outputs());
  // A model's own function comes before an op of that name.
  if (::onnx::FunctionProto *function = tracer.model.function(def))
    return failed(checkAttributes(*this, *function))
               ? failure()
               : tracer.call(*this, *function);
  if (!opset() && (def.domain().empty() || def.domain() == "ai.onnx"))
    return error() << "is of ONNX's own ops, and the model does not say of "
                      "which opset";
  if (failed(checkAttributes(*this)))
    return failure();
  if (wantsBounded(*this))
    return importBounded(*this);
  if (auto found = handlers().find(op()); found != handlers().end()) {
    if (failed(checkOperands(*this, found->second.takes)))
      return failure();
    return found->second.run(*this);
  }
  if (auto found = onnxNames().find(op()); found != onnxNames().end()) {
    if (failed(checkOperands(*this, Takes::tensors)))
      return failure();
    return buildByName(*this, found->second);
  }
  return unsupported(howToDefine);
}

} // namespace weir::onnx
