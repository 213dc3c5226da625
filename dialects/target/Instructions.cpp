// Which instructions a target has, by the rows of Features.inc.

#include "dialects/target/Instructions.h"

#include "dialects/weir/Records.h"

using namespace mlir;

namespace weir {

static bool hasAll(TargetAttr target, StringRef architecture,
                   StringRef features) {
  SmallVector<StringRef> all;
  features.split(all, ',', -1, /*KeepEmpty=*/false);
  return target.getTriple().starts_with(architecture) &&
         llvm::all_of(all, [&](StringRef one) { return target.has(one); });
}

Instructions Instructions::of(TargetAttr target) {
  Instructions result;
#define WEIR_INSTRUCTION_SET(NAME, ARCHITECTURE, FEATURE)                      \
  if (hasAll(target, ARCHITECTURE, FEATURE))                                   \
    result.set = InstructionSet::NAME;
#include "dialects/target/Features.inc"
#define WEIR_INSTRUCTIONS(NAME, ARCHITECTURE, FEATURES)                        \
  result.NAME = hasAll(target, ARCHITECTURE, FEATURES);
#include "dialects/target/Features.inc"
  return result;
}

} // namespace weir
