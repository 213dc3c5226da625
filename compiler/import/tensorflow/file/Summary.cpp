// What `weir inspect` says of graphs and checkpoints, without tracing them.

#include "compiler/import/tensorflow/file/Summary.h"

#include "compiler/import/TypeText.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Frontend.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Order.h"
#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/file/Checkpoint.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/Elements.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;

namespace weir::tensorflow {

std::string typeText(Report &report,
                     const ::tensorflow::TensorShapeProto *shape,
                     int dataType) {
  std::optional<ArrayRef<int64_t>> known;
  FailureOr<std::optional<SmallVector<int64_t>>> read = failure();
  if (shape)
    read = shapeOf(*shape);
  if (succeeded(read) && *read)
    known = **read;
  return weir::typeText(known, elementType(report.context, dataType),
                        dataTypeName(dataType));
}

std::optional<ModelSummary> summarizeCheckpoint(Report &report,
                                                const std::string &prefix) {
  StringRef folder = llvm::sys::path::parent_path(prefix);
  FailureOr<File> directory =
      File::openDirectory(report, folder.empty() ? "." : folder.str());
  if (failed(directory))
    return std::nullopt;
  std::unique_ptr<Checkpoint> checkpoint =
      Checkpoint::open(report, *directory, llvm::sys::path::filename(prefix));
  if (!checkpoint)
    return std::nullopt;
  ModelSummary summary;
  summary.kind = "checkpoint";
  for (StringRef key : checkpoint->keys()) {
    ::tensorflow::BundleEntryProto entry;
    // Parts of tensors have keys that begin so.
    if (key.starts_with(StringRef("\0", 1)))
      continue;
    if (failed(checkpoint->readEntry(key, entry)))
      return std::nullopt;
    summary.variables.push_back(
        {key.str(), key.str(),
         typeText(report, &entry.shape(), entry.dtype())});
  }
  return summary;
}

static void summarizeIterator(Report &report, const ::tensorflow::NodeDef &def,
                              ModelSummary::Signature &signature) {
  auto types = def.attr().find("output_types");
  auto shapes = def.attr().find("output_shapes");
  if (types == def.attr().end())
    return;
  for (int i = 0; i < types->second.list().type_size(); ++i) {
    std::string tensor = def.name() + ":" + std::to_string(i);
    bool hasShape =
        shapes != def.attr().end() && i < shapes->second.list().shape_size();
    signature.inputs.push_back(
        {i ? tensor : def.name(), tensor,
         typeText(report, hasShape ? &shapes->second.list().shape(i) : nullptr,
                  types->second.list().type(i))});
  }
}

void summarizePlaceholders(Report &report, const Graph &graph,
                           ModelSummary &summary) {
  ModelSummary::Signature all;
  std::vector<bool> used(graph.size());
  for (int i = 0; i < graph.size(); ++i)
    for (Edge edge : graph.operands(i))
      used[edge.node] = true;
  for (int i = 0; i < graph.size(); ++i) {
    const auto &attributes = graph.node(i).attr();
    auto type = attributes.find("dtype");
    auto shape = attributes.find("shape");
    std::string name = graph.name(i).str();
    if (graph.op(i) == "Placeholder")
      all.inputs.push_back(
          {name, name + ":0",
           typeText(report,
                    shape == attributes.end() ? nullptr
                                              : &shape->second.shape(),
                    type == attributes.end() ? 0 : type->second.type())});
    else if (isIterator(graph.op(i)))
      summarizeIterator(report, graph.node(i), all);
    else if (!used[i] && graph.op(i) != "NoOp")
      all.outputs.push_back({name, name + ":0", ""});
  }
  summary.signatures.push_back(std::move(all));
}

/// How many results a node has depends on its op; each has the first.
void listNodes(const Graph &graph, ModelSummary &summary) {
  for (int i = 0; i < graph.size(); ++i) {
    std::string name = graph.name(i).str();
    summary.nodes.push_back(
        {name, graph.op(i).str(), {{name, name + ":0", ""}}});
    for (Edge edge : graph.operands(i))
      summary.nodes.back().inputs.push_back(graph.name(edge.node).str() + ":" +
                                            std::to_string(edge.output));
  }
}

static ModelSummary::Weight weightOf(StringRef name, ShapedType type) {
  ModelSummary::Weight weight;
  weight.name = name.str();
  weight.type = weir::typeText(type.getShape(), type.getElementType(), "");
  weight.element =
      weir::typeText(ArrayRef<int64_t>(), type.getElementType(), "");
  weight.elements = type.getNumElements();
  weight.bytes = graph::tensorBytes(type);
  return weight;
}

/// Bytes of an element of a type that weir has no tensors of. Names of types
/// after DT_UINT64 are newer than the schema.
static int64_t bytesOf(int dataType) {
  constexpr int firstFloat8 = 24, lastSmallInteger = 32;
  if (dataType == ::tensorflow::DT_COMPLEX64)
    return 8;
  if (dataType == ::tensorflow::DT_COMPLEX128)
    return 16;
  return dataType >= firstFloat8 && dataType <= lastSmallInteger;
}

static void addConstant(Report &report, ::tensorflow::NodeDef &def,
                        const std::string &name, bool wantsValues,
                        ModelSummary &summary) {
  auto found = def.mutable_attr()->find("value");
  if (def.op() != "Const" || found == def.mutable_attr()->end() ||
      !found->second.has_tensor())
    return;
  ::tensorflow::TensorProto &tensor = *found->second.mutable_tensor();
  Type element = elementType(report.context, tensor.dtype());
  // Such as the names of files that a SavedModel's saver has.
  if (tensor.dtype() == ::tensorflow::DT_STRING)
    return;
  auto shape = shapeOf(tensor.tensor_shape());
  ModelSummary::Weight weight;
  if (element && succeeded(shape) && *shape &&
      !ShapedType::isDynamicShape(**shape) && graph::countElements(**shape)) {
    weight = weightOf(name, RankedTensorType::get(**shape, element));
    std::string why;
    if (wantsValues)
      if (auto read = readTensor(report.context, tensor, name, why);
          succeeded(read))
        weight.value = read->value;
  } else {
    weight.name = name;
    weight.type = typeText(report, &tensor.tensor_shape(), tensor.dtype());
    weight.element = dataTypeName(tensor.dtype());
    if (succeeded(shape) && *shape)
      weight.elements = graph::countElements(**shape).value_or(0);
    weight.bytes = weight.elements * bytesOf(tensor.dtype());
  }
  summary.weights.push_back(std::move(weight));
}

void summarizeWeights(Report &report, ::tensorflow::GraphDef &def,
                      VariableSource *variables, bool wantsValues,
                      ModelSummary &summary) {
  for (auto &node : *def.mutable_node())
    addConstant(report, node, node.name(), wantsValues, summary);
  for (auto &function : *def.mutable_library()->mutable_function())
    for (auto &node : *function.mutable_node_def())
      addConstant(report, node, function.signature().name() + "/" + node.name(),
                  wantsValues, summary);
  if (!variables)
    return;
  IgnoredContent ignored(report);
  std::set<std::string> names;
  for (const auto &node : def.node())
    if (llvm::is_contained({"Variable", "VariableV2", "VarHandleOp"},
                           node.op()))
      names.insert(variableName(node));
  for (const std::string &name : names) {
    FailureOr<ElementsAttr> value = variables->value(name);
    if (failed(value) || !*value)
      continue;
    summary.weights.push_back(weightOf(name, value->getShapedType()));
    if (wantsValues)
      summary.weights.back().value = *value;
  }
}

void summarizeOrigin(const ::tensorflow::GraphDef &def,
                     const ::tensorflow::MetaGraphDef *saved,
                     ModelSummary::Origin &origin) {
  origin.graphVersion = def.versions().producer();
  origin.oldestReader = def.versions().min_consumer();
  if (!saved)
    return;
  origin.tensorflow = saved->meta_info_def().tensorflow_version();
  origin.tags.assign(saved->meta_info_def().tags().begin(),
                     saved->meta_info_def().tags().end());
}

std::map<std::string, int64_t> neededOps(Report &report, const Graph &graph,
                                         Library &library,
                                         ArrayRef<Edge> wanted) {
  std::map<std::string, int64_t> counts;
  llvm::SetVector<::tensorflow::FunctionDef *> called;
  auto count = [&](const Graph &graph, ArrayRef<Edge> results,
                   ArrayRef<int> controls) {
    for (int node : neededNodes(graph, results, controls)) {
      ++counts[graph.op(node).str()];
      for (StringRef name : calledFunctions(graph.node(node)))
        if (::tensorflow::FunctionDef *def = library.find(name))
          called.insert(def);
    }
  };
  count(graph, wanted, {});
  for (size_t i = 0; i < called.size(); ++i)
    if (const Graph *body = library.graph(report, *called[i]))
      count(*body, body->returns, body->controlReturns);
  return counts;
}

} // namespace weir::tensorflow
