// Factors that multiply-adds read from memory by themselves.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_FOLDBROADCASTS_H
#define WEIR_COMPILER_EMIT_CODEGEN_FOLDBROADCASTS_H

#include "llvm/CodeGen/TargetPassConfig.h"

namespace weir {

/// Adds a pass to a pipeline of code generation, as its last one on LLVM IR. In
/// the innermost loop of a product some factors are one element for all lanes.
/// The pass lets each multiply-add read such a factor from memory, instead of
/// one load into a register: fewer instructions, more loads. It applies to
/// processors with vectors of 512 bits that begin two multiply-adds a cycle.
/// Their loops are bound by instructions if a second thread uses the core.
void addFoldBroadcasts(llvm::TargetPassConfig &passes);

} // namespace weir

#endif // WEIR_COMPILER_EMIT_CODEGEN_FOLDBROADCASTS_H
