// Factors that multiply-adds read from memory by themselves.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_FOLDBROADCASTS_H
#define WEIR_COMPILER_EMIT_CODEGEN_FOLDBROADCASTS_H

#include "llvm/CodeGen/TargetPassConfig.h"

namespace weir {

/// Of the innermost loops of products for a processor with AVX-512 that begins
/// two multiply-adds a cycle, lets some factors that are one element for all
/// lanes be read by each multiply-add that has them, instead of once into a
/// register: fewer instructions, more loads. Such a loop is bound by neither
/// alone on a core, but by its instructions where another thread has half of
/// those that the core begins. Added to a pipeline of code generation, whose
/// last pass on LLVM IR it is.
void addFoldBroadcasts(llvm::TargetPassConfig &passes);

} // namespace weir

#endif // WEIR_COMPILER_EMIT_CODEGEN_FOLDBROADCASTS_H
