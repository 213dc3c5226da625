// Inputs that --value makes constants.

#include "compiler/import/tensorflow/FixedInputs.h"

#include "compiler/import/FixedValues.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/InputTypes.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/proto/saved_model.pb.h"
#include "dialects/weir/TensorName.h"

using namespace mlir;
using ::tensorflow::GraphDef;
using ::tensorflow::MetaGraphDef;
using ::tensorflow::NodeDef;
using ::tensorflow::TensorShapeProto;

namespace weir::tensorflow {

bool isFixed(const ImportOptions &options, StringRef key, StringRef tensor) {
  return llvm::any_of(options.values, [&](const FixedValue &value) {
    return key == value.input || isSameTensor(tensor, value.input);
  });
}

namespace {

/// What a --value is for: placeholders, and the shape that a signature says.
struct Found {
  llvm::SetVector<NodeDef *> nodes;
  const TensorShapeProto *shape = nullptr;
};

class Fixing {
public:
  Fixing(Report &report, const ImportOptions &options, GraphDef &graph,
         const MetaGraphDef *saved)
      : report(report), options(options), saved(saved) {
    for (NodeDef &node : *graph.mutable_node())
      if (isPlaceholder(node.op()) || node.op() == "PlaceholderWithDefault")
        placeholders[node.name()] = &node;
  }

  LogicalResult fix(const FixedValue &value) {
    Found found = find(value);
    if (found.nodes.empty())
      return report.error(Status::badUsage)
             << "--value=" << escaped(value.input) << ": there is no such input"
             << didYouMean(value.input, names());
    for (NodeDef *node : found.nodes)
      if (failed(replace(value, *node, found.shape)))
        return failure();
    return success();
  }

private:
  Found find(const FixedValue &value) const {
    Found found;
    if (NodeDef *node = placeholders.lookup(withoutIndex(value.input)))
      found.nodes.insert(node);
    if (!saved)
      return found;
    for (const auto &[called, signature] : saved->signature_def()) {
      auto input = signature.inputs().find(value.input);
      if (input == signature.inputs().end() ||
          (!options.signature.empty() && called != options.signature))
        continue;
      StringRef tensor = withoutIndex(input->second.name());
      if (NodeDef *node = placeholders.lookup(tensor))
        found.nodes.insert(node);
      if (input->second.has_tensor_shape())
        found.shape = &input->second.tensor_shape();
    }
    return found;
  }

  SmallVector<StringRef> names() const {
    SmallVector<StringRef> all;
    for (const auto &placeholder : placeholders)
      all.push_back(placeholder.getKey());
    if (saved)
      for (const auto &[called, signature] : saved->signature_def())
        for (const auto &[key, info] : signature.inputs())
          all.push_back(key);
    llvm::sort(all);
    return all;
  }

  LogicalResult replace(const FixedValue &value, NodeDef &node,
                        const TensorShapeProto *shape) {
    int dataType = ownType(node);
    Type element = elementType(report.context, dataType);
    if (!element)
      return report.error(report.node(node.name()), Status::unsupported)
             << "(" << escaped(node.op()) << "): is of "
             << dataTypeName(dataType) << ", which weir has no constants of";
    auto own = node.attr().find("shape");
    if (own != node.attr().end() && own->second.has_shape() &&
        !own->second.shape().unknown_rank())
      shape = &own->second.shape();
    std::optional<SmallVector<int64_t>> said;
    if (shape) {
      auto read = shapeOf(*shape);
      if (failed(read))
        return report.error(report.node(node.name()))
               << "has a malformed shape";
      said = std::move(*read);
    }
    FailureOr<FixedTensor> tensor =
        readFixedValue(report, options, value, element, std::move(said));
    if (failed(tensor))
      return failure();
    setConstant(node, dataType, std::move(*tensor));
    return success();
  }

  static void setConstant(NodeDef &node, int dataType, FixedTensor tensor) {
    auto type = static_cast<::tensorflow::DataType>(dataType);
    node.set_op("Const");
    node.clear_input();
    node.clear_attr();
    (*node.mutable_attr())["dtype"].set_type(type);
    auto *data = (*node.mutable_attr())["value"].mutable_tensor();
    data->set_dtype(type);
    for (int64_t size : tensor.shape)
      data->mutable_tensor_shape()->add_dim()->set_size(size);
    if (tensor.shape.empty())
      data->mutable_tensor_shape();
    data->set_tensor_content(std::move(tensor.bytes));
  }

  Report &report;
  const ImportOptions &options;
  const MetaGraphDef *saved;
  llvm::StringMap<NodeDef *> placeholders;
};

} // namespace

LogicalResult fixInputs(Report &report, const ImportOptions &options,
                        GraphDef &graph, const MetaGraphDef *saved) {
  if (options.values.empty())
    return success();
  Fixing fixing(report, options, graph, saved);
  for (const FixedValue &value : options.values)
    if (failed(fixing.fix(value)))
      return failure();
  return success();
}

} // namespace weir::tensorflow
