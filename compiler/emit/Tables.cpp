// The C side of a model, built in LLVM IR. The structs are those of
// runtime/weir.h and runtime/abi.h, field by field.

#include "compiler/emit/Tables.h"

#include "compiler/emit/Weights.h"
#include "compiler/emit/tables/Constants.h"

#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace weir {
namespace {

struct Builder : ConstantBuilder {
  const ModelInterface &model;
  const TableOptions &options;
  GlobalVariable *table = nullptr;
  std::string missing = {};

  Function *runtime(StringRef name) {
    Function *function = module.getFunction(name);
    if (!function)
      missing = name.str();
    return function;
  }

  Constant *int64s(ArrayRef<int64_t> values, StringRef name) {
    SmallVector<Constant *> items;
    for (int64_t value : values)
      items.push_back(int64(value));
    return list(items, name);
  }
  Constant *shapeOf(mlir::RankedTensorType type) {
    return int64s(type.getShape(), globals::shape);
  }
  Constant *texts(ArrayRef<std::string> strings, StringRef name) {
    SmallVector<Constant *> items;
    for (StringRef string : strings)
      items.push_back(cText(string));
    return list(items, name);
  }

  Constant *tensors(ArrayRef<TensorInterface> all) {
    SmallVector<Constant *> items;
    for (const TensorInterface &one : all) {
      items.push_back(record(
          {cText(one.name), cText(one.tensor), int32(one.dtype),
           int32(one.type.getRank()), shapeOf(one.type), int64(one.elements),
           int64(one.bytes), int64(one.shapeTensor),
           one.shapeTensor < 0 ? null() : int64s(one.least, globals::least),
           one.shapeTensor < 0 ? null() : texts(one.dims, globals::dims),
           int64(one.strings.size()),
           one.strings.empty() ? null()
                               : texts(one.strings, globals::strings)}));
    }
    return list(items, globals::tensors);
  }

  Constant *variables() {
    SmallVector<Constant *> items;
    for (const VariableInterface &one : model.variables) {
      items.push_back(
          record({cText(one.name), cText(one.key), int32(one.dtype),
                  int32(one.type.getRank()), shapeOf(one.type),
                  int64(one.elements), int64(one.bytes), int64(one.offset)}));
    }
    return list(items, globals::variables);
  }

  /// What weir_role each function has.
  Constant *roles() {
    if (model.variables.empty())
      return null();
    SmallVector<uint8_t> all;
    for (const FunctionInterface &function : model.functions)
      all.push_back(function.isInit ? 2 : function.usesState ? 1 : 0);
    return constant(ConstantDataArray::get(context, all), globals::roles);
  }

  /// The function that gives a variable's address.
  bool accessor(const VariableInterface &variable, unsigned index) {
    Function *callee =
        runtime(model.gpu ? "weir_gpu_model_variable" : "weir_model_variable");
    if (!callee)
      return false;
    Function *f = define(variable.c, ptr, {ptr});
    IRBuilder<> b(&f->getEntryBlock());
    b.CreateRet(b.CreateCall(callee, {table, f->getArg(0), int32(index)}));
    return true;
  }

  Function *define(StringRef name, Type *result, ArrayRef<Type *> parameters) {
    auto *type = FunctionType::get(result, parameters, false);
    auto *function =
        Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    BasicBlock::Create(context, "", function);
    return function;
  }

  /// `name`, calling the runtime's `to` with the model's table before its own
  /// arguments, and behind them `last`, unless that is null.
  Function *forward(StringRef name, StringRef to, Type *result,
                    ArrayRef<Type *> parameters, Function *last = nullptr) {
    Function *callee = runtime(to);
    if (!callee)
      return nullptr;
    Function *function = define(name, result, parameters);
    IRBuilder<> b(&function->getEntryBlock());
    SmallVector<Value *> arguments{table};
    for (Argument &argument : function->args())
      arguments.push_back(&argument);
    if (last)
      arguments.push_back(last);
    CallInst *call = b.CreateCall(callee, arguments);
    if (result->isVoidTy())
      b.CreateRetVoid();
    else
      b.CreateRet(call);
    return function;
  }

  /// A signature's function: typed, or of a list; on a device with a stream.
  Function *typed(const FunctionInterface &function, unsigned index,
                  StringRef to, bool device) {
    Function *callee = runtime(to);
    if (!callee)
      return nullptr;
    unsigned count = function.numTensors();
    unsigned given = function.takesList() ? 1 : count;
    Function *f = define(device ? function.device : function.c, i32,
                         SmallVector<Type *>(1 + given + device, ptr));
    IRBuilder<> b(&f->getEntryBlock());
    Value *tensors = f->getArg(given ? 1 : 0);
    if (!function.takesList()) {
      auto *type = ArrayType::get(ptr, std::max(count, 1u));
      tensors = b.CreateAlloca(type);
      for (unsigned i = 0; i < count; ++i)
        b.CreateStore(f->getArg(i + 1),
                      b.CreateConstInBoundsGEP2_32(type, tensors, 0, i));
    }
    SmallVector<Value *> arguments{table, f->getArg(0), int32(index), tensors,
                                   int32(count)};
    if (device)
      arguments.push_back(f->getArg(given + 1));
    b.CreateRet(b.CreateCall(callee, arguments));
    return f;
  }

  /// weir_gpu_info, and what gives it.
  Constant *gpu() {
    std::string n = model.prefix;
    SmallVector<Constant *> images, kernels, flags;
    for (const GpuImage &image : model.images) {
      auto *data = cast<GlobalVariable>(
          constant(ConstantDataArray::getString(context, image.data),
                   image.cubin ? globals::cubin : globals::ptx));
      data->setAlignment(Align(64));
      images.push_back(record({int32(image.cubin ? 2 : 1), int32(image.sm),
                               int32(image.specific), int32(0), data,
                               int64(image.data.size() + !image.cubin)}));
    }
    for (const GpuKernel &kernel : model.kernels)
      kernels.push_back(
          record({cText(kernel.name), int64(kernel.sharedBytes)}));
    for (const FunctionInterface &function : model.functions) {
      Function *f = typed(function, flags.size(), "weir_gpu_model_run_device",
                          /*device=*/true);
      if (f && model.plainRun)
        GlobalAlias::create(n + "_run_device", f);
      flags.push_back(int32(function.capturable));
    }
    Function *run = forward(globals::runDevice, "weir_gpu_model_run_device",
                            i32, {ptr, i32, ptr, i32, ptr});
    Function *wait = forward(n + "_wait", "weir_gpu_model_wait", i32, {ptr});
    Function *tensor = forward(globals::deviceTensor, "weir_gpu_model_tensor",
                               ptr, {ptr, i32, i32});
    if (!run || !wait || !tensor)
      return null();
    run->setLinkage(GlobalValue::InternalLinkage);
    tensor->setLinkage(GlobalValue::InternalLinkage);
    Constant *info = constant(
        record({int32(images.size()), int32(kernels.size()),
                list(images, globals::images), list(kernels, globals::kernels),
                list(flags, globals::flags), run, wait, tensor}),
        globals::gpu);
    IRBuilder<>(&define(n + "_gpu", ptr, {})->getEntryBlock()).CreateRet(info);
    return info;
  }

  /// The entry of a model without variables, called as those with are.
  Function *withState(Function *entry) {
    Function *function = define(entry->getName().str() + ".plain", i32,
                                SmallVector<Type *>(5, ptr));
    function->setLinkage(GlobalValue::InternalLinkage);
    IRBuilder<> b(&function->getEntryBlock());
    Argument *first = function->arg_begin();
    b.CreateRet(b.CreateCall(entry, {first, first + 1, first + 2, first + 3}));
    return function;
  }

  Expected<Constant *> isaVariantOf(const IsaVariantOptions &isaVariant) {
    SmallVector<Constant *> entries, cpu;
    for (const FunctionInterface &function : model.functions) {
      Function *entry =
          module.getFunction(isaVariant.symbols + function.symbol);
      if (!entry || entry->isDeclaration() || entry->arg_size() < 4 ||
          entry->arg_size() > 5 || entry->getReturnType() != i32)
        return createStringError("entry '" + function.symbol +
                                 "' is not i32 (ptr, ptr, ptr, ptr)");
      entries.push_back(entry->arg_size() == 5 || model.gpu ? entry
                                                            : withState(entry));
    }
    for (unsigned i = 0; i < 8; ++i)
      cpu.push_back(int32(i < isaVariant.cpu.size() ? isaVariant.cpu[i] : 0));
    return record({list(entries, globals::entries),
                   ConstantArray::get(ArrayType::get(i32, 8), cpu)});
  }

  Error build() {
    uint64_t fingerprint =
        model.mesh ? fingerprintOf(module, model, options.weightsHash) : 0;
    SmallVector<Type *> fields{ptr, ptr, ptr, i64, ptr, i64, ptr, ptr, ptr};
    if (model.profile)
      fields.append({ptr, i64, i64});
    if (model.mesh)
      fields.append({ptr, i64});
    if (model.gpu)
      fields.append({ptr, ptr, i64, ptr, i64, ptr, i64, i64, i64});
    if (model.gpu && model.profile)
      fields.push_back(i64);
    auto *tableType = StructType::get(context, fields);
    table = new GlobalVariable(module, tableType, true,
                               GlobalValue::InternalLinkage, nullptr,
                               globals::model);

    std::string n = model.prefix;
    std::string to = model.gpu ? "weir_gpu_" : "weir_";
    Function *create =
        forward(n + "_create", model.creator(), i32, {ptr, ptr, ptr});
    Function *destroy = forward(n + "_destroy", to + "model_destroy",
                                Type::getVoidTy(context), {ptr});
    Function *lastError =
        forward(n + "_last_error", to + "model_last_error", ptr, {ptr});
    Function *run =
        forward(globals::run, model.runner(), i32, {ptr, i32, ptr, i32});
    Function *text = runtime(to + "status_text");
    if (!create || !destroy || !lastError || !run || !text)
      return createStringError("the runtime lacks " + missing);
    run->setLinkage(GlobalValue::InternalLinkage);
    Function *statusText = define(n + "_status_text", ptr, {i32});
    IRBuilder<> b(&statusText->getEntryBlock());
    b.CreateRet(b.CreateCall(text, {statusText->getArg(0)}));

    SmallVector<Constant *> functions, checks, isaVariants, names;
    for (auto [isaVariant, name] :
         zip_equal(options.isaVariants, model.isaVariants)) {
      Expected<Constant *> one = isaVariantOf(isaVariant);
      if (!one)
        return one.takeError();
      isaVariants.push_back(*one);
      names.push_back(cText(name));
    }
    for (const FunctionInterface &function : model.functions) {
      Function *typedFunction =
          typed(function, functions.size(), model.runner(), /*device=*/false);
      if (model.isRun(function))
        GlobalAlias::create(n + "_run", typedFunction);
      functions.push_back(
          record({cText(function.name), cText(function.c),
                  int32(function.inputs.size()), int32(function.outputs.size()),
                  tensors(function.inputs), tensors(function.outputs)}));
    }
    for (const std::string &check : model.checks)
      checks.push_back(cText(check));

    Constant *state = null(), *save = null(), *restore = null();
    if (!model.variables.empty()) {
      Function *base = forward(globals::state, to + "model_state", ptr, {ptr});
      state = base;
      // A GPU's copies the variables and leaves the files to the other's.
      auto checkpoint = [&](StringRef name) {
        std::string host = ("weir_model" + name).str();
        bool isOfAll = model.mesh && model.mesh->savesTogether();
        return forward(n + name.str(),
                       model.gpu ? ("weir_gpu_model" + name).str()
                       : isOfAll ? ("weir_mesh" + name).str()
                                 : host,
                       i32, {ptr, ptr}, model.gpu ? runtime(host) : nullptr);
      };
      save = checkpoint("_save");
      restore = checkpoint("_restore");
      unsigned index = 0;
      for (const VariableInterface &variable : model.variables)
        if (!base || !save || !restore || !accessor(variable, index++))
          return createStringError("the runtime lacks " + missing);
      base->setLinkage(GlobalValue::InternalLinkage);
    }
    auto init = find_if(model.functions, [](const FunctionInterface &function) {
      return function.isInit;
    });
    uint32_t initNumber =
        init == model.functions.end() ? 0 : init - model.functions.begin() + 1;

    SmallVector<Constant *> about{
        int32(WEIR_ABI_VERSION),
        int32(functions.size()),
        list(functions, globals::functions),
        cText(n),
        cText(model.source),
        cText(model.target),
        cText("weir 0.1.0"),
        options.weightsFile.empty() ? null() : cText(options.weightsFile)};
    for (int64_t bytes : {model.arenaBytes, model.maxLiveBytes,
                          model.weightsBytes, int64_t(options.contextBytes)})
      about.push_back(int64(bytes));
    about.append({int64(64), create, run, lastError, destroy, statusText});
    about.append({int32(model.threads), int32(names.size()),
                  list(names, globals::levelNames), int64(model.stateBytes),
                  int32(model.variables.size()), int32(initNumber), variables(),
                  state, save, restore});
    Constant *info = constant(record(about), globals::info);
    Function *infoFunction = define(n + "_info", ptr, {});
    IRBuilder<>(&infoFunction->getEntryBlock()).CreateRet(info);

    SmallVector<Constant *> values{
        info,
        list(isaVariants, globals::levels),
        list(checks, globals::checks),
        int64(checks.size()),
        model.weightsBytes && options.weightsFile.empty()
            ? addWeightsSlot(module, model.weightsBytes)
            : null(),
        int64(options.weightsHash),
        roles(),
        addSliceTable(module, model),
        int64s(model.checkElements, globals::elements)};
    if (model.profile)
      if (Error error = addProfile(module, model, options, *table, values))
        return error;
    if (model.mesh)
      addMesh(module, model, options, fingerprint, values);
    if (model.gpu)
      values.append(
          {gpu(), addGemmTable(module, model), int64(model.gemms.size()),
           addConvTable(module, model), int64(model.convs.size()),
           addAttentionTable(module, model), int64(model.attentions.size()),
           int64(options.contextAt), int64(model.hostBytes)});
    if (model.gpu && model.profile)
      values.push_back(int64(options.numEvents));
    if (!missing.empty())
      return createStringError("the runtime lacks " + missing);
    table->setInitializer(ConstantStruct::get(tableType, values));
    return Error::success();
  }
};

} // namespace

Error addTables(Module &module, const ModelInterface &model,
                const TableOptions &options) {
  return Builder{ConstantBuilder(module), model, options}.build();
}

} // namespace weir
