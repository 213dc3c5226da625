// Replaces what asks for a GPU in LLVM IR of kernels by calls of the simulator.

#include "compiler/emit/Simulate.h"

#include "dialects/weir/Records.h"

#include "compiler/emit/SimulatedPtx.h"
#include "passes/entry/DeviceMath.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace weir {
namespace {

Error fault(const Twine &message) {
  return createStringError(llvm::inconvertibleErrorCode(), message);
}

// The fields of weir_sim_thread, of 12 numbers and two addresses.
enum Field { Thread = 0, Block = 3, Threads = 6, Blocks = 9 };
constexpr uint64_t sharedAt = 48;
constexpr unsigned sharedSpace = 3;

/// The number of a thread's that an intrinsic asks for.
std::optional<unsigned> fieldOf(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return Thread;
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return Thread + 1;
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return Thread + 2;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return Block;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return Block + 1;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return Block + 2;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return Threads;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return Threads + 1;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return Threads + 2;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return Blocks;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return Blocks + 1;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return Blocks + 2;
  default:
    return std::nullopt;
  }
}

/// One kernel as a function of (list of arguments, thread).
class Simulated {
public:
  Simulated(Function &kernel) : kernel(kernel), module(*kernel.getParent()) {}

  Expected<Constant *> run() {
    LLVMContext &context = module.getContext();
    auto *pointer = PointerType::get(context, 0);
    auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer},
                                   /*isVarArg=*/false);
    std::string name = kernel.getName().str();
    kernel.setName(name + ".gpu");
    code = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    code->splice(code->begin(), &kernel);
    thread = code->getArg(1);
    IRBuilder<> b(&*code->getEntryBlock().getFirstInsertionPt());
    for (Argument &argument : kernel.args()) {
      Value *slot = b.CreateLoad(
          pointer, at(b, code->getArg(0), 8 * argument.getArgNo()));
      argument.replaceAllUsesWith(b.CreateLoad(argument.getType(), slot));
    }
    allocateShared(b);
    if (Error error = replaceIntrinsics())
      return std::move(error);
    kernel.eraseFromParent();
    auto *i32 = Type::getInt32Ty(context);
    return ConstantStruct::getAnon({code, ConstantInt::get(i32, sharedBytes),
                                    ConstantInt::get(i32, hasBarriers)});
  }

private:
  static Value *at(IRBuilder<> &b, Value *base, uint64_t offset) {
    return b.CreateConstGEP1_64(b.getInt8Ty(), base, offset);
  }

  /// Shared memory is where the thread says, one variable after the other, and
  /// behind them all what has no size here but at each launch.
  void allocateShared(IRBuilder<> &b) {
    for (bool hasSize : {true, false})
      for (GlobalVariable &variable : module.globals())
        if (variable.getAddressSpace() == sharedSpace &&
            variable.hasInitializer() == hasSize)
          allocateShared(b, variable);
  }

  void allocateShared(IRBuilder<> &b, GlobalVariable &variable) {
    Constant *constant = &variable;
    convertUsersOfConstantsToInstructions(constant);
    SmallVector<Use *> uses;
    for (Use &use : variable.uses())
      if (auto *user = dyn_cast<Instruction>(use.getUser()))
        if (user->getFunction() == code)
          uses.push_back(&use);
    if (uses.empty())
      return;
    sharedBytes = alignTo(sharedBytes, variable.getAlign().valueOrOne());
    Value *shared = b.CreateLoad(b.getPtrTy(), at(b, thread, sharedAt));
    Value *slot =
        b.CreateAddrSpaceCast(at(b, shared, sharedBytes), variable.getType());
    for (Use *use : uses)
      use->set(slot);
    sharedBytes +=
        module.getDataLayout().getTypeAllocSize(variable.getValueType());
  }

  Error replaceIntrinsics() {
    SmallVector<CallInst *> calls;
    for (Instruction &instruction : instructions(*code))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (call->isInlineAsm() ||
            (isa<IntrinsicInst>(call) &&
             call->getCalledFunction()->getName().starts_with("llvm.nvvm.")))
          calls.push_back(call);
    for (CallInst *call : calls) {
      IRBuilder<> b(call);
      auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      Value *result =
          intrinsic ? replacement(b, *intrinsic) : simulatePtx(*call, thread);
      if (!result)
        return fault("the simulator has no '" + nameOf(*call) + "'");
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(result);
      call->eraseFromParent();
    }
    return Error::success();
  }

  static StringRef nameOf(CallInst &call) {
    if (auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
      return text->getAsmString();
    return call.getCalledFunction()->getName();
  }

  Value *replacement(IRBuilder<> &b, IntrinsicInst &call) {
    if (std::optional<unsigned> field = fieldOf(call.getIntrinsicID()))
      return b.CreateLoad(b.getInt32Ty(), at(b, thread, 4 * *field));
    switch (call.getIntrinsicID()) {
    case Intrinsic::nvvm_barrier0:
      hasBarriers = true;
      return b.CreateCall(module.getOrInsertFunction(
                              "weir_sim_barrier", b.getVoidTy(), b.getPtrTy()),
                          thread);
    case Intrinsic::nvvm_shfl_sync_bfly_f32:
    case Intrinsic::nvvm_shfl_sync_bfly_i32: {
      hasBarriers = true;
      Value *lane = b.CreateAnd(
          b.CreateLoad(b.getInt32Ty(), at(b, thread, 4 * Thread)), 31);
      Value *value = b.CreateBitCast(call.getArgOperand(1), b.getInt32Ty());
      value = b.CreateCall(
          module.getOrInsertFunction("weir_sim_shuffle", b.getInt32Ty(),
                                     b.getPtrTy(), b.getInt32Ty(),
                                     b.getInt32Ty()),
          {thread, value, b.CreateXor(lane, call.getArgOperand(2))});
      return b.CreateBitCast(value, call.getType());
    }
    case Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32:
      return multiply(b, call, F16);
    case Intrinsic::nvvm_mma_m16n8k16_row_col_bf16:
      return multiply(b, call, Bf16);
    case Intrinsic::nvvm_mma_m16n8k8_row_col_tf32:
      return multiply(b, call, Tf32);
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16:
      return loadMatrices(b, call, /*transposed=*/false);
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16:
      return loadMatrices(b, call, /*transposed=*/true);
    case Intrinsic::nvvm_cp_async_ca_shared_global_4:
    case Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
      return copy(b, call, 4);
    case Intrinsic::nvvm_cp_async_ca_shared_global_8:
    case Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
      return copy(b, call, 8);
    case Intrinsic::nvvm_cp_async_cg_shared_global_16:
    case Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
      return copy(b, call, 16);
    case Intrinsic::nvvm_cp_async_commit_group:
      return b.CreateCall(module.getOrInsertFunction("weir_sim_end_group",
                                                     b.getVoidTy(),
                                                     b.getPtrTy()),
                          thread);
    case Intrinsic::nvvm_cp_async_wait_group:
      return b.CreateCall(
          module.getOrInsertFunction("weir_sim_wait", b.getVoidTy(),
                                     b.getPtrTy(), b.getInt32Ty()),
          {thread, call.getArgOperand(0)});
    case Intrinsic::nvvm_ex2_approx_ftz_f:
      return b.CreateUnaryIntrinsic(Intrinsic::exp2, call.getArgOperand(0));
    case Intrinsic::nvvm_f2tf32_rna:
      return b.CreateCall(module.getOrInsertFunction("weir_sim_round_tf32",
                                                     b.getInt32Ty(),
                                                     b.getFloatTy()),
                          call.getArgOperand(0));
    default:
      return nullptr;
    }
  }

  /// A pointer as functions of the CPU take it.
  static Value *plain(IRBuilder<> &b, Value *pointer) {
    return b.CreateAddrSpaceCast(pointer, b.getPtrTy());
  }

  Value *copy(IRBuilder<> &b, IntrinsicInst &call, unsigned bytes) {
    hasBarriers = true;
    Value *all = b.getInt32(bytes);
    Value *valid = call.arg_size() == 3 ? call.getArgOperand(2) : all;
    return b.CreateCall(
        module.getOrInsertFunction("weir_sim_copy", b.getVoidTy(), b.getPtrTy(),
                                   b.getPtrTy(), b.getPtrTy(), b.getInt32Ty(),
                                   b.getInt32Ty()),
        {thread, plain(b, call.getArgOperand(0)),
         plain(b, call.getArgOperand(1)), all, valid});
  }

  /// Four words come by way of memory.
  Value *loadMatrices(IRBuilder<> &b, IntrinsicInst &call, bool transposed) {
    hasBarriers = true;
    IRBuilder<> entry(&*code->getEntryBlock().getFirstInsertionPt());
    Value *words = entry.CreateAlloca(ArrayType::get(b.getInt32Ty(), 4));
    b.CreateCall(module.getOrInsertFunction(
                     "weir_sim_load_matrices", b.getVoidTy(), b.getPtrTy(),
                     b.getPtrTy(), b.getInt32Ty(), b.getPtrTy()),
                 {thread, plain(b, call.getArgOperand(0)),
                  b.getInt32(transposed), words});
    Value *result = PoisonValue::get(call.getType());
    for (unsigned i = 0; i < 4; ++i)
      result = b.CreateInsertValue(
          result, b.CreateLoad(b.getInt32Ty(), at(b, words, 4 * i)), i);
    return result;
  }

  /// Six words and four sums pass through memory.
  Value *multiply(IRBuilder<> &b, IntrinsicInst &call, Factors kind) {
    hasBarriers = true;
    auto *i32 = b.getInt32Ty();
    auto *words = ArrayType::get(i32, 6),
         *sums = ArrayType::get(b.getFloatTy(), 4);
    IRBuilder<> entry(&*code->getEntryBlock().getFirstInsertionPt());
    Value *sides = entry.CreateAlloca(words), *slot = entry.CreateAlloca(sums);
    for (unsigned i = 0; i < 10; ++i) {
      Value *operand = call.getArgOperand(i);
      b.CreateStore(operand,
                    i < 6 ? at(b, sides, 4 * i) : at(b, slot, 4 * (i - 6)));
    }
    b.CreateCall(module.getOrInsertFunction("weir_sim_multiply", b.getVoidTy(),
                                            b.getPtrTy(), i32, b.getPtrTy(),
                                            b.getPtrTy()),
                 {thread, b.getInt32(kind), sides, slot});
    Value *result = PoisonValue::get(call.getType());
    for (unsigned i = 0; i < 4; ++i)
      result = b.CreateInsertValue(
          result, b.CreateLoad(b.getFloatTy(), at(b, slot, 4 * i)), i);
    return result;
  }

  Function &kernel;
  Module &module;
  Function *code = nullptr;
  Value *thread = nullptr;
  uint64_t sharedBytes = 0;
  bool hasBarriers = false;
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> takeSimulatedKernels(mlir::ModuleOp source) {
  auto kernels = source.lookupSymbol<mlir::ModuleOp>("weir_gpu_kernels");
  if (kernels)
    kernels->remove();
  return kernels;
}

Error simulateKernels(mlir::ModuleOp kernels, mlir::ArrayAttr names,
                      StringRef prefix, Module &to) {
  mlir::registerNVVMDialectTranslation(*kernels.getContext());
  auto module = mlir::translateModuleToLLVMIR(kernels, to.getContext(), "gpu");
  if (!module)
    return fault("the kernels do not translate to LLVM IR");
  module->setTargetTriple(to.getTargetTriple());
  module->setDataLayout(to.getDataLayout());
  if (!entry::linkDeviceMath(*module))
    return fault("the functions of devices do not link");
  if (NamedMDNode *notes = module->getNamedMetadata("nvvm.annotations"))
    notes->eraseFromParent();
  SmallVector<Constant *> table;
  for (auto row : names.getAsRange<GpuKernelAttr>()) {
    StringRef name = row.getName();
    Function *kernel = module->getFunction(name);
    if (!kernel)
      return fault("there is no kernel '" + name + "'");
    auto simulated = Simulated(*kernel).run();
    if (!simulated)
      return simulated.takeError();
    cast<Function>((*simulated)->getOperand(0))->setName(prefix + name);
    table.push_back(*simulated);
  }
  SmallVector<GlobalVariable *> shared;
  for (GlobalVariable &variable : module->globals())
    if (variable.getAddressSpace() == sharedSpace)
      shared.push_back(&variable);
    else if (!variable.hasLocalLinkage())
      variable.setName(prefix + variable.getName());
  for (GlobalVariable *variable : shared)
    if (variable->use_empty())
      variable->eraseFromParent();
  auto *pointer = PointerType::get(to.getContext(), 0);
  auto *i32 = Type::getInt32Ty(to.getContext());
  auto *row = StructType::get(to.getContext(), {pointer, i32, i32});
  auto *type = ArrayType::get(row, table.size());
  new GlobalVariable(*module, type, /*isConstant=*/true,
                     GlobalValue::ExternalLinkage,
                     ConstantArray::get(type, table), "weir_sim_kernels");
  if (Linker::linkModules(to, std::move(module)))
    return fault("the kernels do not link with the model");
  return Error::success();
}

} // namespace weir
