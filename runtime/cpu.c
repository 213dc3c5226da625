// Asks the processor what it can do, so that code for another one is refused at
// create instead of dying of an illegal instruction.

#include "runtime/abi.h"
#include "runtime/libc.h"

#if defined(__x86_64__)
static const uint32_t tile_bits = 1u << 22 | 1u << 24 | 1u << 25; // of word 4

// Tile registers are a process's only once it has asked for them. The system
// has them where the processor does, and saves them then.
static int ask_for_tiles(void) {
  uint64_t has = 0;
  return !syscall(SYS_ARCH_PRCTL_, ARCH_GET_XCOMP_SUPP_, &has) &&
         has >> XFEATURE_TILE_DATA_ & 1 &&
         !syscall(SYS_ARCH_PRCTL_, ARCH_REQ_XCOMP_PERM_,
                  (uint64_t)XFEATURE_TILE_DATA_);
}

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
  if (required[4] & tile_bits) {
    if (!ask_for_tiles())
      return 0;
    // Granted by a system whose processor does not know them, they are
    // emulated (test/emulate).
    if (!(words[4] & tile_bits))
      words[4] |= tile_bits;
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
