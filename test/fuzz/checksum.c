// Replaces the checksums of crc.c: each is 0 for any bytes, so mutations keep
// them valid.

#include "runtime/checkpoint/crc.h"

void weir_crc_init(weir_crc *crc) { (void)crc; }

uint32_t weir_crc_of(const weir_crc *crc, const void *bytes, size_t count,
                     uint32_t before) {
  (void)crc, (void)bytes, (void)count;
  return before;
}

uint32_t weir_crc_masked(uint32_t crc) { return crc; }
