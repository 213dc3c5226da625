// Comparisons of vectors of 16-bit floats, made of f32.

#include "compiler/emit/codegen/HalfComparisons.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace weir {

PreservedAnalyses WidenHalfComparisons::run(Function &function,
                                            FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *comparison = dyn_cast<FCmpInst>(&instruction);
    if (!comparison)
      continue;
    auto *type = dyn_cast<VectorType>(comparison->getOperand(0)->getType());
    if (!type || type->getScalarSizeInBits() != 16)
      continue;
    IRBuilder<> b(comparison);
    Type *wide = VectorType::get(b.getFloatTy(), type->getElementCount());
    for (Use &operand : comparison->operands())
      operand = b.CreateFPExt(operand, wide);
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace weir
