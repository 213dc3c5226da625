// Reads a file, checks its graph, and builds a function for each entry.

#include "compiler/import/tensorflow/Frontend.h"

#include "compiler/import/FixedValues.h"
#include "compiler/import/bounded/entry/InputDims.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/EntryFunction.h"
#include "compiler/import/tensorflow/FixedInputs.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Signature.h"
#include "compiler/import/tensorflow/Training.h"
#include "compiler/import/tensorflow/file/Devices.h"
#include "compiler/import/tensorflow/file/Load.h"
#include "compiler/import/tensorflow/file/SavedModel.h"
#include "compiler/import/tensorflow/file/Summary.h"
#include "compiler/import/tensorflow/file/Trainable.h"
#include "compiler/import/tensorflow/file/Variables.h"
#include "compiler/import/tensorflow/state/Init.h"
#include "compiler/import/tensorflow/state/State.h"

#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace mlir;
using ::tensorflow::GraphDef;

namespace weir::tensorflow {

namespace {

/// All that is read of a model. The graph refers to the messages.
struct Model {
  GraphDef ownGraph;
  SavedModelFile saved;
  /// One of the two above.
  GraphDef *graphDef = &ownGraph;
  Library library;
  std::unique_ptr<Graph> graph;
  std::unique_ptr<VariableSource> variables;

  bool isSavedModel() const { return saved.graph; }
};

} // namespace

/// What TensorFlow calls the function that tf.function makes of one: the name
/// between `__inference_` and the number at the end.
static StringRef plainName(StringRef name) {
  if (!name.consume_front("__inference_"))
    return name;
  StringRef plain = name.rtrim("0123456789");
  return plain.size() < name.size() && plain.consume_back("_") ? plain : name;
}

/// Adds the functions of files of ops to the graph's own, which come first.
static LogicalResult addOps(Report &report, const ImportOptions &options,
                            GraphDef &graph) {
  llvm::StringMap<std::string> known;
  for (const auto &function : graph.library().function())
    known[function.signature().name()] = "the graph";
  for (const std::string &path : options.opFiles) {
    Report here(report.context, path);
    GraphDef read;
    FailureOr<File> file = File::open(here, path);
    FailureOr<MessageFile> from = failure();
    if (succeeded(file))
      from = recognize(here, std::move(*file));
    if (succeeded(from) && from->kind != FileKind::graph)
      here.error() << "is no GraphDef, of whose functions --ops defines ops";
    else if (succeeded(from) && succeeded(load(here, *from, read)) &&
             !read.library().function_size())
      here.error() << "has no functions, which --ops takes from it";
    if (here.status != Status::ok) {
      report.status = here.status;
      return failure();
    }
    llvm::StringMap<unsigned> plain;
    for (const auto &function : read.library().function())
      ++plain[plainName(function.signature().name())];
    for (auto &function : *read.mutable_library()->mutable_function()) {
      std::string name = function.signature().name();
      // The body may call the others by their whole names.
      SmallVector<std::string> names{name};
      StringRef called = plainName(name);
      if (called != name && plain.lookup(called) == 1 && !isKnownOp(called))
        names.push_back(called.str());
      for (const std::string &each : names) {
        auto [other, isNew] = known.try_emplace(each, path);
        if (!isNew && other->second == "the graph")
          continue;
        if (!isNew)
          return report.error(Status::badUsage)
                 << "--ops=" << escaped(path) << ": defines '" << escaped(each)
                 << "', which " << escaped(other->second) << " defines, too";
        auto *added = graph.mutable_library()->add_function();
        *added = function;
        added->mutable_signature()->set_name(each);
      }
    }
  }
  return success();
}

/// What TensorFlow calls the version of its graphs is far below this.
constexpr int newestGraph = 10000;

static LogicalResult indexGraph(Report &report, const ImportOptions &options,
                                Model &model) {
  const auto &versions = model.graphDef->versions();
  if (versions.producer() < 0 || versions.min_consumer() < 0 ||
      versions.min_consumer() > newestGraph) {
    report.error() << "is made for readers of version "
                   << versions.min_consumer() << ", which no TensorFlow has";
    return failure();
  }
  for (const CustomOp &custom : options.customOps)
    model.library.customOps[custom.op] = custom.call;
  if (failed(addOps(report, options, *model.graphDef)) ||
      !model.library.add(report, *model.graphDef->mutable_library()))
    return failure();
  if (!model.graphDef->node_size()) {
    report.error()
        << "is neither an ONNX model nor a graph of TensorFlow's, or "
           "one without nodes";
    return failure();
  }
  model.graph = Graph::create(report, *model.graphDef, model.library);
  return success(model.graph != nullptr);
}

/// A graph alone has no values but those of a checkpoint that is named.
static LogicalResult findVariables(Report &report, const ImportOptions &options,
                                   Model &model) {
  if (model.isSavedModel() || !options.checkpoint.empty())
    model.variables = openVariables(report, model.saved, *model.graph,
                                    model.library, options.checkpoint);
  return success(report.status == Status::ok);
}

static LogicalResult readModel(Report &report, const ImportOptions &options,
                               Model &model) {
  std::string path = options.path;
  if (!File::isDirectory(path)) {
    FailureOr<File> file = File::open(report, path);
    if (failed(file))
      return failure();
    FailureOr<MessageFile> from = recognize(report, std::move(*file));
    if (failed(from))
      return failure();
    if (from->kind == FileKind::graph)
      return failed(load(report, *from, model.ownGraph)) ||
                     failed(fixInputs(report, options, model.ownGraph,
                                      /*saved=*/nullptr)) ||
                     failed(indexGraph(report, options, model))
                 ? failure()
                 : findVariables(report, options, model);
    if (from->kind != FileKind::savedModel) {
      report.error() << "is neither an ONNX model nor a graph of TensorFlow's";
      return failure();
    }
    // The message of a SavedModel stands for its directory.
    path = llvm::sys::path::parent_path(path).str();
    if (path.empty())
      path = ".";
  }
  if (failed(readSavedModel(report, path, options.tags, model.saved)))
    return failure();
  model.graphDef = model.saved.graph->mutable_graph_def();
  if (failed(fixInputs(report, options, *model.graphDef, model.saved.graph)) ||
      failed(indexGraph(report, options, model)) ||
      failed(checkReferences(report, model.saved, *model.graph)))
    return failure();
  return findVariables(report, options, model);
}

/// A directory may be named with a slash at its end.
static std::string baseName(StringRef path) {
  while (path.size() > 1 && path.ends_with("/"))
    path = path.drop_back();
  return escaped(llvm::sys::path::filename(path));
}

static LogicalResult checkShapes(Report &report, const ImportOptions &options,
                                 ArrayRef<Entry> entries) {
  EntryPorts inputs;
  std::vector<std::string> all;
  for (const Entry &entry : entries)
    for (const Port &port : entry.inputs) {
      inputs.push_back(&port);
      llvm::append_range(all, namesOf(port));
    }
  SmallVector<StringRef> names(all.begin(), all.end());
  for (const auto &given : options.shapes)
    if (!llvm::is_contained(names, given.getKey()) &&
        !isFixedInput(options, given.getKey())) {
      report.error(Status::badUsage)
          << "--shape=" << escaped(given.getKey()) << ": there is no such input"
          << didYouMean(given.getKey(), names)
          << (options.feeds.empty()
                  ? ""
                  : "; with --feed the inputs are those that are fed, which "
                    "have their shapes there");
      return failure();
    }
  return checkDims(report, options, inputs);
}

static FailureOr<std::vector<Entry>> entriesOf(Report &report, Model &model,
                                               const ImportOptions &options,
                                               bool hasSignatures) {
  if (hasSignatures)
    return signatureEntries(report, *model.graph, *model.saved.graph, options);
  return partialEntries(report, *model.graph, model.library, options);
}

/// The first entry once more for each variant, and what each is built by.
static LogicalResult addVariants(Report &report, Model &model,
                                 const ImportOptions &options,
                                 bool hasSignatures,
                                 std::vector<Entry> &entries,
                                 std::vector<ImportOptions> &own) {
  for (const Variant &variant : options.variants) {
    own.push_back(withVariant(options, variant));
    auto again = entriesOf(report, model, own.back(), hasSignatures);
    if (failed(again) ||
        failed(checkShapes(report, own.back(), ArrayRef(*again))))
      return failure();
    for (const Entry &entry : entries)
      if (entry.name == variant.name)
        return report.error(Status::badUsage)
               << "--variant=" << escaped(variant.name)
               << ": another function is called that";
    again->front().name = variant.name;
    entries.push_back(std::move(again->front()));
  }
  return success();
}

OwningOpRef<ModuleOp> importModel(Report &report,
                                  const ImportOptions &options) {
  report.context->loadDialect<func::FuncDialect, graph::GraphDialect>();
  Model model;
  if (failed(readModel(report, options, model)))
    return {};
  bool namesSignature = !options.signature.empty() || options.allSignatures;
  if (!model.isSavedModel() &&
      (namesSignature || options.tags != ImportOptions().tags)) {
    report.error(Status::badUsage)
        << "a GraphDef has no " << (namesSignature ? "signatures" : "tags")
        << ", as a SavedModel has; name what it gives with --fetch";
    return {};
  }
  bool hasSignatures = model.isSavedModel() && options.feeds.empty() &&
                       options.fetches.empty() && options.targets.empty() &&
                       options.entries.empty();
  auto found = entriesOf(report, model, options, hasSignatures);
  if (failed(found))
    return {};
  std::vector<Entry> entries = std::move(*found);
  std::vector<ImportOptions> own(entries.size(), options);
  if (failed(addVariants(report, model, options, hasSignatures, entries, own)))
    return {};
  if (!options.gradients.empty()) {
    auto derived = derivedEntries(report, *model.graph, model.library, options,
                                  entries.front(), hasSignatures);
    if (failed(derived))
      return {};
    std::move(derived->begin(), derived->end(), std::back_inserter(entries));
    own.resize(entries.size(), options);
  }
  Entry &first = entries.front();
  if ((options.loss || options.training) && first.name == "main")
    first.name = "predict";
  if (options.training) {
    FailureOr<Entry> entry = trainingEntry(report, *model.graph, model.library,
                                           options, first, hasSignatures);
    if (failed(entry))
      return {};
    // The nodes that run besides belong to a step.
    if (first.name == "predict")
      first.targets.clear();
    entries.push_back(std::move(*entry));
    own.push_back(options);
  }
  markStateInput(options, entries);
  if (failed(checkShapes(report, options, entries)) ||
      !model.library.check(report, *model.graph))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(report.file());
  if (options.attributes)
    module.get()->setAttrs(options.attributes);
  attrs::source.set(module.get(),
                    StringAttr::get(report.context, baseName(options.path)));
  constrain(*module, *model.graphDef);
  StateVariables state;
  if (failed(state.declare(report, *module, *model.graph, model.library,
                           model.variables.get(), Trainable(model.saved),
                           entries, options)))
    return {};
  for (const auto &[entry, by] : llvm::zip_equal(entries, own))
    if (failed(buildEntry(report, *module, *model.graph, model.library,
                          model.variables.get(), state, entry, by)))
      return {};
  if (failed(buildInit(report, *module, *model.graph, model.library,
                       model.variables.get(), state, options)))
    return {};
  return module;
}

/// How many nodes of each op there are. Of a SavedModel those count that its
/// signatures need: it also holds what saves and restores variables.
static std::map<std::string, int64_t>
countOps(Report &report, const ImportOptions &options, Model &model) {
  std::map<std::string, int64_t> counts;
  if (model.isSavedModel()) {
    SmallVector<Edge> wanted;
    for (const auto &[name, def] : model.saved.graph->signature_def()) {
      if (!options.signature.empty() && options.signature != name)
        continue;
      for (const auto &[key, info] : def.outputs()) {
        auto [node, number] = StringRef(info.name()).split(':');
        if (std::optional<int> found = model.graph->find(node))
          wanted.push_back({*found, 0});
      }
    }
    if (!wanted.empty())
      return neededOps(report, *model.graph, model.library, wanted);
  }
  for (const auto &node : model.graphDef->node())
    ++counts[node.op()];
  for (const auto &function : model.graphDef->library().function())
    for (const auto &node : function.node_def())
      ++counts[node.op()];
  return counts;
}

std::optional<ModelSummary>
summarize(Report &report, const ImportOptions &options, bool wantsValues) {
  Model model;
  if (failed(readModel(report, options, model)))
    return std::nullopt;
  ModelSummary summary;
  summary.kind = model.isSavedModel() ? "SavedModel" : "GraphDef";
  for (const auto &[op, count] : countOps(report, options, model)) {
    summary.ops.push_back({op, count});
    if (!isKnownOp(op) && !isIterator(op) && !model.library.find(op) &&
        !model.library.customOps.count(op))
      summary.unsupported.push_back(op);
  }
  listNodes(*model.graph, summary);
  summarizeOrigin(*model.graphDef, model.saved.graph, summary.origin);
  summarizeWeights(report, *model.graphDef, model.variables.get(), wantsValues,
                   summary);
  if (report.status != Status::ok)
    return std::nullopt;
  if (!model.isSavedModel()) {
    summarizePlaceholders(report, *model.graph, summary);
    return summary;
  }
  std::map<std::string, const ::tensorflow::SignatureDef *> signatures;
  for (const auto &[name, def] : model.saved.graph->signature_def())
    signatures[name] = &def;
  auto tensors = [&](const auto &from) {
    std::map<std::string, ModelSummary::Tensor> byName;
    for (const auto &[name, info] : from)
      byName[name] = {
          name, info.name(),
          typeText(report,
                   info.has_tensor_shape() ? &info.tensor_shape() : nullptr,
                   info.dtype())};
    std::vector<ModelSummary::Tensor> result;
    for (auto &[name, tensor] : byName)
      result.push_back(tensor);
    return result;
  };
  for (const auto &[name, def] : signatures)
    summary.signatures.push_back(
        {name, tensors(def->inputs()), tensors(def->outputs())});
  return summary;
}

} // namespace weir::tensorflow
