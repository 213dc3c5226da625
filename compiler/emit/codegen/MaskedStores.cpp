// Stores of the first elements of a vector, without a mask.

#include "compiler/emit/codegen/MaskedStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace weir {

/// How many elements the constant mask has, if it has the first ones and no
/// others; 0.
static unsigned firstElements(const Value *value) {
  auto *mask = dyn_cast<Constant>(value);
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  if (!mask || !type)
    return 0;
  unsigned count = 0;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const Constant *element = mask->getAggregateElement(i);
    if (!element || !(element->isOneValue() || element->isNullValue()))
      return 0;
    if (element->isOneValue() && count++ != i)
      return 0;
  }
  return count;
}

PreservedAnalyses NarrowMaskedStores::run(Function &function,
                                          FunctionAnalysisManager &) {
  bool changed = false;
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *store = dyn_cast<IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
      continue;
    unsigned count = firstElements(store->getArgOperand(3));
    Value *stored = store->getArgOperand(0);
    // Elements that share a byte are not stored alone.
    if (!isPowerOf2_32(count) ||
        !layout.typeSizeEqualsStoreSize(stored->getType()->getScalarType()) ||
        count == cast<FixedVectorType>(stored->getType())->getNumElements())
      continue;
    IRBuilder<> b(store);
    auto first = to_vector(seq<int>(0, static_cast<int>(count)));
    Value *narrow = count == 1 ? b.CreateExtractElement(stored, uint64_t(0))
                               : b.CreateShuffleVector(stored, first);
    Align align = cast<ConstantInt>(store->getArgOperand(2))->getAlignValue();
    b.CreateAlignedStore(narrow, store->getArgOperand(1), align)
        ->copyMetadata(*store);
    store->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace weir
