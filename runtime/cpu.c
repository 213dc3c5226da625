// Asks the processor what it can do, so that code for another one is refused at
// create instead of dying of an illegal instruction.

#include "runtime/abi.h"

#if defined(__x86_64__)
static void cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4]) {
  __asm__ volatile("cpuid"
                   : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                   : "a"(leaf), "c"(sub));
}

int weir_cpu_has(const uint32_t required[WEIR_CPU_WORDS]) {
  uint32_t words[WEIR_CPU_WORDS] = {0}, r[4];
  cpuid(0, 0, r);
  uint32_t last = r[0];
  cpuid(1, 0, r);
  words[0] = r[2];
  words[1] = r[3];
  if (last >= 7) {
    cpuid(7, 0, r);
    uint32_t subs = r[0];
    words[2] = r[1];
    words[3] = r[2];
    words[4] = r[3];
    if (subs >= 1) {
      cpuid(7, 1, r);
      words[5] = r[0];
    }
  }
  cpuid(0x80000000u, 0, r);
  if (r[0] >= 0x80000001u) {
    cpuid(0x80000001u, 0, r);
    words[6] = r[2];
  }
  // Wide registers also need the system to save them (bit 27: OSXSAVE).
  if (words[0] >> 27 & 1) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    words[7] = low;
  }
  for (int i = 0; i < WEIR_CPU_WORDS; ++i)
    if (required[i] & ~words[i])
      return 0;
  return 1;
}
#else
int weir_cpu_has(const uint32_t required[WEIR_CPU_WORDS]) {
  (void)required;
  return 1;
}
#endif
