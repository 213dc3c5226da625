// What a handler can ask of its node.

#include "compiler/import/tensorflow/Node.h"

#include "compiler/import/Custom.h"
#include "compiler/import/Names.h"
#include "compiler/import/bounded/Inference.h"
#include "compiler/import/rules/Elementwise.h"
#include "compiler/import/tensorflow/ByName.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/state/Tables.h"

#include "dialects/graph/Graph.h"

using namespace mlir;
using ::tensorflow::AttrValue;

namespace weir::tensorflow {

Node::Node(Tracer &tracer, const ::tensorflow::NodeDef &def,
           ArrayRef<Traced> operands, ImplicitLocOpBuilder &b)
    : TracedNode(tracer, def.name(), def.op(), def.input(), operands, b),
      tracer(tracer), def(def) {}

FailureOr<int64_t> Node::axisAt(unsigned i, int64_t rank) {
  FailureOr<int64_t> given = integer(i);
  return failed(given) ? given : axis(*given, rank);
}

FailureOr<std::string> Node::string(unsigned i) {
  auto *strings = i < operands.size()
                      ? dynamic_cast<Strings *>(operands[i].object.get())
                      : nullptr;
  if (strings && strings->values.size() == 1)
    return strings->values.front();
  return unsupported("operand " + Twine(i) + " must be a constant string");
}

const AttrValue *Node::attr(StringRef name) const {
  auto found = def.attr().find(name.str());
  if (found == def.attr().end())
    return nullptr;
  const AttrValue *value = &found->second;
  if (!value->has_placeholder())
    return value;
  if (bindings)
    if (auto bound = bindings->find(value->placeholder());
        bound != bindings->end())
      return &bound->second;
  if (fault.empty())
    fault = ("attribute '" + name + "' stands for '" +
             escaped(value->placeholder(), 60) + "', which nothing gives")
                .str();
  return nullptr;
}

/// What an attribute is, in words; empty where it is nothing.
static StringRef kindOf(const AttrValue &value) {
  if (value.has_list())
    return "a list";
  if (value.has_s())
    return "a string";
  if (value.has_i())
    return "an integer";
  if (value.has_f())
    return "a float";
  if (value.has_b())
    return "a bool";
  if (value.has_type())
    return "a type";
  if (value.has_shape())
    return "a shape";
  if (value.has_tensor())
    return "a tensor";
  return value.has_func() ? "a function" : "";
}

const AttrValue *Node::attr(StringRef name, StringRef kind) const {
  const AttrValue *value = attr(name);
  StringRef is = value ? kindOf(*value) : kind;
  if (is == kind)
    return value;
  if (fault.empty())
    fault = ("attribute '" + name + "' is " + (is.empty() ? "empty" : is) +
             (is.empty() ? ", but must be " : " instead of ") + kind)
                .str();
  return nullptr;
}

bool Node::hasAttr(StringRef name) const { return attr(name) != nullptr; }

int64_t Node::intAttr(StringRef name, int64_t otherwise) const {
  const AttrValue *value = attr(name, "an integer");
  return value ? value->i() : otherwise;
}

double Node::floatAttr(StringRef name, double otherwise) const {
  const AttrValue *value = attr(name, "a float");
  return value ? value->f() : otherwise;
}

bool Node::boolAttr(StringRef name, bool otherwise) const {
  const AttrValue *value = attr(name, "a bool");
  return value ? value->b() : otherwise;
}

StringRef Node::stringAttr(StringRef name, StringRef otherwise) const {
  const AttrValue *value = attr(name, "a string");
  return value ? StringRef(value->s()) : otherwise;
}

const ::tensorflow::AttrValue_ListValue *Node::listAttr(StringRef name,
                                                        StringRef kind) const {
  const AttrValue *value = attr(name, "a list");
  if (!value)
    return nullptr;
  const AttrValue::ListValue &list = value->list();
  std::pair<int, StringRef> sizes[] = {
      {list.i_size(), "integers"},     {list.f_size(), "floats"},
      {list.s_size(), "strings"},      {list.b_size(), "bools"},
      {list.type_size(), "types"},     {list.shape_size(), "shapes"},
      {list.tensor_size(), "tensors"}, {list.func_size(), "functions"}};
  for (auto [size, holds] : sizes)
    if (size && holds != kind && fault.empty())
      fault = ("attribute '" + name + "' is a list of " + holds +
               " instead of " + kind)
                  .str();
  return &list;
}

SmallVector<int64_t> Node::intsAttr(StringRef name) const {
  const AttrValue::ListValue *list = listAttr(name, "integers");
  if (!list)
    return {};
  return SmallVector<int64_t>(list->i().begin(), list->i().end());
}

SmallVector<float> Node::floatsAttr(StringRef name) const {
  const AttrValue::ListValue *list = listAttr(name, "floats");
  if (!list)
    return {};
  return SmallVector<float>(list->f().begin(), list->f().end());
}

Type Node::typeAttr(StringRef name) const {
  const AttrValue *value = attr(name, "a type");
  return value ? elementType(b.getContext(), value->type()) : Type();
}

/// Refuses operands that the handler would not expect.
static LogicalResult checkOperands(Node &node, Takes takes) {
  if (takes == Takes::whole)
    return success();
  for (unsigned i = 0; i < node.size(); ++i) {
    const Traced &operand = node.traced(i);
    if (operand.isBounded() && takes != Takes::dynamic)
      return node.unsupported("operand " + Twine(i) + ", '" +
                              escaped(node.inputName(i), 100) +
                              "', has a size that is known only at run time");
    if (!operand.value && takes != Takes::anything) {
      if (dynamic_cast<Strings *>(operand.object.get()))
        return node.unsupported("operand " + Twine(i) + " is of strings");
      return node.unsupported("operand " + Twine(i) + " is no tensor");
    }
    if (operand.imaginary &&
        (takes == Takes::tensors || takes == Takes::dynamic))
      return node.unsupported("operand " + Twine(i) + " is complex");
  }
  return success();
}

/// Whether the node's sizes are known only at run time.
static bool wantsBounded(Node &node, const BoundedEntry &entry) {
  for (unsigned i = 0; i < node.size(); ++i)
    if (!node.traced(i).value || node.traced(i).imaginary)
      return false;
  auto isDynamic = [&](unsigned i) {
    return i < node.size() && !node.tryConstant(i);
  };
  for (unsigned i = 0; i < node.size(); ++i)
    if (node.traced(i).isBounded())
      return true;
  return llvm::any_of(entry.deciding, isDynamic);
}

/// Whether all are tensors, and some of sizes known only at run time.
static bool isDynamic(ArrayRef<Traced> operands) {
  return llvm::all_of(operands,
                      [](const Traced &operand) {
                        return operand.value && !operand.imaginary;
                      }) &&
         llvm::any_of(operands, [](const Traced &operand) {
           return operand.isBounded();
         });
}

LogicalResult Node::runOn(ArrayRef<Traced> others) {
  Node inner(tracer, def, others, b);
  inner.bindings = bindings;
  return runAs(inner);
}

LogicalResult Node::checkGiven() {
  for (const Traced &result : given)
    if (!result.value && !result.object)
      return misfit();
  return success();
}

LogicalResult Node::handle() {
  if (DictionaryAttr custom = tracer.library.customOps.lookup(op()))
    return importCustom(*this, custom, 1);
  if (auto found = boundedHandlers().find(op());
      found != boundedHandlers().end() && wantsBounded(*this, found->second))
    return found->second.run(*this);
  bool isComplex = llvm::any_of(
      operands, [](const Traced &operand) { return bool(operand.imaginary); });
  if (isComplex)
    if (auto found = complexHandlers().find(op());
        found != complexHandlers().end())
      return failed(checkOperands(*this, Takes::complex))
                 ? failure()
                 : found->second.run(*this);
  if (auto found = handlers().find(op()); found != handlers().end()) {
    if (found->second.takes == Takes::tensors && isDynamic(operands))
      return giveInferred(*this);
    if (failed(checkOperands(*this, found->second.takes)))
      return failure();
    return found->second.run(*this);
  }
  if (auto found = tensorflowNames().find(op());
      found != tensorflowNames().end()) {
    auto name = RegisteredOperationName::lookup(found->second, b.getContext());
    bool isScalar = name && name->hasInterface<graph::ScalarOpInterface>();
    if (isDynamic(operands))
      return isScalar ? giveElementwise(*this) : giveInferred(*this);
    if (failed(checkOperands(*this, Takes::tensors)))
      return failure();
    return buildByName(*this, found->second);
  }
  // A function can be used as an op.
  if (tracer.library.find(op()))
    return tracer.call(*this, op(), def.attr(), operands);
  return unsupported(whyUnknown(op()));
}

} // namespace weir::tensorflow
