// Inputs that --value makes constants.

#include "compiler/import/onnx/FixedInputs.h"

#include "compiler/import/FixedValues.h"
#include "compiler/import/onnx/Tensors.h"
#include "compiler/import/onnx/Types.h"
#include "dialects/weir/TensorName.h"

using namespace mlir;
using ::onnx::GraphProto;
using ::onnx::ValueInfoProto;

namespace weir::onnx {

/// The number of the input that the value is for; an error where there is none.
static FailureOr<int> findInput(Report &report, const FixedValue &value,
                                const GraphProto &graph) {
  SmallVector<StringRef> names;
  for (const auto &[i, input] : llvm::enumerate(graph.input())) {
    if (isSameTensor(input.name(), value.input))
      return static_cast<int>(i);
    names.push_back(input.name());
  }
  return report.error(Status::badUsage)
         << "--value=" << escaped(value.input) << ": there is no such input"
         << didYouMean(value.input, names);
}

static FailureOr<FixedTensor> valueOf(Report &report,
                                      const ImportOptions &options,
                                      const FixedValue &value,
                                      const ValueInfoProto &input) {
  const auto &type = input.type().tensor_type();
  Type element = input.type().has_tensor_type()
                     ? elementType(report.context, type.elem_type())
                     : Type();
  if (!element)
    return report.error(report.node(input.name()), Status::unsupported)
           << "--value=" << escaped(value.input)
           << ": the input is of a type that weir has no constants of";
  auto dims = dimsOf(type);
  if (failed(dims))
    return report.error(report.node(input.name())) << "has a malformed shape";
  std::optional<SmallVector<int64_t>> shape;
  SmallVector<std::string> names;
  if (*dims) {
    shape.emplace();
    for (const Dim &dim : **dims) {
      shape->push_back(dim.size);
      names.push_back(dim.name);
    }
  }
  return readFixedValue(report, options, value, element, std::move(shape),
                        names);
}

/// Adds the constant in front of all nodes that may use it.
static void addConstant(GraphProto &graph, const std::string &name,
                        int dataType, FixedTensor tensor) {
  ::onnx::NodeProto *node = graph.add_node();
  node->set_op_type("Constant");
  node->set_name(name);
  node->add_output(name);
  auto *attribute = node->add_attribute();
  attribute->set_name("value");
  attribute->set_type(::onnx::AttributeProto::TENSOR);
  ::onnx::TensorProto *data = attribute->mutable_t();
  data->set_data_type(dataType);
  for (int64_t size : tensor.shape)
    data->add_dims(size);
  data->set_raw_data(std::move(tensor.bytes));
  for (int i = graph.node_size() - 1; i > 0; --i)
    graph.mutable_node()->SwapElements(i, i - 1);
}

LogicalResult fixInputs(Report &report, const ImportOptions &options,
                        GraphProto &graph) {
  for (const FixedValue &value : options.values) {
    FailureOr<int> at = findInput(report, value, graph);
    if (failed(at))
      return failure();
    ValueInfoProto input = graph.input(*at);
    FailureOr<FixedTensor> tensor = valueOf(report, options, value, input);
    if (failed(tensor))
      return failure();
    graph.mutable_input()->DeleteSubrange(*at, 1);
    auto *defaults = graph.mutable_initializer();
    for (int i = defaults->size(); i-- > 0;)
      if (defaults->Get(i).name() == input.name())
        defaults->DeleteSubrange(i, 1);
    addConstant(graph, input.name(), input.type().tensor_type().elem_type(),
                std::move(*tensor));
  }
  return success();
}

} // namespace weir::onnx
