// Calls of the simulator for what wgmma's instructions do.

#include "compiler/emit/SimulatedPtx.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace weir {
namespace {

class Instruction {
public:
  Instruction(CallInst &call, Value *thread)
      : b(&call), call(call), thread(thread) {}

  Value *replace() {
    StringRef text = cast<InlineAsm>(call.getCalledOperand())->getAsmString();
    if (text == "fence.proxy.async.shared::cta;")
      return simulate("weir_sim_publish");
    if (text == "wgmma.fence.sync.aligned;")
      return simulate("weir_sim_fence");
    if (text == "wgmma.commit_group.sync.aligned;")
      return simulate("weir_sim_end_batch");
    if (text.consume_front("wgmma.wait_group.sync.aligned ") &&
        text.consume_back(";"))
      return wait(text);
    return multiply(text);
  }

private:
  Value *simulate(StringRef name, ArrayRef<Value *> operands = {}) {
    SmallVector<Value *> all = {thread};
    append_range(all, operands);
    SmallVector<Type *> types;
    for (Value *operand : all)
      types.push_back(operand->getType());
    auto *type = FunctionType::get(b.getVoidTy(), types, /*isVarArg=*/false);
    return b.CreateCall(call.getModule()->getOrInsertFunction(name, type), all);
  }

  /// The operands from `first` on, which the instruction changes: they pass
  /// through memory.
  struct Sums {
    unsigned count;
    Value *slot;
  };
  Sums store(unsigned first) {
    Sums sums = {call.arg_size() - first, nullptr};
    auto *type = ArrayType::get(b.getFloatTy(), sums.count);
    IRBuilder<> entry(
        &*call.getFunction()->getEntryBlock().getFirstInsertionPt());
    sums.slot = entry.CreateAlloca(type);
    for (unsigned i = 0; i < sums.count; ++i)
      b.CreateStore(call.getArgOperand(first + i), at(sums, i));
    return sums;
  }
  Value *at(const Sums &sums, unsigned i) {
    return b.CreateConstGEP1_64(b.getFloatTy(), sums.slot, i);
  }
  Value *load(const Sums &sums) {
    Value *result = PoisonValue::get(call.getType());
    for (unsigned i = 0; i < sums.count; ++i)
      result = b.CreateInsertValue(
          result, b.CreateLoad(b.getFloatTy(), at(sums, i)), i);
    return result;
  }

  Value *wait(StringRef number) {
    unsigned batches;
    if (number.getAsInteger(10, batches))
      return nullptr;
    Sums sums = store(0);
    Value *done =
        simulate("weir_sim_wait_batches",
                 {b.getInt32(batches), b.getInt32(sums.count), sums.slot});
    return sums.count ? load(sums) : done;
  }

  Value *multiply(StringRef text) {
    static const Regex shape(
        "^\\{ \\.reg \\.pred p; setp\\.ne\\.b32 p, 1, 0; "
        "wgmma\\.mma_async\\.sync\\.aligned\\.m64n([0-9]+)k16\\.f32"
        "\\.(b?f16)\\.(b?f16) \\{([$0-9, ]*)\\}, \\$([0-9]+), \\$([0-9]+), "
        "p, 1, 1, ([01]), ([01]); \\}$");
    SmallVector<StringRef> found;
    unsigned columns = 0;
    if (!shape.match(text, &found) || found[1].getAsInteger(10, columns) ||
        found[2] != found[3] || columns < 8 || columns > 256 || columns % 8 ||
        call.arg_size() != 2 + columns / 2)
      return nullptr;
    // The sums, in order, and the descriptors behind them.
    std::string registers;
    for (unsigned i = 0; i < columns / 2; ++i)
      registers += (i ? ", $" : "$") + std::to_string(i);
    if (found[4] != registers || found[5] != std::to_string(columns / 2) ||
        found[6] != std::to_string(columns / 2 + 1))
      return nullptr;
    unsigned transposed = (found[7] == "1" ? 1 : 0) | (found[8] == "1" ? 2 : 0);
    Sums sums = store(2);
    simulate("weir_sim_begin_product",
             {b.getInt32(found[2] == "f16" ? F16 : Bf16), b.getInt32(columns),
              call.getArgOperand(0), call.getArgOperand(1),
              b.getInt32(transposed), sums.slot});
    return load(sums);
  }

  IRBuilder<> b;
  CallInst &call;
  Value *thread;
};

} // namespace

Value *simulatePtx(CallInst &call, Value *thread) {
  return Instruction(call, thread).replace();
}

} // namespace weir
