// Instructions of PTX that kernels have as text.
#ifndef WEIR_COMPILER_EMIT_SIMULATEDPTX_H
#define WEIR_COMPILER_EMIT_SIMULATEDPTX_H

#include "llvm/IR/IRBuilder.h"

namespace weir {

/// What the simulator multiplies, as runtime/sim/sim.h counts it.
enum Factors { Bf16, F16, Tf32 };

/// Puts a call of the simulator (runtime/sim/sim.h) for a thread beside an
/// instruction that is text, and answers its results; null, if the simulator
/// does not have it.
llvm::Value *simulatePtx(llvm::CallInst &call, llvm::Value *thread);

} // namespace weir

#endif
