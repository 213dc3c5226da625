// What `weir inspect` says of a model, a module or a compiled library.

#include "compiler/inspect/Inspect.h"

#include "compiler/Module.h"
#include "compiler/Pipeline.h"
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
static OwningOpRef<ModuleOp>
imported(MLIRContext *context, const Options &options, json::Array &problems) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    if (auto node = dyn_cast<NameLoc>(diagnostic.getLocation()))
      text = "node '" + node.getName().str() +
             (StringRef(text).starts_with("(") ? "' " : "': ") + text;
    problems.push_back(json::fixUTF8(text));
  });
  Status status = Status::ok;
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

/// GraphDefs say nothing of what their nodes give: that comes from the import.
static void addTypes(json::Array &signatures, ModuleOp module) {
  llvm::StringMap<std::string> types;
  for (const json::Value &imported : describeSignatures(module))
    for (const json::Value &output :
         *imported.getAsObject()->getArray("outputs"))
      if (auto tensor = output.getAsObject()->getString("tensor"))
        types[*tensor] =
            withoutTensor(*output.getAsObject()->getString("type"));
  for (json::Value &signature : signatures)
    for (json::Value &output : *signature.getAsObject()->getArray("outputs")) {
      json::Object &tensor = *output.getAsObject();
      if (tensor.getString("type")->empty())
        tensor["type"] = types.lookup(*tensor.getString("tensor"));
    }
}

std::optional<json::Object>
describeModel(MLIRContext *context, const Options &options, Status &status) {
  std::optional<ModelSummary> summary =
      summarizeModel(context, options.import, status);
  if (!summary)
    return std::nullopt;
  json::Object description = describe(*summary);
  json::Array problems;
  if (OwningOpRef<ModuleOp> module = imported(context, options, problems)) {
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

static void fail(StringRef path, const Twine &why) {
  llvm::errs() << "weir: error: cannot inspect '" << escaped(path)
               << "': " << escaped(why.str()) << "\n";
}

Status inspect(MLIRContext *context, const Options &options,
               llvm::raw_ostream &os) {
  StringRef path = options.import.path;
  std::optional<json::Object> description;
  Status status = Status::ok;
  if (options.input == InputKind::Library) {
    llvm::Expected<json::Object> library = describeLibrary(path);
    if (!library) {
      fail(path, llvm::toString(library.takeError()));
      return Status::badInput;
    }
    description = std::move(*library);
  } else if (options.input == InputKind::Module) {
    OwningOpRef<ModuleOp> module =
        parseModule(context, path, options.trustsBytecode);
    if (!module)
      return Status::badInput;
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
