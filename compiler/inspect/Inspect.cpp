// What `weir inspect` says of a model, a module or a compiled library.

#include "compiler/inspect/Inspect.h"

#include "compiler/Module.h"
#include "compiler/Pipeline.h"
#include "compiler/SystemErrors.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

/// The module after the stages up to `plan`; null where one fails.
static OwningOpRef<ModuleOp> planned(const Options &options,
                                     OwningOpRef<ModuleOp> module) {
  if (llvm::errorToBool(writeTarget(*module, options.target)))
    return {};
  PassManager pm(module->getContext());
  for (const Stage &stage : stages()) {
    if (stage.build)
      stage.build(pm);
    if (stage.name == "plan")
      break;
  }
  return succeeded(pm.run(*module)) ? std::move(module)
                                    : OwningOpRef<ModuleOp>();
}

static json::Array tensorsOf(const std::vector<ModelSummary::Tensor> &list) {
  json::Array tensors;
  for (const ModelSummary::Tensor &tensor : list)
    tensors.push_back(json::Object{{"name", json::fixUTF8(tensor.name)},
                                   {"tensor", json::fixUTF8(tensor.tensor)},
                                   {"type", json::fixUTF8(tensor.type)}});
  return tensors;
}

static json::Array nodesOf(const ModelSummary &summary) {
  json::Array nodes;
  for (const ModelSummary::Node &node : summary.nodes)
    nodes.push_back(json::Object{{"name", json::fixUTF8(node.name)},
                                 {"op", json::fixUTF8(node.op)},
                                 {"results", tensorsOf(node.results)}});
  return nodes;
}

/// A checkpoint has variables and nothing else.
static json::Object describeCheckpoint(const ModelSummary &summary) {
  json::Array variables;
  for (const ModelSummary::Tensor &tensor : summary.variables)
    variables.push_back(json::Object{{"name", json::fixUTF8(tensor.name)},
                                     {"key", json::fixUTF8(tensor.tensor)},
                                     {"type", json::fixUTF8(tensor.type)}});
  return json::Object{{"kind", summary.kind},
                      {"variables", std::move(variables)}};
}

static json::Object describe(const ModelSummary &summary) {
  json::Array signatures, ops, unsupported;
  for (const ModelSummary::Signature &signature : summary.signatures)
    signatures.push_back(
        json::Object{{"name", json::fixUTF8(signature.name)},
                     {"inputs", tensorsOf(signature.inputs)},
                     {"outputs", tensorsOf(signature.outputs)}});
  for (const auto &[op, count] : summary.ops)
    ops.push_back(json::Object{{"op", json::fixUTF8(op)}, {"count", count}});
  for (const std::string &op : summary.unsupported)
    unsupported.push_back(json::fixUTF8(op));
  return json::Object{{"kind", json::fixUTF8(summary.kind)},
                      {"signatures", std::move(signatures)},
                      {"ops", std::move(ops)},
                      {"unsupported", std::move(unsupported)}};
}

/// The module that the options ask for; what stands in its way is part of the
/// description, not of the log.
static OwningOpRef<ModuleOp> imported(MLIRContext *context,
                                      const Options &options,
                                      json::Array &problems, Status &status) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    if (auto node = dyn_cast<NameLoc>(diagnostic.getLocation()))
      text = "node '" + node.getName().str() +
             (StringRef(text).starts_with("(") ? "' " : "': ") + text;
    problems.push_back(json::fixUTF8(text));
  });
  auto module = importModel(context, options.import, status);
  if (module)
    nameTensors(*module, options.inputNames, options.outputNames);
  if (module && options.training)
    (*module)->setAttr("weir.training", options.training);
  return module;
}

/// The type as the frontends' summaries write it: `2x3xf32`.
static std::string withoutTensor(StringRef type) {
  if (type.consume_front("tensor<"))
    type.consume_back(">");
  return type.str();
}

/// The ranges of the open dimensions that the tensors name.
static void addRanges(json::Object &signature, const json::Array &known) {
  json::Array open;
  auto isNamed = [&](StringRef name) {
    for (StringRef side : {"inputs", "outputs"})
      for (const json::Value &tensor : *signature.getArray(side))
        if (const json::Array *dims = tensor.getAsObject()->getArray("dims"))
          if (llvm::is_contained(*dims, json::Value(name)))
            return true;
    return false;
  };
  for (const json::Value &range : known)
    if (isNamed(*range.getAsObject()->getString("name")))
      open.push_back(range);
  if (!open.empty())
    signature["open"] = std::move(open);
}

/// What the import knows and the file does not say: the types of what nodes of
/// GraphDefs give, and the ranges of open dimensions.
static void addTypes(json::Array &signatures, ModuleOp module) {
  llvm::StringMap<const json::Object *> tensors;
  json::Array imported = describeSignatures(module), open;
  for (const json::Value &entry : imported) {
    for (StringRef side : {"inputs", "outputs"})
      for (const json::Value &tensor : *entry.getAsObject()->getArray(side))
        if (auto name = tensor.getAsObject()->getString("tensor"))
          tensors[*name] = tensor.getAsObject();
    if (const json::Array *ranges = entry.getAsObject()->getArray("open"))
      open.insert(open.end(), ranges->begin(), ranges->end());
  }
  for (json::Value &signature : signatures) {
    for (StringRef side : {"inputs", "outputs"})
      for (json::Value &value : *signature.getAsObject()->getArray(side)) {
        json::Object &tensor = *value.getAsObject();
        const json::Object *known = tensors.lookup(*tensor.getString("tensor"));
        if (!known)
          continue;
        if (tensor.getString("type")->empty())
          tensor["type"] = withoutTensor(*known->getString("type"));
        for (StringRef key : {"dims", "element"})
          if (const json::Value *open = known->get(key))
            tensor[key] = *open;
      }
    addRanges(*signature.getAsObject(), open);
  }
}

static void fail(StringRef path, const Twine &why) {
  llvm::errs() << "weir: error: cannot inspect '" << escaped(path)
               << "': " << escaped(why.str()) << "\n";
}

std::optional<json::Object>
describeModel(MLIRContext *context, const Options &options, Status &status) {
  std::optional<ModelSummary> summary =
      summarizeModel(context, options.import, status);
  if (!summary)
    return std::nullopt;
  if (summary->kind == "checkpoint")
    return describeCheckpoint(*summary);
  json::Object description = describe(*summary);
  if (options.nodes)
    description["nodes"] = nodesOf(*summary);
  json::Array problems;
  Status importStatus = Status::ok;
  OwningOpRef<ModuleOp> module =
      imported(context, options, problems, importStatus);
  // Files that cannot be read are no property of the model.
  if (importStatus == Status::io && !problems.empty()) {
    fail(options.import.path, problems.front().getAsString().value_or(""));
    status = importStatus;
    return std::nullopt;
  }
  if (module) {
    addTypes(*description.getArray("signatures"), *module);
    // A part of the graph has a signature of its own.
    if (!options.import.feeds.empty() || !options.import.fetches.empty())
      description["signatures"] =
          std::move(*describeModule(*module).getArray("signatures"));
    if (OwningOpRef<ModuleOp> plan = planned(options, std::move(module)))
      if (std::optional<json::Object> memory = describePlan(*plan))
        description["plan"] = std::move(*memory);
  }
  description["problems"] = std::move(problems);
  return description;
}

Status inspect(MLIRContext *context, const Options &options,
               llvm::raw_ostream &os) {
  StringRef path = options.import.path;
  std::optional<json::Object> description;
  Status status = Status::ok;
  if (options.input == InputKind::Library) {
    llvm::Expected<json::Object> library = describeLibrary(path);
    if (!library) {
      std::string why = llvm::toString(library.takeError());
      fail(path, why);
      std::error_code code = systemErrorIn(why);
      return code ? systemStatus(code) : Status::badInput;
    }
    description = std::move(*library);
  } else if (options.input == InputKind::Module) {
    OwningOpRef<ModuleOp> module =
        parseModule(context, path, options.trustsBytecode, status);
    if (!module)
      return status;
    description = describeModule(*module);
  } else {
    description = describeModel(context, options, status);
    if (!description)
      return status == Status::ok ? Status::badInput : status;
  }
  (*description)["file"] = json::fixUTF8(path);
  if (options.json)
    os << llvm::formatv("{0:2}", json::Value(std::move(*description))) << "\n";
  else
    printDescription(*description, os);
  return Status::ok;
}

} // namespace weir
