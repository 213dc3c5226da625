// LLVM's feature names as bits of cpuid, for the runtime's check at create.

#include "compiler/emit/Tables.h"

#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace weir {

static const struct {
  const char *feature;
  unsigned word, bit;
} bits[] = {
#define WEIR_FEATURE(NAME, WORD, BIT) {NAME, WORD, BIT},
#include "dialects/target/Features.inc"
};

SmallVector<uint32_t, 8> requiredCpuBits(StringRef triple, StringRef features) {
  SmallVector<uint32_t, 8> words(8, 0);
  if (!Triple(triple).isX86())
    return words;
  SmallVector<StringRef> parts;
  features.split(parts, ',');
  for (StringRef part : parts) {
    if (!part.consume_front("+"))
      continue;
    for (const auto &bit : bits)
      if (part == bit.feature)
        words[bit.word] |= 1u << bit.bit;
  }
  // What the system must save of the registers.
  if (words[0] >> 28 & 1)
    words[7] |= 0x6;
  if (words[2] >> 16 & 1)
    words[7] |= 0xe6;
  if (words[7])
    words[0] |= 1u << 27;
  return words;
}

} // namespace weir
