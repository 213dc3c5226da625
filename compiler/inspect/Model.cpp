// Describes a model for `weir inspect`.

#include "compiler/inspect/Inspect.h"
#include "compiler/inspect/Summary.h"
#include "compiler/inspect/Weights.h"

#include "compiler/Module.h"
#include "compiler/Pipeline.h"
#include "compiler/Place.h"
#include "compiler/import/TypeText.h"

#include "dialects/graph/MultiplyAdds.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  for (const Stage &stage : stages(Machine::Cpu, stage::train, stage::plan))
    stage.build(pm);
  return succeeded(pm.run(*module)) ? std::move(module)
                                    : OwningOpRef<ModuleOp>();
}

static json::Array tensorsOf(const std::vector<ModelSummary::Tensor> &list) {
  json::Array tensors;
  for (const ModelSummary::Tensor &tensor : list) {
    json::Object object{{"name", json::fixUTF8(tensor.name)},
                        {"tensor", json::fixUTF8(tensor.tensor)},
                        {"type", json::fixUTF8(tensor.type)}};
    if (!tensor.dims.empty()) {
      json::Array dims;
      for (StringRef dim : tensor.dims) {
        int64_t size;
        if (dim.getAsInteger(10, size))
          dims.push_back(json::fixUTF8(dim));
        else
          dims.push_back(size);
      }
      object["dims"] = std::move(dims);
      object["element"] = json::fixUTF8(tensor.element);
    }
    tensors.push_back(std::move(object));
  }
  return tensors;
}

/// The import finds the types of tensors and the multiply-adds of nodes.
struct Found {
  std::map<std::string, RankedTensorType> types;
  std::map<std::string, int64_t> multiplyAdds;

  /// Versions of a function for small sizes see the same tensor smaller.
  void see(StringRef tensor, Type type) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked)
      return;
    RankedTensorType &known = types[tensor.str()];
    if (!known || known.getNumElements() < ranked.getNumElements())
      known = ranked;
  }
  void count(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>()) {
      graph::MultiplyAdds all =
          graph::countMultiplyAdds(function, [](Operation *op) {
            Place place = placeOf(op->getLoc());
            return place.nodes.empty() ? "" : place.nodes.back().str();
          });
      for (const auto &[name, own] : all.byName)
        multiplyAdds[name] = std::max(multiplyAdds[name], own);
    }
  }
};

static json::Array nodesOf(ModelSummary &summary, const Found &found) {
  auto typed = [&](const std::string &tensor) -> std::string {
    auto type = found.types.find(tensor);
    return type == found.types.end()
               ? ""
               : typeText(type->second.getShape(),
                          type->second.getElementType(), "");
  };
  json::Array nodes;
  for (ModelSummary::Node &node : summary.nodes) {
    // A GraphDef does not say how many results a node has.
    if (node.results.size() == 1 && node.results[0].tensor == node.name + ":0")
      for (size_t i = 1;; ++i) {
        std::string tensor = node.name + ":" + std::to_string(i);
        if (!found.types.count(tensor))
          break;
        node.results.push_back({tensor, tensor, ""});
      }
    for (ModelSummary::Tensor &result : node.results)
      if (std::string type = typed(result.tensor); !type.empty())
        result.type = type;
    json::Array inputs;
    for (const std::string &input : node.inputs)
      inputs.push_back(json::fixUTF8(input));
    json::Object object{{"name", json::fixUTF8(node.name)},
                        {"op", json::fixUTF8(node.op)},
                        {"inputs", std::move(inputs)},
                        {"results", tensorsOf(node.results)}};
    if (auto own = found.multiplyAdds.find(node.name);
        own != found.multiplyAdds.end())
      object["multiply_adds"] = own->second;
    nodes.push_back(std::move(object));
  }
  return nodes;
}

static void addText(json::Object &description, StringRef key, StringRef text) {
  if (!text.empty())
    description[key] = json::fixUTF8(text);
}

static void addNumber(json::Object &description, StringRef key, int64_t value) {
  if (value)
    description[key] = value;
}

static void addOrigin(json::Object &description,
                      const ModelSummary::Origin &origin) {
  addText(description, "producer", origin.producer);
  addText(description, "producer_version", origin.producerVersion);
  addText(description, "domain", origin.domain);
  addText(description, "description", origin.description);
  addNumber(description, "ir_version", origin.irVersion);
  addNumber(description, "model_version", origin.modelVersion);
  addNumber(description, "graph_version", origin.graphVersion);
  addNumber(description, "oldest_reader", origin.oldestReader);
  addText(description, "tensorflow_version", origin.tensorflow);
  json::Array opsets, metadata, tags;
  for (const auto &[domain, version] : origin.opsets)
    opsets.push_back(
        json::Object{{"domain", json::fixUTF8(domain)}, {"version", version}});
  for (const auto &[key, value] : origin.metadata)
    metadata.push_back(json::Object{{"key", json::fixUTF8(key)},
                                    {"value", json::fixUTF8(value)}});
  for (const std::string &tag : origin.tags)
    tags.push_back(json::fixUTF8(tag));
  for (auto [key, list] :
       {std::pair("opsets", &opsets), std::pair("metadata", &metadata),
        std::pair("tags", &tags)})
    if (!list->empty())
      description[key] = std::move(*list);
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

/// The module that the options select. The problems of the import are part of
/// the description, not of the log.
static OwningOpRef<ModuleOp> imported(MLIRContext *context,
                                      const Options &options,
                                      json::Array &problems, Found &found,
                                      Status &status) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    if (auto node = dyn_cast<NameLoc>(diagnostic.getLocation()))
      text = "node '" + node.getName().str() +
             (StringRef(text).starts_with("(") ? "' " : "': ") + text;
    problems.push_back(json::fixUTF8(text));
  });
  ImportOptions import = options.import;
  if (options.nodes)
    import.onTensor = [&](StringRef tensor, Type type) {
      found.see(tensor, type);
    };
  auto module = importModel(context, import, status);
  if (module)
    nameTensors(*module, options.inputNames, options.outputNames);
  if (module && options.training)
    attrs::training.set((*module), options.training);
  return module;
}

/// The type as the frontends' summaries write it: `2x3xf32`.
static std::string withoutTensor(StringRef type) {
  if (type.consume_front("tensor<"))
    type.consume_back(">");
  return type.str();
}

/// The ranges of the dynamic dimensions that the tensors name.
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

/// Adds facts that the import finds and the file lacks: the types of the
/// results of nodes in GraphDefs, and the ranges of dynamic dimensions.
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
    for (json::Value &entry : imported)
      if (signatures.size() == 1 ||
          entry.getAsObject()->getString("name") ==
              signature.getAsObject()->getString("name")) {
        for (StringRef key : {"multiply_adds", "unknown_loops"})
          if (const json::Value *value = entry.getAsObject()->get(key))
            (*signature.getAsObject())[key] = *value;
        break;
      }
  }
}

std::optional<json::Object>
describeModel(MLIRContext *context, const Options &options, Status &status) {
  std::optional<ModelSummary> summary =
      summarizeModel(context, options.import, options.tensors, status);
  if (!summary)
    return std::nullopt;
  if (summary->kind == "checkpoint")
    return describeCheckpoint(*summary);
  json::Object description = describe(*summary);
  addOrigin(description, summary->origin);
  describeWeights(description, summary->weights, options.tensors);
  json::Array problems;
  Found found;
  Status importStatus = Status::ok;
  OwningOpRef<ModuleOp> module =
      imported(context, options, problems, found, importStatus);
  // Files that cannot be read are no property of the model.
  if (importStatus == Status::io && !problems.empty()) {
    failToInspect(options.import.path,
                  problems.front().getAsString().value_or(""));
    status = importStatus;
    return std::nullopt;
  }
  if (module && options.nodes)
    found.count(*module);
  if (options.nodes)
    description["nodes"] = nodesOf(*summary, found);
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

} // namespace weir
