// Nodes that hold constants or hand on what they get.

#include "compiler/import/Build.h"
#include "compiler/import/onnx/StringTable.h"
#include "compiler/import/onnx/Tracer.h"

#include "dialects/graph/Graph.h"

using namespace mlir;
using ::onnx::AttributeProto;

namespace weir::onnx {

static LogicalResult importIdentity(Node &node) {
  if (!node.has(0))
    return node.error() << "has no operand";
  return node.tracedResults({node.traced(0)});
}

static LogicalResult giveConstant(Node &node, FailureOr<Constant> constant) {
  if (failed(constant))
    return failure();
  return node.tracedResults({Tracer::edge(node.b, node.b.getLoc(), *constant)});
}

static LogicalResult giveStrings(Node &node, ArrayRef<StringRef> values,
                                 ArrayRef<int64_t> shape) {
  Strings strings;
  strings.shape.assign(shape.begin(), shape.end());
  for (StringRef value : values)
    strings.values.push_back(value.str());
  return node.tracedResults({stringConstant(node.b, node.b.getLoc(), strings)});
}

template <typename T>
static LogicalResult giveNumbers(Node &node, Type element, ArrayRef<T> values,
                                 ArrayRef<int64_t> shape) {
  std::string bytes(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(T));
  auto type = RankedTensorType::get(shape, element);
  return node.result(node.b.create<graph::ConstantOp>(
      rawElements(type, std::move(bytes), node.name())));
}

/// The value is one of several attributes, by its kind.
static LogicalResult importConstant(Node &node) {
  Location at = node.b.getLoc();
  if (auto *value = node.attr("value")) {
    if (!value->has_t())
      return node.error() << "its value is no tensor";
    return giveConstant(
        node, node.tracer.constant(at, *value->mutable_t(), node.name()));
  }
  if (auto *value = node.attr("sparse_value")) {
    if (!value->has_sparse_tensor())
      return node.error() << "its value is no sparse tensor";
    return giveConstant(
        node,
        node.tracer.constant(at, *value->mutable_sparse_tensor(), node.name()));
  }
  Type f32 = node.b.getF32Type(), i64 = node.b.getI64Type();
  if (node.hasAttr("value_float"))
    return giveNumbers<float>(
        node, f32, static_cast<float>(node.floatAttr("value_float")), {});
  if (node.hasAttr("value_int"))
    return giveNumbers<int64_t>(node, i64, node.intAttr("value_int"), {});
  auto count = [](auto &list) { return static_cast<int64_t>(list.size()); };
  if (node.hasAttr("value_floats")) {
    auto list = node.floatsAttr("value_floats");
    return giveNumbers<float>(node, f32, list, count(list));
  }
  if (node.hasAttr("value_ints")) {
    auto list = node.intsAttr("value_ints");
    return giveNumbers<int64_t>(node, i64, list, count(list));
  }
  if (node.hasAttr("value_string"))
    return giveStrings(node, node.stringAttr("value_string"), {});
  if (node.hasAttr("value_strings")) {
    auto list = node.stringsAttr("value_strings");
    return giveStrings(node, list, count(list));
  }
  return node.missing("value");
}

void addCoreHandlers(Handlers &handlers) {
  handlers["Constant"] = importConstant;
  handlers["Identity"] = {importIdentity, Takes::anything};
}

} // namespace weir::onnx
