// What a profiled library has beside: the structs of runtime/profile, field by
// field, and NAME_profile.

#include "compiler/emit/Tables.h"
#include "compiler/emit/tables/Constants.h"

#include "dialects/weir/Records.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace weir {
namespace {

class Builder : public ConstantBuilder {
public:
  Builder(Module &module, GlobalVariable &table)
      : ConstantBuilder(module), table(table) {}

  /// The tasks of an instruction-set variant, a weir_profile_level.
  Expected<Constant *> level(mlir::ArrayAttr all, size_t numFunctions) {
    SmallVector<Constant *> tasks;
    for (mlir::Attribute each :
         all ? all.getValue() : ArrayRef<mlir::Attribute>()) {
      auto task = mlir::cast<ProfileTaskAttr>(each);
      if (static_cast<size_t>(task.getEntry()) >= numFunctions)
        return createStringError("a profile has a task of function " +
                                 Twine(task.getEntry()) + ", which is absent");
      tasks.push_back(taskOf(task));
    }
    return ConstantStruct::getAnon(
        context, {list(tasks, globals::tasks), int64(tasks.size())});
  }

  /// weir_profile_info, whose functions have the model's table as their first
  /// argument.
  Expected<Constant *> info(bool isOfGpu) {
    prefix = isOfGpu ? "weir_gpu_profile_" : "weir_profile_";
    return record({"tasks", "read", "reset", "trace", "events"},
                  {{ptr, ptr, ptr},
                   {ptr, ptr, i32, ptr},
                   {ptr},
                   {ptr, ptr, i64},
                   {ptr, i32, ptr, ptr}});
  }

private:
  Constant *taskOf(ProfileTaskAttr task) {
    SmallVector<Constant *> nodes;
    for (auto node : task.getNodes().getAsRange<mlir::StringAttr>())
      nodes.push_back(text(node.getValue()));
    return ConstantStruct::getAnon(
        context,
        {int32(task.getEntry()), int32(task.getPhase()), text(task.getKernel()),
         list(nodes, globals::nodes), int64(nodes.size()),
         int64(static_cast<uint64_t>(task.getBytesRead())),
         int64(static_cast<uint64_t>(task.getBytesWritten())),
         int64(static_cast<uint64_t>(task.getMultiplyAdds()))});
  }

  /// Text that C reads up to its first NUL, in UTF-8 as JSON wants it; equal
  /// texts once.
  Constant *text(StringRef value) {
    Constant *&known = texts[value];
    if (known)
      return known;
    std::string plain = json::fixUTF8(value);
    std::replace(plain.begin(), plain.end(), '\0', '?');
    return known = ConstantBuilder::text(plain);
  }

  Expected<Constant *> record(ArrayRef<StringRef> names,
                              ArrayRef<SmallVector<Type *>> parameters) {
    SmallVector<Constant *> functions;
    for (auto [name, types] : zip_equal(names, parameters)) {
      Function *callee = module.getFunction((prefix + name).str());
      if (!callee)
        return createStringError("the runtime lacks " + prefix + name);
      auto *function = Function::Create(FunctionType::get(i32, types, false),
                                        GlobalValue::InternalLinkage,
                                        globals::profile + "_" + name, module);
      IRBuilder<> b(BasicBlock::Create(context, "", function));
      SmallVector<Value *> arguments{&table};
      for (Argument &argument : function->args())
        arguments.push_back(&argument);
      b.CreateRet(b.CreateCall(callee, arguments));
      functions.push_back(function);
    }
    return constant(ConstantStruct::getAnon(context, functions),
                    globals::profile);
  }

  GlobalVariable &table;
  StringMap<Constant *> texts;
  StringRef prefix; // of the runtime's functions
};

} // namespace

size_t countTasks(const TableOptions &options) {
  size_t most = 0;
  for (const IsaVariantOptions &isaVariant : options.isaVariants)
    if (isaVariant.tasks)
      most = std::max(most, isaVariant.tasks.size());
  return most;
}

uint64_t countEvents(const TableOptions &options, size_t numFunctions) {
  std::vector<uint64_t> events(numFunctions, 2);
  for (const IsaVariantOptions &isaVariant : options.isaVariants)
    if (isaVariant.tasks)
      for (auto task : isaVariant.tasks.getAsRange<ProfileTaskAttr>())
        if (static_cast<size_t>(task.getEntry()) < numFunctions)
          events[task.getEntry()] += 2;
  return *std::max_element(events.begin(), events.end());
}

Error addProfile(Module &module, const ModelInterface &model,
                 const TableOptions &options, GlobalVariable &table,
                 SmallVectorImpl<Constant *> &values) {
  Builder builder(module, table);
  SmallVector<Constant *> levels;
  for (const IsaVariantOptions &isaVariant : options.isaVariants) {
    auto level = builder.level(isaVariant.tasks, model.functions.size());
    if (!level)
      return level.takeError();
    levels.push_back(*level);
  }
  values.append({builder.list(levels, globals::profileLevels),
                 builder.int64(options.profileAt),
                 builder.int64(countTasks(options))});
  Expected<Constant *> info = builder.info(model.gpu);
  if (!info)
    return info.takeError();
  auto *type = FunctionType::get(PointerType::get(module.getContext(), 0), {},
                                 /*isVarArg=*/false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage,
                                    model.prefix + "_profile", module);
  IRBuilder<>(BasicBlock::Create(module.getContext(), "", function))
      .CreateRet(*info);
  return Error::success();
}

} // namespace weir
