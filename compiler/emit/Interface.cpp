// Reads what the plan left on the module: see Interface.h.

#include "compiler/emit/Interface.h"
#include "compiler/emit/Names.h"

#include "dialects/target/TargetAttr.h"
#include "dialects/weir/Attributes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::Error;
using llvm::Expected;

namespace weir {
namespace {

struct Dtype {
  weir_dtype dtype;
  const char *enumerator, *c;
};

constexpr Dtype dtypes[] = {{WEIR_F16, "WEIR_F16", "weir_f16"},
                            {WEIR_BF16, "WEIR_BF16", "weir_bf16"},
                            {WEIR_F32, "WEIR_F32", "float"},
                            {WEIR_F64, "WEIR_F64", "double"},
                            {WEIR_BOOL, "WEIR_BOOL", "weir_bool"},
                            {WEIR_I8, "WEIR_I8", "int8_t"},
                            {WEIR_I16, "WEIR_I16", "int16_t"},
                            {WEIR_I32, "WEIR_I32", "int32_t"},
                            {WEIR_I64, "WEIR_I64", "int64_t"},
                            {WEIR_U8, "WEIR_U8", "uint8_t"},
                            {WEIR_U16, "WEIR_U16", "uint16_t"},
                            {WEIR_U32, "WEIR_U32", "uint32_t"},
                            {WEIR_U64, "WEIR_U64", "uint64_t"}};

Error bad(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::optional<weir_dtype> dtypeOf(Type type) {
  if (type.isF16())
    return WEIR_F16;
  if (type.isBF16())
    return WEIR_BF16;
  if (type.isF32())
    return WEIR_F32;
  if (type.isF64())
    return WEIR_F64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool u = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return WEIR_BOOL;
  case 8:
    return u ? WEIR_U8 : WEIR_I8;
  case 16:
    return u ? WEIR_U16 : WEIR_I16;
  case 32:
    return u ? WEIR_U32 : WEIR_I32;
  case 64:
    return u ? WEIR_U64 : WEIR_I64;
  }
  return std::nullopt;
}

struct Reader {
  ModuleOp module;
  ModelInterface model;
  TakenNames functionNames, macros;

  Error number(StringRef name, int64_t &to) {
    Attribute attr = module->getAttr(name);
    if (!attr)
      return Error::success();
    auto value = dyn_cast<IntegerAttr>(attr);
    if (!value || value.getValue().getSignificantBits() > 64 ||
        value.getValue().getSExtValue() < 0)
      return bad(name + " is not a size");
    to = value.getValue().getSExtValue();
    return Error::success();
  }

  Error weights() {
    auto list = attrs::weights.of(module);
    if (!list)
      return Error::success();
    int64_t end = 0;
    for (Attribute item : list) {
      auto pair = dyn_cast<ArrayAttr>(item);
      auto offset = pair && pair.size() == 2 ? dyn_cast<IntegerAttr>(pair[0])
                                             : IntegerAttr();
      auto elements = offset ? dyn_cast<ElementsAttr>(pair[1]) : ElementsAttr();
      auto type = elements ? dyn_cast<RankedTensorType>(elements.getType())
                           : RankedTensorType();
      std::optional<weir_dtype> dtype;
      if (type)
        dtype = dtypeOf(type.getElementType());
      if (!dtype)
        return bad("weir.weights has an entry that is not [offset, elements]");
      int64_t at = offset.getInt(), bytes;
      if (llvm::MulOverflow(type.getNumElements(),
                            int64_t(type.getElementTypeBitWidth() + 7) / 8,
                            bytes) ||
          at < end || at % 64 || llvm::AddOverflow(at, bytes, end))
        return bad(
            "weir.weights are not in ascending, aligned, separate places");
      model.weights.push_back({at, elements});
    }
    if (end > model.weightsBytes)
      return bad("weir.weights end behind weir.weights_bytes");
    return Error::success();
  }

  Expected<TensorInterface> tensor(Attribute attr, TakenNames &arguments,
                                   StringRef macroPrefix) {
    auto fields = dyn_cast<DictionaryAttr>(attr);
    auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
    auto typeAttr = fields ? fields.getAs<TypeAttr>("type") : TypeAttr();
    auto type = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue())
                         : RankedTensorType();
    if (!name || !type || !type.hasStaticShape())
      return bad("weir.entries has a tensor without name or static type");
    TensorInterface out;
    out.name = name.str();
    auto full = fields.getAs<StringAttr>("tensor");
    out.tensor = full ? full.str() : out.name;
    out.type = type;
    if (auto of = fields.getAs<IntegerAttr>("shape_of"))
      out.shapeOf = of.getInt();
    if (auto least = fields.getAs<DenseI64ArrayAttr>("least"))
      out.least = least.asArrayRef().vec();
    if (auto dims = fields.getAs<ArrayAttr>("dims"))
      for (auto dim : dims.getAsRange<StringAttr>())
        out.dims.push_back(dim.str());
    if (auto strings = fields.getAs<ArrayAttr>("strings"))
      for (auto string : strings.getAsRange<StringAttr>())
        out.strings.push_back(string.str());
    std::optional<weir_dtype> dtype = dtypeOf(type.getElementType());
    if (!dtype)
      return bad("tensor '" + out.name + "' has no type that C can pass");
    out.dtype = *dtype;
    if (!measure(type, out.elements, out.bytes))
      return bad("tensor '" + out.name + "' is larger than memory can be");
    out.argument = unique(cIdentifier(out.name), arguments);
    // Every macro of the tensor is this name and an ending without a digit
    // after an underscore, so unique names stay unique.
    out.macro = unique((macroPrefix + "_" + cMacro(out.name)).str(), macros);
    return out;
  }

  /// Elements and bytes of a tensor of the type; false where they are more
  /// than memory can hold.
  static bool measure(RankedTensorType type, int64_t &elements,
                      int64_t &bytes) {
    elements = 1;
    for (int64_t dim : type.getShape())
      if (llvm::MulOverflow(elements, dim, elements))
        return false;
    int64_t width = (type.getElementTypeBitWidth() + 7) / 8;
    return !llvm::MulOverflow(elements, width, bytes);
  }

  /// Whether both are slices of one tensor without an element in common, and
  /// with keys of their own.
  static bool areApart(const VariableInterface &a, const VariableInterface &b) {
    return a.slice && b.slice && a.slice->sizes == b.slice->sizes &&
           a.dtype == b.dtype && a.sliceKey != b.sliceKey &&
           !a.slice->overlaps(*b.slice);
  }

  Error variables() {
    auto list = attrs::variables.of(module);
    if (!list)
      return Error::success();
    for (Attribute item : list) {
      auto fields = dyn_cast<DictionaryAttr>(item);
      auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
      auto key = fields ? fields.getAs<StringAttr>("key") : StringAttr();
      auto offset =
          fields ? fields.getAs<IntegerAttr>("offset") : IntegerAttr();
      auto typeAttr = fields ? fields.getAs<TypeAttr>("type") : TypeAttr();
      VariableInterface out;
      out.type = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue())
                          : RankedTensorType();
      if (!name || !key || !offset || !out.type || !out.type.hasStaticShape())
        return bad("weir.variables has one without name, key, offset or type");
      out.name = name.str();
      out.key = key.str();
      out.offset = offset.getInt();
      std::optional<weir_dtype> dtype = dtypeOf(out.type.getElementType());
      if (!dtype || !measure(out.type, out.elements, out.bytes))
        return bad("variable '" + out.name + "' has no type that C can have");
      out.dtype = *dtype;
      if (out.offset < 0 || out.offset % 64 ||
          out.bytes > model.stateBytes - out.offset)
        return bad("variable '" + out.name + "' lies outside of the state");
      if (out.key.empty() || StringRef(out.key).contains('\0') ||
          out.key.size() > 4000)
        return bad("variable '" + out.name +
                   "' has a name that checkpoints cannot hold");
      if (auto slice = fields.getAs<StringAttr>("slice")) {
        out.slice = parseSlice(slice);
        if (!out.slice || out.type.getShape() != ArrayRef(out.slice->shape()))
          return bad("variable '" + out.name + "' is no slice '" + slice.str() +
                     "'");
        out.sliceKey = sliceKey(out.key, out.slice->starts, out.slice->lengths);
      }
      out.c =
          unique(model.prefix + "_var_" + cIdentifier(out.name), functionNames);
      out.macro = unique(model.macro + "_" + cMacro("var_" + out.name), macros);
      model.variables.push_back(std::move(out));
    }
    llvm::sort(model.variables, [](const auto &a, const auto &b) {
      return std::tie(a.key, a.sliceKey) < std::tie(b.key, b.sliceKey);
    });
    for (size_t i = 1; i < model.variables.size(); ++i)
      for (size_t j = i;
           j-- > 0 && model.variables[j].key == model.variables[i].key;)
        if (!areApart(model.variables[i], model.variables[j]))
          return bad("two variables are '" + model.variables[i].key +
                     "' in checkpoints");
    return Error::success();
  }

  Error function(Attribute attr, bool alone) {
    auto fields = dyn_cast<DictionaryAttr>(attr);
    auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
    auto symbol = fields ? fields.getAs<StringAttr>("symbol") : StringAttr();
    if (!name || !symbol)
      return bad("weir.entries has a function without name or symbol");
    FunctionInterface out;
    out.name = name.str();
    out.symbol = symbol.str();
    out.usesState = fields.contains("state");
    out.isInit = fields.contains("init");
    out.c = out.isInit ? model.prefix + "_init"
                       : unique(model.prefix + "_" + cIdentifier(out.name),
                                functionNames);
    if (model.gpu)
      out.device = unique(out.c + "_device", functionNames);
    out.capturable = fields.contains("capturable");
    std::string macro =
        alone ? model.macro : model.macro + "_" + cMacro(out.name);
    TakenNames arguments;
    for (bool input : {true, false}) {
      auto list = fields.getAs<ArrayAttr>(input ? "inputs" : "outputs");
      if (!list)
        continue;
      for (Attribute item : list) {
        Expected<TensorInterface> one = tensor(item, arguments, macro);
        if (!one)
          return one.takeError();
        (input ? out.inputs : out.outputs).push_back(std::move(*one));
      }
    }
    for (auto *tensors : {&out.inputs, &out.outputs})
      for (auto [i, shape] : llvm::enumerate(*tensors)) {
        if (shape.shapeOf < 0)
          continue;
        if (shape.shapeOf >= static_cast<int64_t>(tensors->size()) ||
            shape.dtype != WEIR_I64 ||
            shape.elements != (*tensors)[shape.shapeOf].type.getRank())
          return bad("tensor '" + shape.name + "' is no shape of another");
        TensorInterface &owner = (*tensors)[shape.shapeOf];
        owner.shapeTensor = static_cast<int64_t>(i);
        // A module may say nothing of them.
        size_t rank = owner.type.getRank();
        owner.least = shape.least;
        owner.least.resize(rank);
        owner.dims = shape.dims;
        owner.dims.resize(rank);
      }
    model.functions.push_back(std::move(out));
    return Error::success();
  }

  Expected<ModelInterface> read(StringRef prefix) {
    model.prefix = cIdentifier(prefix);
    // A bare prefix that needed an underscore (main_) gets two with a name.
    if (model.prefix.back() == '_')
      model.prefix += "model";
    model.macro = cMacro(model.prefix);
    if (auto source = attrs::source.of(module))
      model.source = source.str();
    TargetAttr target = TargetAttr::get(module);
    model.target =
        (target.triple + " " + target.cpu + " " + target.features).str();
    model.levels = {target.cpu.str()};
    if (auto levels = attrs::levels.of(module)) {
      model.levels.clear();
      for (auto name : levels.getAsRange<StringAttr>())
        model.levels.push_back(name.str());
      model.target =
          (target.triple + " " + llvm::join(model.levels, ",")).str();
    }
    if (auto threads = attrs::threads.of(module))
      model.threads = std::clamp<int64_t>(threads.getInt(), 1, 256);
    if (Error error = number(attrs::arenaBytes.name(), model.arenaBytes))
      return error;
    if (Error error = number(attrs::maxLiveBytes.name(), model.maxLiveBytes))
      return error;
    if (Error error = number(attrs::weightsBytes.name(), model.weightsBytes))
      return error;
    if (Error error = number(attrs::stateBytes.name(), model.stateBytes))
      return error;
    if (Error error = weights())
      return error;
    if (auto checks = attrs::checks.of(module))
      for (Attribute check : checks) {
        auto text = dyn_cast<StringAttr>(check);
        if (!text)
          return bad("weir.checks has an entry that is no text");
        model.checks.push_back(text.str());
      }
    if (Error error = readGpu(module, model))
      return error;
    auto entries = attrs::entries.of(module);
    if (!entries || entries.empty())
      return bad("the module has no weir.entries: nothing to call");
    for (StringRef used : {"create", "destroy", "info", "last_error",
                           "status_text", "ctx", "run"})
      functionNames.insert({(model.prefix + "_" + used).str(), 2});
    if (model.gpu)
      for (StringRef used : {"gpu", "run_device", "wait"})
        functionNames.insert({(model.prefix + "_" + used).str(), 2});
    for (StringRef used :
         {"ARENA", "MAX_LIVE", "WEIGHTS", "ALIGN", "CTX", "ABI", "H"})
      macros.insert({(model.macro + "_" + used).str(), 2});
    if (model.stateBytes) {
      for (StringRef used : {"save", "restore", "init"})
        functionNames.insert({(model.prefix + "_" + used).str(), 2});
      macros.insert({model.macro + "_STATE", 2});
    }
    size_t others = llvm::count_if(entries, [](Attribute entry) {
      auto fields = dyn_cast<DictionaryAttr>(entry);
      return !fields || !fields.contains("init");
    });
    if (entries.size() - others > 1)
      return bad("weir.entries has two that give variables first values");
    model.plainRun = others == 1;
    // Signatures called `run` themselves.
    for (Attribute entry : entries) {
      auto fields = dyn_cast<DictionaryAttr>(entry);
      auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
      if (name && cIdentifier(name.getValue()) == "run") {
        functionNames.erase(model.prefix + "_run");
        model.plainRun = false;
      }
    }
    for (Attribute entry : entries)
      if (Error error = function(entry, others == 1))
        return error;
    if (Error error = variables())
      return error;
    return std::move(model);
  }
};

} // namespace

StringRef cType(weir_dtype dtype) { return dtypes[dtype - WEIR_F16].c; }

StringRef cEnumerator(weir_dtype dtype) {
  return dtypes[dtype - WEIR_F16].enumerator;
}

Expected<ModelInterface> readInterface(ModuleOp module, StringRef prefix) {
  return Reader{module, {}, {}, {}}.read(prefix);
}

} // namespace weir
