// What a module says of itself, at any stage.

#include "compiler/inspect/Module.h"
#include "compiler/inspect/OpenDims.h"

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

static json::Array tensorsOf(Attribute list) {
  json::Array tensors;
  for (Attribute tensor : llvm::cast<ArrayAttr>(list)) {
    auto fields = dyn_cast<DictionaryAttr>(tensor);
    if (!fields)
      continue;
    json::Object object;
    for (NamedAttribute field : fields) {
      if (auto text = dyn_cast<StringAttr>(field.getValue()))
        object[field.getName().getValue()] = textOf(text.getValue());
      else if (auto type = dyn_cast<TypeAttr>(field.getValue()))
        object[field.getName().getValue()] = textOf(type.getValue());
    }
    tensors.push_back(std::move(object));
  }
  return tensors;
}

/// Adds what the attributes of shapes say of the tensors that they are of;
/// `prefix` comes before the attributes' keys.
static void addOpenDims(json::Array &tensors, ArrayRef<DictionaryAttr> all,
                        ArrayRef<Type> types, StringRef prefix,
                        json::Array &open) {
  auto key = [&](StringRef name) { return (prefix + name).str(); };
  for (DictionaryAttr fields : all) {
    auto of = fields ? fields.getAs<IntegerAttr>(key("shape_of")) : nullptr;
    auto least = of ? fields.getAs<DenseI64ArrayAttr>(key("least")) : nullptr;
    auto dims = of ? fields.getAs<ArrayAttr>(key("dims")) : nullptr;
    if (!least || !dims || of.getInt() < 0 ||
        of.getInt() >= static_cast<int64_t>(types.size()))
      continue;
    auto type = dyn_cast<RankedTensorType>(types[of.getInt()]);
    OpenShape shape;
    shape.least.assign(least.asArrayRef().begin(), least.asArrayRef().end());
    for (auto name : dims.getAsRange<StringAttr>())
      shape.names.push_back(name.str());
    if (!type || static_cast<size_t>(type.getRank()) != shape.least.size() ||
        shape.names.size() != shape.least.size())
      continue;
    shape.most.assign(type.getShape().begin(), type.getShape().end());
    shape.element = textOf(type.getElementType());
    describeOpen(*tensors[of.getInt()].getAsObject(), open, shape);
  }
}

static json::Array entryTensors(ArrayAttr list, json::Array &open) {
  json::Array tensors = tensorsOf(list);
  SmallVector<DictionaryAttr> all;
  SmallVector<Type> types;
  for (Attribute tensor : list)
    if (auto fields = dyn_cast<DictionaryAttr>(tensor)) {
      auto type = fields.getAs<TypeAttr>("type");
      all.push_back(fields);
      types.push_back(type ? type.getValue()
                           : NoneType::get(list.getContext()));
    }
  addOpenDims(tensors, all, types, "", open);
  return tensors;
}

/// The entries that stage `plan` has written on the module.
static json::Array entriesOf(ArrayAttr entries) {
  json::Array signatures;
  for (Attribute entry : entries) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    if (!fields)
      continue;
    json::Object signature;
    for (StringRef key : {"name", "symbol"})
      if (auto text = fields.getAs<StringAttr>(key))
        signature[key] = textOf(text.getValue());
    json::Array open;
    for (StringRef key : {"inputs", "outputs"})
      if (auto list = fields.getAs<ArrayAttr>(key))
        signature[key] = entryTensors(list, open);
    if (!open.empty())
      signature["open"] = std::move(open);
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

/// A tensor of a function before stage `plan`: its names are attributes.
static json::Object tensorOf(Type type, DictionaryAttr names) {
  json::Object tensor{{"type", textOf(type)}};
  for (auto [key, attribute] :
       {std::pair("name", &attrs::name), std::pair("tensor", &attrs::tensor)})
    if (StringAttr name = attribute->in(names))
      tensor[key] = textOf(name.getValue());
  if (ArrayAttr all = attrs::strings.in(names)) {
    json::Array strings;
    for (auto string : all.getAsRange<StringAttr>())
      strings.push_back(textOf(string.getValue()));
    tensor["strings"] = std::move(strings);
  }
  return tensor;
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
    json::Array inputs, outputs;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      inputs.push_back(tensorOf(type, function.getArgAttrDict(i)));
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      outputs.push_back(tensorOf(type, function.getResultAttrDict(i)));
    SmallVector<DictionaryAttr> given, made;
    function.getAllArgAttrs(given);
    function.getAllResultAttrs(made);
    json::Array open;
    addOpenDims(inputs, given, function.getArgumentTypes(), "weir.", open);
    addOpenDims(outputs, made, function.getResultTypes(), "weir.", open);
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

static int64_t bytesOf(Type type) {
  auto buffer = cast<MemRefType>(type);
  int64_t bytes = (buffer.getElementType().getIntOrFloatBitWidth() + 7) / 8;
  for (int64_t size : buffer.getShape())
    bytes *= size;
  return bytes;
}

json::Object describeSchedule(plan::ProgramOp program) {
  json::Array tasks;
  int64_t steps = 0, width = 0, together = 0;
  plan::RunOp expected;
  program.walk<WalkOrder::PreOrder>([&](plan::RunOp run) {
    // What is of one wave runs at once; what is by rows waits for its own.
    together = run == expected ? together + 1 : 1;
    expected = run.nextOfWave();
    steps += together == 1;
    width = std::max(width, run.getByRows() ? 1 : together);
    json::Object task{{"step", steps - 1},
                      {"kernel", textOf(run.getKernel())},
                      {"node", textOf(StringRef(nodeOf(run.getLoc())))}};
    if (std::optional<int64_t> grains = run.getGrains())
      task["grains"] = *grains;
    if (run.getHost())
      task["host"] = true;
    tasks.push_back(std::move(task));
  });
  return json::Object{
      {"steps", steps}, {"width", width}, {"tasks", std::move(tasks)}};
}

static json::Object programOf(plan::ProgramOp program) {
  json::Array buffers;
  int64_t tasks = 0;
  program.walk([&](Operation *op) {
    tasks += isa<plan::RunOp>(op);
    auto buffer = dyn_cast<plan::BufferOp>(op);
    if (!buffer)
      return;
    json::Object described{{"offset", static_cast<int64_t>(buffer.getOffset())},
                           {"bytes", bytesOf(buffer.getType())},
                           {"first", static_cast<int64_t>(buffer.getFirst())},
                           {"last", static_cast<int64_t>(buffer.getLast())},
                           {"type", textOf(buffer.getType())}};
    if (buffer.getHost())
      described["host"] = true;
    buffers.push_back(std::move(described));
  });
  return json::Object{{"symbol", textOf(program.getSymName())},
                      {"tasks", tasks},
                      {"buffer_count", static_cast<int64_t>(buffers.size())},
                      {"schedule", describeSchedule(program)},
                      {"buffers", std::move(buffers)}};
}

std::optional<json::Object> describePlan(ModuleOp module) {
  if (!attrs::arenaBytes.isOn(module))
    return std::nullopt;
  json::Object plan;
  for (auto [key, attribute] :
       {std::pair("arena_bytes", &attrs::arenaBytes),
        std::pair("max_live_bytes", &attrs::maxLiveBytes),
        std::pair("host_bytes", &attrs::hostBytes),
        std::pair("weights_bytes", &attrs::weightsBytes)})
    if (IntegerAttr bytes = attribute->of(module))
      plan[key] = bytes.getInt();
  json::Array checks;
  if (auto messages = attrs::checks.of(module))
    for (Attribute message : messages)
      if (auto text = dyn_cast<StringAttr>(message))
        checks.push_back(textOf(text.getValue()));
  plan["checks"] = std::move(checks);
  json::Array programs;
  for (auto program : module.getOps<plan::ProgramOp>())
    programs.push_back(programOf(program));
  if (!programs.empty())
    plan["programs"] = std::move(programs);
  return plan;
}

} // namespace weir
