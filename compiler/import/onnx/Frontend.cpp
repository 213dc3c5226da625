// Reads a file and builds a function of its graph.

#include "compiler/import/onnx/Frontend.h"

#include "compiler/import/Message.h"
#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/Tracer.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
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
                            "metadata_props"},
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
  module.get()->setAttr(
      "weir.source",
      StringAttr::get(report.context, llvm::sys::path::filename(options.path)));
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
  markHeld(options, entries);
  OpBuilder builder(report.context);
  Tracer tracer(report, *model, builder);
  tracer.boundedElements = options.boundedElements;
  for (auto [each, by] : llvm::zip_equal(entries, own))
    if (failed(buildEntry(report, *module, each, trained, by, tracer)))
      return {};
  if (failed(verify(*module))) {
    report.error() << "the importer made a wrong module";
    report.status = Status::internal;
    return {};
  }
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

std::optional<ModelSummary> summarize(Report &report,
                                      const ImportOptions &options) {
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
  auto tensor = [&](StringRef name) -> ModelSummary::Tensor {
    return {name.str(), name.str(), typeText(report, graph.declared(name))};
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
  }
  return summary;
}

} // namespace weir::onnx
