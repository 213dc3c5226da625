// Links the math functions of runtime/device into kernels, which have no libm.

#include "passes/entry/DeviceMath.h"

// The header changes with the embedded file; ccache does not see files that the
// assembler reads.
#include "passes/entry/Embedded.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

// clang-format off
__asm__(".pushsection .rodata\n.balign 16\n.hidden weir_device_math_begin\n"
        "weir_device_math_begin:\n.incbin \"" WEIR_DEVICE_MATH "\"\n"
        ".hidden weir_device_math_end\nweir_device_math_end:\n.byte 0\n"
        ".popsection\n");
// clang-format on
extern "C" const char weir_device_math_begin[], weir_device_math_end[];

namespace weir::entry {
namespace {

constexpr StringLiteral names[] = {
    "acos",  "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt",
    "cos",   "cosh",  "erf",  "exp",   "exp2", "expm1", "fmod",  "log",
    "log10", "log1p", "log2", "pow",   "sin",  "sinh",  "tan",   "tanh"};

/// The name of the libm function that an instruction calls, or an empty name.
StringRef functionOf(const Instruction &instruction) {
  if (instruction.getOpcode() == Instruction::FRem)
    return "fmod";
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration())
    return {};
  switch (callee->getIntrinsicID()) {
  case Intrinsic::exp:
    return "exp";
  case Intrinsic::exp2:
    return "exp2";
  case Intrinsic::log:
    return "log";
  case Intrinsic::log2:
    return "log2";
  case Intrinsic::log10:
    return "log10";
  case Intrinsic::sin:
    return "sin";
  case Intrinsic::cos:
    return "cos";
  case Intrinsic::tan:
    return "tan";
  case Intrinsic::pow:
  case Intrinsic::powi:
    return "pow";
  case Intrinsic::not_intrinsic:
    break;
  default:
    return {};
  }
  StringRef name = callee->getName();
  if (!is_contained(names, name) && !name.consume_back("f"))
    return {};
  return is_contained(names, name) ? name : StringRef();
}

void replace(Instruction &instruction, StringRef name) {
  Module &module = *instruction.getModule();
  IRBuilder<> b(&instruction);
  auto *call = dyn_cast<CallInst>(&instruction);
  SmallVector<Value *> operands;
  for (Value *operand : call ? SmallVector<Value *>(call->args())
                             : SmallVector<Value *>(instruction.operands()))
    operands.push_back(operand->getType()->isIntegerTy()
                           ? b.CreateSIToFP(operand, b.getDoubleTy())
                           : b.CreateFPCast(operand, b.getDoubleTy()));
  auto *type = FunctionType::get(
      b.getDoubleTy(), SmallVector<Type *>(operands.size(), b.getDoubleTy()),
      /*isVarArg=*/false);
  FunctionCallee callee =
      module.getOrInsertFunction(("weir_device_" + name).str(), type);
  instruction.replaceAllUsesWith(
      b.CreateFPCast(b.CreateCall(callee, operands), instruction.getType()));
  instruction.eraseFromParent();
}

} // namespace

bool linkDeviceMath(Module &module) {
  SmallVector<std::pair<Instruction *, StringRef>> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (StringRef name = functionOf(instruction);
          !name.empty() && !instruction.getType()->isVectorTy())
        found.push_back({&instruction, name});
  if (found.empty())
    return true;
  for (auto [instruction, name] : found)
    replace(*instruction, name);
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  StringRef bytes(weir_device_math_begin,
                  weir_device_math_end - weir_device_math_begin);
  auto math =
      parseBitcodeFile(MemoryBufferRef(bytes, "math"), module.getContext());
  if (!math) {
    consumeError(math.takeError());
    return false;
  }
  (*math)->setTargetTriple(module.getTargetTriple());
  (*math)->setDataLayout(module.getDataLayout());
  // These flags describe the target of the C compiler, not the GPU.
  if (NamedMDNode *flags = (*math)->getModuleFlagsMetadata())
    flags->eraseFromParent();
  if (NamedMDNode *ident = (*math)->getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
  for (Function &function : **math)
    for (StringRef attribute : {"target-cpu", "target-features", "tune-cpu",
                                "frame-pointer", "no-builtins"})
      function.removeFnAttr(attribute);
  if (Linker::linkModules(module, std::move(*math), Linker::LinkOnlyNeeded))
    return false;
  for (Function &function : module)
    if (!function.isDeclaration() &&
        function.getName().starts_with("weir_device_"))
      function.setLinkage(GlobalValue::InternalLinkage);
  return true;
}

} // namespace weir::entry
