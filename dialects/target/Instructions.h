// The instructions of a target, as decisions ask for them.

#ifndef WEIR_DIALECTS_TARGET_INSTRUCTIONS_H
#define WEIR_DIALECTS_TARGET_INSTRUCTIONS_H

namespace weir {

class TargetAttr;

/// The sets of vector instructions that dialects/isa has classes for.
enum class InstructionSet {
  Generic,
#define WEIR_INSTRUCTION_SET(NAME, ARCHITECTURE, FEATURE) NAME,
#include "dialects/target/Features.inc"
};

/// What the processor can do in one instruction, beyond arithmetic on vectors.
/// The members, their meaning and the features that they need are the rows of
/// Features.inc. They name an ability and no instruction set, so that stages
/// before the kernels decide by them; dialects/isa emits the instructions.
struct Instructions {
  InstructionSet set = InstructionSet::Generic;
#define WEIR_INSTRUCTIONS(NAME, ARCHITECTURE, FEATURES) bool NAME = false;
#include "dialects/target/Features.inc"

  /// By the architecture and the features of a target.
  static Instructions of(TargetAttr target);
};

} // namespace weir

#endif // WEIR_DIALECTS_TARGET_INSTRUCTIONS_H
