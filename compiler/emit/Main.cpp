// The main of an executable: weir-run with the model in place of a library.

#include "compiler/emit/Object.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace weir {

Error addMain(Module &module, const ModelInterface &model) {
  Function *info = module.getFunction(model.prefix + "_info");
  Function *run = module.getFunction("weir_run_main");
  if (!info || !run)
    return createStringError("there is no main for executables of this target");
  auto *i32 = Type::getInt32Ty(module.getContext());
  auto *ptr = PointerType::get(module.getContext(), 0);
  auto *main = Function::Create(FunctionType::get(i32, {i32, ptr}, false),
                                GlobalValue::ExternalLinkage, "main", module);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "", main));
  b.CreateRet(b.CreateCall(
      run, {main->getArg(0), main->getArg(1), b.CreateCall(info)}));
  return Error::success();
}

} // namespace weir
