// ONNX's own operators as parts of others.

#include "compiler/import/onnx/microsoft/Part.h"

#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"

using namespace mlir;
using ::onnx::AttributeProto;

namespace weir::onnx {

Part::Part(Node &node, StringRef op)
    : node(node), op(op), def(std::make_unique<::onnx::NodeProto>()) {
  *def = node.def;
  def->clear_attribute();
}

Part::~Part() = default;

static AttributeProto &add(::onnx::NodeProto &def, StringRef name,
                           AttributeProto::AttributeType type) {
  AttributeProto &attribute = *def.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(type);
  return attribute;
}

Part &Part::set(StringRef name, int64_t value) {
  add(*def, name, AttributeProto::INT).set_i(value);
  return *this;
}

Part &Part::set(StringRef name, double value) {
  add(*def, name, AttributeProto::FLOAT).set_f(static_cast<float>(value));
  return *this;
}

Part &Part::set(StringRef name, StringRef value) {
  add(*def, name, AttributeProto::STRING).set_s(value.str());
  return *this;
}

Part &Part::set(StringRef name, ArrayRef<int64_t> values) {
  AttributeProto &attribute = add(*def, name, AttributeProto::INTS);
  for (int64_t value : values)
    attribute.add_ints(value);
  return *this;
}

Part &Part::keep(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (const AttributeProto *value = node.attr(name)) {
      AttributeProto &attribute = *def->add_attribute();
      attribute = *value;
      // The value may be that of a function's attribute of another name.
      attribute.set_name(name.str());
    }
  return *this;
}

FailureOr<SmallVector<Expr>> Part::run(ArrayRef<Expr> operands) {
  SmallVector<Traced> traced;
  for (Expr operand : operands)
    traced.push_back({operand.value, {}, nullptr});
  Node inner(node.tracer, node.scope, *def, traced, node.b);
  if (failed(handlers().find(op)->second.run(inner)))
    return failure();
  SmallVector<Expr> results;
  for (const Traced &given : inner.given)
    results.push_back(Expr(node.b, given.value));
  return results;
}

FailureOr<Expr> Part::runForOne(ArrayRef<Expr> operands) {
  auto results = run(operands);
  if (failed(results))
    return failure();
  return results->front();
}

} // namespace weir::onnx
