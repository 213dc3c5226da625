// Reads a file and builds a function of its graph.

#include "compiler/import/onnx/Frontend.h"

#include "compiler/import/Message.h"
#include "compiler/import/TypeText.h"
#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/EntryFunction.h"
#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/Training.h"
#include "compiler/import/onnx/Types.h"
#include "compiler/import/onnx/devices/Configuration.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace mlir;
using ::onnx::NodeProto;

namespace weir::onnx {

bool recognizes(StringRef head) {
  if (isText(head))
    return llvm::is_contained(
        ArrayRef<StringRef>{"ir_version", "producer_name", "producer_version",
                            "opset_import", "model_version", "domain",
                            "doc_string", "graph", "functions",
                            "metadata_props", "configuration"},
        firstWord(head));
  // Field 1, ir_version, is a number in all that ONNX's tools write; behind it
  // a model has a field that a SavedModel, which begins likewise, has not, or
  // that has another form there: 2 is a name, and no graph with its nodes.
  if (!head.consume_front("\x08") || head.empty() || head[0] & 0x80)
    return false;
  head = head.drop_front();
  if (head.empty())
    return true;
  if (head[0] != '\x12')
    return true;
  // A SavedModel's field 2 is a message that begins with a MetaInfoDef or a
  // GraphDef; a name is printable.
  StringRef body = head.drop_front();
  size_t length = body.empty() ? 0 : static_cast<uint8_t>(body[0]);
  return length < 0x80 &&
         llvm::all_of(
             body.drop_front(body.empty() ? 0 : 1).take_front(length),
             [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

OwningOpRef<ModuleOp> importModel(Report &report,
                                  const ImportOptions &options) {
  report.context->loadDialect<func::FuncDialect, graph::GraphDialect>();
  if (!options.signature.empty() || options.allSignatures) {
    report.error(Status::badUsage) << "an ONNX model has no signatures";
    return {};
  }
  if (!options.checkpoint.empty()) {
    report.error(Status::badUsage) << "an ONNX model has no checkpoints";
    return {};
  }
  if (options.tags != ImportOptions().tags) {
    report.error(Status::badUsage) << "an ONNX model has no tags";
    return {};
  }
  if (!options.targets.empty()) {
    report.error(Status::badUsage)
        << "--target-node=" << escaped(options.targets.front())
        << ": an ONNX model has no nodes that run besides; name what it gives "
           "with --fetch";
    return {};
  }
  std::unique_ptr<Model> model = Model::read(report, options);
  if (!model)
    return {};
  FailureOr<std::vector<Entry>> found = findEntries(report, *model, options);
  if (failed(found))
    return {};
  std::vector<Entry> entries = std::move(*found);
  OwningOpRef<ModuleOp> module = ModuleOp::create(report.file());
  if (options.attributes)
    module.get()->setAttrs(options.attributes);
  attrs::source.set(
      module.get(),
      StringAttr::get(report.context, llvm::sys::path::filename(options.path)));
  if (failed(applyConfiguration(report, *model, options, *module)))
    return {};
  Entry &first = entries.front();
  if ((options.loss || options.training) && first.name == "main")
    first.name = "predict";
  Trained trained;
  if (options.training) {
    FailureOr<Entry> loss = trainingEntry(report, *model, options);
    if (failed(loss))
      return {};
    entries.push_back(std::move(*loss));
    for (Entry &each : entries)
      each.takesUsedOnly = true;
    if (failed(declareTrained(report, *module, *model, entries.back(), options,
                              trained)))
      return {};
  }
  // What each entry is built by: a variant has ranges of its own.
  std::vector<ImportOptions> own(entries.size(), options);
  for (const Variant &variant : options.variants) {
    own.push_back(withVariant(options, variant));
    auto again = findEntries(report, *model, own.back());
    if (failed(again))
      return {};
    if (variant.name == entries.front().name) {
      report.error(Status::badUsage)
          << "--variant=" << escaped(variant.name)
          << ": the model's own function is called that";
      return {};
    }
    again->front().name = variant.name;
    entries.push_back(std::move(again->front()));
  }
  markStateInput(options, entries);
  OpBuilder builder(report.context);
  Tracer tracer(report, *model, builder);
  tracer.boundedElements = options.boundedElements;
  tracer.onTensor = options.onTensor;
  tracer.instruments = options.instruments.get();
  for (auto [each, by] : llvm::zip_equal(entries, own))
    if (failed(buildEntry(report, *module, each, trained, by, tracer)))
      return {};
  return module;
}

/// Calls `see` with each node, those of graphs in nodes among them.
static void
forEachNode(const google::protobuf::RepeatedPtrField<NodeProto> &nodes,
            llvm::function_ref<void(const NodeProto &)> see) {
  SmallVector<const NodeProto *> work;
  for (const NodeProto &node : nodes)
    work.push_back(&node);
  while (!work.empty()) {
    const NodeProto *node = work.pop_back_val();
    see(*node);
    for (const auto &attribute : node->attribute()) {
      for (const NodeProto &inner : attribute.g().node())
        work.push_back(&inner);
      for (const auto &graph : attribute.graphs())
        for (const NodeProto &inner : graph.node())
          work.push_back(&inner);
    }
  }
}

/// Bits of an element as files store it; 0 where that differs, as of strings.
static int64_t storedBits(int dataType) {
  switch (dataType) {
  case ::onnx::TensorProto::UINT2:
  case ::onnx::TensorProto::INT2:
    return 2;
  case ::onnx::TensorProto::UINT4:
  case ::onnx::TensorProto::INT4:
  case ::onnx::TensorProto::FLOAT4E2M1:
    return 4;
  case ::onnx::TensorProto::FLOAT16:
  case ::onnx::TensorProto::BFLOAT16:
  case ::onnx::TensorProto::INT16:
  case ::onnx::TensorProto::UINT16:
    return 16;
  case ::onnx::TensorProto::FLOAT:
  case ::onnx::TensorProto::INT32:
  case ::onnx::TensorProto::UINT32:
    return 32;
  case ::onnx::TensorProto::DOUBLE:
  case ::onnx::TensorProto::INT64:
  case ::onnx::TensorProto::UINT64:
  case ::onnx::TensorProto::COMPLEX64:
    return 64;
  case ::onnx::TensorProto::COMPLEX128:
    return 128;
  case ::onnx::TensorProto::STRING:
  case ::onnx::TensorProto::UNDEFINED:
    return 0;
  default:
    return 8;
  }
}

/// A tensor of damaged sizes has no elements here; the import says why.
static ModelSummary::Weight weightOf(Report &report,
                                     const ::onnx::TensorProto &tensor,
                                     ArrayRef<int64_t> dims, StringRef name) {
  int dataType = tensor.data_type();
  Type element = elementType(report.context, dataType);
  ModelSummary::Weight weight;
  weight.name = name.str();
  weight.type = weir::typeText(dims, element, dataTypeName(dataType));
  weight.element =
      weir::typeText(ArrayRef<int64_t>(), element, dataTypeName(dataType));
  weight.elements = graph::countElements(dims).value_or(0);
  // Of 2^58 elements the bits could not be counted in 63.
  int64_t bits = storedBits(dataType);
  weight.bytes =
      weight.elements / 8 * bits + (weight.elements % 8 * bits + 7) / 8;
  return weight;
}

/// The tensor of a Constant node that has its numbers as an attribute.
static std::optional<::onnx::TensorProto>
numbersOf(const ::onnx::AttributeProto &attribute) {
  ::onnx::TensorProto tensor;
  StringRef name = attribute.name();
  bool isList = name.ends_with("s");
  if (name == "value_float" || name == "value_floats") {
    tensor.set_data_type(::onnx::TensorProto::FLOAT);
    if (isList)
      *tensor.mutable_float_data() = attribute.floats();
    else
      tensor.add_float_data(attribute.f());
  } else if (name == "value_int" || name == "value_ints") {
    tensor.set_data_type(::onnx::TensorProto::INT64);
    if (isList)
      *tensor.mutable_int64_data() = attribute.ints();
    else
      tensor.add_int64_data(attribute.i());
  } else {
    return std::nullopt;
  }
  if (isList)
    tensor.add_dims(attribute.floats_size() + attribute.ints_size());
  return tensor;
}

/// Initializers, and the tensors of Constant nodes.
static void summarizeWeights(Report &report, Model &model, bool wantsValues,
                             ModelSummary &summary) {
  const Graph &graph = model.graph();
  IgnoredContent ignored(report);
  auto add = [&](::onnx::TensorProto &tensor, StringRef name) {
    SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
    auto &weight =
        summary.weights.emplace_back(weightOf(report, tensor, dims, name));
    Fault fault;
    if (wantsValues && weight.elements)
      if (auto read = readTensor(report, tensor, name, model.external, fault);
          read && !read->narrowType)
        weight.value = read->value;
  };
  for (const auto &tensor : model.proto().graph().initializer())
    if (auto *own = graph.initializer(tensor.name()))
      add(*own, tensor.name());
  auto addSparse = [&](const ::onnx::SparseTensorProto &sparse,
                       StringRef name) {
    SmallVector<int64_t> dims(sparse.dims().begin(), sparse.dims().end());
    summary.weights.push_back(weightOf(report, sparse.values(), dims, name));
  };
  for (const auto &sparse : model.proto().graph().sparse_initializer())
    addSparse(sparse, sparse.values().name());
  for (int i = 0; i < graph.size(); ++i)
    if (NodeProto &node = graph.node(i);
        node.op_type() == "Constant" && node.domain().empty())
      for (auto &attribute : *node.mutable_attribute()) {
        if (attribute.name() == "value" && attribute.has_t())
          add(*attribute.mutable_t(), labelOf(node));
        else if (attribute.name() == "sparse_value" &&
                 attribute.has_sparse_tensor())
          addSparse(attribute.sparse_tensor(), labelOf(node));
        else if (std::optional<::onnx::TensorProto> numbers =
                     numbersOf(attribute))
          add(*numbers, labelOf(node));
      }
}

static void summarizeOrigin(const Model &model, ModelSummary::Origin &origin) {
  const ::onnx::ModelProto &proto = model.proto();
  origin.producer = proto.producer_name();
  origin.producerVersion = proto.producer_version();
  origin.domain = proto.domain();
  origin.description = proto.doc_string();
  origin.irVersion = proto.ir_version();
  origin.modelVersion = proto.model_version();
  for (const auto &opset : proto.opset_import())
    origin.opsets.push_back(
        {opset.domain().empty() ? "ai.onnx" : opset.domain(), opset.version()});
  for (const auto &entry : proto.metadata_props())
    origin.metadata.push_back({entry.key(), entry.value()});
}

/// The tensor as the model declares it, with the names of its dimensions.
static ModelSummary::Tensor declaredTensor(Report &report, const Graph &graph,
                                           StringRef name) {
  const ::onnx::TypeProto *type = graph.declared(name);
  ModelSummary::Tensor tensor{name.str(), name.str(), typeText(report, type)};
  if (!type || !type->has_tensor_type())
    return tensor;
  auto dims = dimsOf(type->tensor_type());
  if (failed(dims) || !*dims ||
      llvm::all_of(**dims, [](const Dim &dim) { return dim.name.empty(); }))
    return tensor;
  for (auto [i, dim] : llvm::enumerate(**dims))
    tensor.dims.push_back(!dim.name.empty() ? dim.name
                          : ShapedType::isDynamic(dim.size)
                              ? name.str() + "." + std::to_string(i)
                              : std::to_string(dim.size));
  int dataType = type->tensor_type().elem_type();
  tensor.element =
      weir::typeText(ArrayRef<int64_t>(), elementType(report.context, dataType),
                     dataTypeName(dataType));
  return tensor;
}

std::optional<ModelSummary>
summarize(Report &report, const ImportOptions &options, bool wantsValues) {
  report.context->loadDialect<graph::GraphDialect>();
  std::unique_ptr<Model> model = Model::read(report, options);
  if (!model)
    return std::nullopt;
  ModelSummary summary;
  summary.kind = "ONNX model";
  std::map<std::string, int64_t> counts;
  std::map<std::string, bool> known;
  auto see = [&](const NodeProto &node) {
    std::string op = opKey(node);
    ++counts[op];
    known[op] |=
        isKnownOp(op) || model->function(node) || model->customOps.count(op);
  };
  forEachNode(model->proto().graph().node(), see);
  for (const auto &function : model->proto().functions())
    forEachNode(function.node(), see);
  for (const auto &[op, count] : counts) {
    summary.ops.push_back({op, count});
    if (!known[op])
      summary.unsupported.push_back(op);
  }
  const Graph &graph = model->graph();
  ModelSummary::Signature signature;
  auto tensor = [&](StringRef name) {
    return declaredTensor(report, graph, name);
  };
  for (StringRef name : graph.inputs)
    signature.inputs.push_back(tensor(name));
  for (StringRef name : graph.outputs)
    signature.outputs.push_back(tensor(name));
  summary.signatures.push_back(std::move(signature));
  for (int i = 0; i < graph.size(); ++i) {
    const NodeProto &node = graph.node(i);
    auto &listed = summary.nodes.emplace_back();
    listed.name = labelOf(node);
    listed.op = opKey(node);
    for (const std::string &output : node.output())
      if (!output.empty())
        listed.results.push_back(tensor(output));
    listed.inputs.assign(node.input().begin(), node.input().end());
  }
  summarizeOrigin(*model, summary.origin);
  summarizeWeights(report, *model, wantsValues, summary);
  if (report.status != Status::ok)
    return std::nullopt;
  return summary;
}

} // namespace weir::onnx
