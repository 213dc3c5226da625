// The main of an executable: weir-run with the model in place of a library.

#include "compiler/emit/Object.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace weir {

Error addMain(Module &module, const ModelInterface &model) {
  Function *info = module.getFunction(model.prefix + "_info");
  Function *profile = module.getFunction(model.prefix + "_profile");
  Function *run =
      module.getFunction(profile ? "weir_run_profiled" : "weir_run_main");
  if (!info || !run)
    return createStringError("there is no main for executables of this target");
  auto *i32 = Type::getInt32Ty(module.getContext());
  auto *ptr = PointerType::get(module.getContext(), 0);
  auto *main = Function::Create(FunctionType::get(i32, {i32, ptr}, false),
                                GlobalValue::ExternalLinkage, "main", module);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "", main));
  SmallVector<Value *> arguments{main->getArg(0), main->getArg(1),
                                 b.CreateCall(info)};
  if (profile)
    arguments.push_back(b.CreateCall(profile));
  b.CreateRet(b.CreateCall(run, arguments));
  return Error::success();
}

} // namespace weir
