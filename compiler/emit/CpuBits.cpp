// LLVM's feature names as bits of cpuid, for the runtime's check at create.

#include "compiler/emit/Tables.h"

#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace weir {

// The word is that of runtime/cpu.c: 0 leaf 1 ecx, 1 leaf 1 edx, 2-4 leaf 7
// ebx ecx edx, 5 leaf 7.1 eax, 6 leaf 0x80000001 ecx, 7 xcr0.
static const struct {
  const char *feature;
  unsigned word, bit;
} bits[] = {{"sse3", 0, 0},
            {"pclmul", 0, 1},
            {"ssse3", 0, 9},
            {"fma", 0, 12},
            {"cx16", 0, 13},
            {"sse4.1", 0, 19},
            {"sse4.2", 0, 20},
            {"movbe", 0, 22},
            {"popcnt", 0, 23},
            {"aes", 0, 25},
            {"avx", 0, 28},
            {"f16c", 0, 29},
            {"bmi", 2, 3},
            {"avx2", 2, 5},
            {"bmi2", 2, 8},
            {"avx512f", 2, 16},
            {"avx512dq", 2, 17},
            {"adx", 2, 19},
            {"avx512ifma", 2, 21},
            {"avx512cd", 2, 28},
            {"sha", 2, 29},
            {"avx512bw", 2, 30},
            {"avx512vl", 2, 31},
            {"avx512vbmi", 3, 1},
            {"avx512vbmi2", 3, 6},
            {"gfni", 3, 8},
            {"vaes", 3, 9},
            {"vpclmulqdq", 3, 10},
            {"avx512vnni", 3, 11},
            {"avx512bitalg", 3, 12},
            {"avx512vpopcntdq", 3, 14},
            {"avx512fp16", 4, 23},
            {"amx-bf16", 4, 22},
            {"amx-tile", 4, 24},
            {"amx-int8", 4, 25},
            {"avxvnni", 5, 4},
            {"avx512bf16", 5, 5},
            {"sahf", 6, 0},
            {"lzcnt", 6, 5}};

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
