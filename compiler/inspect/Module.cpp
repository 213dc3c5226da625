// What a module says of itself, at any stage.

#include "compiler/inspect/Module.h"
#include "compiler/inspect/DynamicDims.h"

#include "compiler/Place.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/MultiplyAdds.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// MLIR's strings are any bytes, JSON's are UTF-8.
static std::string textOf(StringRef bytes) { return json::fixUTF8(bytes); }

static json::Object describeTensor(TensorAttr tensor) {
  json::Object object{{"type", textOf(tensor.getType())}};
  for (auto [key, name] : {std::pair("name", tensor.getName()),
                           std::pair("tensor", tensor.getTensor())})
    if (!name.empty())
      object[key] = textOf(name);
  if (!tensor.getStrings().empty()) {
    json::Array strings;
    for (auto string : tensor.getStrings().getAsRange<StringAttr>())
      strings.push_back(textOf(string.getValue()));
    object["strings"] = std::move(strings);
  }
  return object;
}

/// Adds the sizes that `shape` has to the tensor `type`, described by `to`.
static void addDynamicDims(TensorAttr shape, RankedTensorType type,
                           json::Object &to, json::Array &open) {
  DynamicShape sizes;
  if (DenseI64ArrayAttr least = shape.getLeast())
    sizes.least.assign(least.asArrayRef().begin(), least.asArrayRef().end());
  for (auto name : shape.getDims().getAsRange<StringAttr>())
    sizes.names.push_back(name.str());
  auto rank = static_cast<size_t>(type.getRank());
  if (sizes.least.size() != rank || sizes.names.size() != rank)
    return;
  sizes.most.assign(type.getShape().begin(), type.getShape().end());
  sizes.element = textOf(type.getElementType());
  describeDynamic(to, open, sizes);
}

static json::Array describeTensors(ArrayRef<TensorAttr> tensors,
                                   json::Array &open) {
  json::Array all;
  for (TensorAttr tensor : tensors)
    all.push_back(describeTensor(tensor));
  for (TensorAttr shape : tensors)
    if (auto of = static_cast<size_t>(shape.getShapeOf()); of < tensors.size())
      addDynamicDims(shape, tensors[of].getType(), *all[of].getAsObject(),
                     open);
  return all;
}

/// The entries that stage `plan` has written on the module.
static json::Array entriesOf(ArrayAttr entries) {
  json::Array signatures;
  for (auto entry : entries.getAsRange<EntryAttr>()) {
    json::Array open;
    json::Object signature{{"name", textOf(entry.getName())},
                           {"symbol", textOf(entry.getSymbol())}};
    for (auto [key, list] : {std::pair("inputs", entry.getInputs()),
                             std::pair("outputs", entry.getOutputs())})
      signature[key] =
          describeTensors(llvm::to_vector(list.getAsRange<TensorAttr>()), open);
    if (!open.empty())
      signature["open"] = std::move(open);
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

/// The arguments or results of a function before stage `plan`.
static json::Array describeTensors(ArrayRef<Type> types,
                                   ArrayRef<DictionaryAttr> attributes,
                                   json::Array &open) {
  SmallVector<TensorAttr> tensors;
  for (auto [i, type] : llvm::enumerate(types))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.hasStaticShape())
      tensors.push_back(TensorAttr::of(
          attributes.empty() ? DictionaryAttr() : attributes[i], tensor));
  if (tensors.size() == types.size())
    return describeTensors(tensors, open);
  // A function that no importer made.
  json::Array all;
  for (Type type : types)
    all.push_back(json::Object{{"type", textOf(type)}});
  return all;
}

/// Of a function of the graph dialect alone: what later stages make of one has
/// its products in loops.
static void addMultiplyAdds(json::Object &signature, func::FuncOp function) {
  bool isGraph = false;
  function.walk([&](Operation *op) {
    isGraph |= isa_and_present<graph::GraphDialect>(op->getDialect());
  });
  if (!isGraph)
    return;
  graph::MultiplyAdds all = graph::countMultiplyAdds(
      function, [](Operation *) { return std::string(); });
  signature["multiply_adds"] = all.total;
  if (all.hasUnknownLoops)
    signature["unknown_loops"] = true;
}

static json::Array functionsOf(ModuleOp module) {
  json::Array signatures;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    SmallVector<DictionaryAttr> given, made;
    function.getAllArgAttrs(given);
    function.getAllResultAttrs(made);
    json::Array open;
    json::Array inputs =
        describeTensors(function.getArgumentTypes(), given, open);
    json::Array outputs =
        describeTensors(function.getResultTypes(), made, open);
    auto entry = attrs::entry.of(function);
    json::Object signature{
        {"name", textOf(entry ? entry.getValue() : function.getName())},
        {"symbol", textOf(function.getName())},
        {"inputs", std::move(inputs)},
        {"outputs", std::move(outputs)}};
    if (!open.empty())
      signature["open"] = std::move(open);
    addMultiplyAdds(signature, function);
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

json::Array describeSignatures(ModuleOp module) {
  if (auto entries = attrs::entries.of(module))
    return entriesOf(entries);
  return functionsOf(module);
}

json::Object describeModule(ModuleOp module) {
  json::Object description{{"kind", "module"}};
  description["signatures"] = describeSignatures(module);

  llvm::MapVector<StringRef, int64_t> counts;
  module->walk([&](Operation *op) {
    if (op != module)
      ++counts[op->getName().getStringRef()];
  });
  auto sorted = counts.takeVector();
  llvm::sort(sorted);
  json::Array ops;
  for (auto &[name, count] : sorted)
    ops.push_back(json::Object{{"op", textOf(name)}, {"count", count}});
  description["ops"] = std::move(ops);
  if (std::optional<json::Object> plan = describePlan(module))
    description["plan"] = std::move(*plan);
  return description;
}

} // namespace weir
