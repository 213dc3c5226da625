// Reads what the plan left on the module: see Interface.h.

#include "compiler/emit/Interface.h"
#include "compiler/emit/Names.h"

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

struct Reader {
  ModuleOp module;
  ModelInterface model;
  TakenNames functionNames, macros;

  /// The number, or 0 where the module has none.
  int64_t number(const StageAttribute<kinds::Size> &attribute) const {
    IntegerAttr value = attribute.of(module);
    return value ? value.getInt() : 0;
  }

  Error weights() {
    auto list = attrs::weights.of(module);
    if (!list)
      return Error::success();
    ArrayAttr regions = attrs::weightRegions.of(module);
    for (auto weight : list.getAsRange<WeightAttr>()) {
      SmallVector<ElementsAttr, 1> parts = PartsAttr::of(weight.getElements());
      int64_t begin = 0, stride = 0, number = weight.getRegion();
      if (number > 0) {
        if (!regions || number > int64_t(regions.size()))
          return bad(attrs::weights.name() + " has a region that the module "
                                             "has not");
        auto region = cast<WeightRegionAttr>(regions[number - 1]);
        begin = region.getOffset();
        stride = region.getStride();
      }
      for (auto [i, part] : llvm::enumerate(parts))
        model.weights.push_back(
            {begin + int64_t(i) * stride + weight.getOffset(), part});
    }
    llvm::stable_sort(model.weights,
                      [](auto &a, auto &b) { return a.offset < b.offset; });
    int64_t end = 0;
    for (const WeightBlob &blob : model.weights) {
      auto type = cast<RankedTensorType>(blob.elements.getType());
      if (!dtypeOf(type.getElementType()))
        return bad(attrs::weights.name() + " has an element type that C has "
                                           "not");
      int64_t bytes;
      if (llvm::MulOverflow(type.getNumElements(),
                            int64_t(type.getElementTypeBitWidth() + 7) / 8,
                            bytes) ||
          blob.offset < end || llvm::AddOverflow(blob.offset, bytes, end))
        return bad(attrs::weights.name() +
                   " are not in ascending, separate places");
    }
    if (end > model.weightsBytes)
      return bad(attrs::weights.name() + " end behind " +
                 attrs::weightsBytes.name());
    return Error::success();
  }

  Expected<TensorInterface> tensor(TensorAttr attr, TakenNames &arguments,
                                   StringRef macroPrefix) {
    RankedTensorType type = attr.getType();
    TensorInterface out;
    out.name = attr.getName().str();
    out.tensor = attr.getTensor().empty() ? out.name : attr.getTensor().str();
    out.type = type;
    out.shapeOf = attr.getShapeOf();
    if (DenseI64ArrayAttr least = attr.getLeast())
      out.least = least.asArrayRef().vec();
    for (auto dim : attr.getDims().getAsRange<StringAttr>())
      out.dims.push_back(dim.str());
    for (auto string : attr.getStrings().getAsRange<StringAttr>())
      out.strings.push_back(string.str());
    if (DenseI64ArrayAttr shards = attr.getShards())
      out.shards = shards.asArrayRef().vec();
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
    for (auto variable : list.getAsRange<VariableAttr>()) {
      VariableInterface out;
      out.type = variable.getType();
      out.name = variable.getName().str();
      out.key = variable.getKey().str();
      out.offset = variable.getOffset();
      if (DenseI64ArrayAttr shards = variable.getShards())
        out.shards = shards.asArrayRef().vec();
      std::optional<weir_dtype> dtype = dtypeOf(out.type.getElementType());
      if (!dtype || !measure(out.type, out.elements, out.bytes))
        return bad("variable '" + out.name + "' has no type that C can have");
      out.dtype = *dtype;
      if (out.bytes > model.stateBytes - out.offset)
        return bad("variable '" + out.name + "' lies outside of the state");
      if (out.key.empty() || StringRef(out.key).contains('\0') ||
          out.key.size() > 4000)
        return bad("variable '" + out.name +
                   "' has a name that checkpoints cannot hold");
      if (StringRef slice = variable.getSlice(); !slice.empty()) {
        out.slice = parseSlice(slice);
        if (!out.slice || out.type.getShape() != ArrayRef(out.slice->shape()))
          return bad("variable '" + out.name + "' is no slice '" + slice.str() +
                     "'");
        out.sliceKey = sliceKey(out.key, out.slice->starts, out.slice->lengths);
        if (out.sliceKey.empty())
          return bad("variable '" + out.name +
                     "' has a name that checkpoints cannot hold");
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

  Error function(EntryAttr entry, bool alone) {
    FunctionInterface out;
    out.name = entry.getName().str();
    out.symbol = entry.getSymbol().str();
    out.usesState = entry.getState();
    out.isInit = entry.getInit();
    out.c = out.isInit ? model.prefix + "_init"
                       : unique(model.prefix + "_" + cIdentifier(out.name),
                                functionNames);
    if (model.gpu)
      out.device = unique(out.c + "_device", functionNames);
    out.capturable = entry.getCapturable();
    std::string macro =
        alone ? model.macro : model.macro + "_" + cMacro(out.name);
    TakenNames arguments;
    for (bool input : {true, false}) {
      ArrayAttr list = input ? entry.getInputs() : entry.getOutputs();
      for (auto item : list.getAsRange<TensorAttr>()) {
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
    TargetAttr target = TargetAttr::of(module);
    model.target = (target.getTriple() + " " + target.getCpu() + " " +
                    target.getFeatures())
                       .str();
    model.isaVariants = {target.getCpu().str()};
    if (auto isaVariants = attrs::isaVariants.of(module)) {
      model.isaVariants.clear();
      for (auto name : isaVariants.getAsRange<StringAttr>())
        model.isaVariants.push_back(name.str());
      model.target =
          (target.getTriple() + " " + llvm::join(model.isaVariants, ",")).str();
    }
    if (auto threads = attrs::threads.of(module))
      model.threads = std::clamp<int64_t>(threads.getInt(), 1, 256);
    model.arenaBytes = number(attrs::arenaBytes);
    model.maxLiveBytes = number(attrs::maxLiveBytes);
    model.weightsBytes = number(attrs::weightsBytes);
    model.stateBytes = number(attrs::stateBytes);
    if (Error error = weights())
      return error;
    if (auto checks = attrs::checks.of(module))
      for (auto text : checks.getAsRange<StringAttr>())
        model.checks.push_back(text.str());
    if (auto elements = attrs::checkElements.of(module))
      model.checkElements = elements.asArrayRef().vec();
    if (Error error = readGpu(module, model))
      return error;
    if (Error error = readMesh(module, model))
      return error;
    model.profile = attrs::profile.isOn(module);
    auto entries = attrs::entries.of(module);
    if (!entries || entries.empty())
      return bad("the module has no " + attrs::entries.name() +
                 ": nothing to call");
    for (StringRef used : {"create", "destroy", "info", "last_error",
                           "status_text", "ctx", "run"})
      functionNames.insert({(model.prefix + "_" + used).str(), 2});
    if (model.gpu)
      for (StringRef used : {"gpu", "run_device", "wait"})
        functionNames.insert({(model.prefix + "_" + used).str(), 2});
    if (model.mesh && (model.profile || model.gpu))
      return bad(attrs::mesh.name() + " goes neither with " +
                 attrs::profile.name() + " nor with a GPU");
    if (model.mesh)
      functionNames.insert({model.prefix + "_mesh", 2});
    if (model.profile)
      functionNames.insert({model.prefix + "_profile", 2});
    for (StringRef used :
         {"ARENA", "MAX_LIVE", "WEIGHTS", "ALIGN", "CTX", "ABI", "H"})
      macros.insert({(model.macro + "_" + used).str(), 2});
    if (model.stateBytes) {
      for (StringRef used : {"save", "restore", "init"})
        functionNames.insert({(model.prefix + "_" + used).str(), 2});
      macros.insert({model.macro + "_STATE", 2});
    }
    SmallVector<EntryAttr> all =
        llvm::to_vector(entries.getAsRange<EntryAttr>());
    size_t others =
        llvm::count_if(all, [](EntryAttr entry) { return !entry.getInit(); });
    if (entries.size() - others > 1)
      return bad(attrs::entries.name() +
                 " has two that give variables first values");
    model.plainRun = others == 1;
    // Signatures called `run` themselves.
    for (EntryAttr entry : all)
      if (cIdentifier(entry.getName()) == "run") {
        functionNames.erase(model.prefix + "_run");
        model.plainRun = false;
      }
    for (EntryAttr entry : all)
      if (Error error = function(entry, others == 1))
        return error;
    if (Error error = variables())
      return error;
    return std::move(model);
  }
};

} // namespace

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

std::string ModelInterface::creator() const {
  return gpu       ? "weir_gpu_model_create"
         : profile ? "weir_profile_create"
         : mesh    ? "weir_mesh_create"
                   : "weir_model_create";
}

std::string ModelInterface::runner() const {
  return gpu ? "weir_gpu_model_run" : mesh ? "weir_mesh_run" : "weir_model_run";
}

StringRef cType(weir_dtype dtype) { return dtypes[dtype - WEIR_F16].c; }

StringRef cEnumerator(weir_dtype dtype) {
  return dtypes[dtype - WEIR_F16].enumerator;
}

Expected<ModelInterface> readInterface(ModuleOp module, StringRef prefix) {
  return Reader{module, {}, {}, {}}.read(prefix);
}

} // namespace weir
