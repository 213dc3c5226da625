// CRC-32C, by the polynomial 0x1edc6f41 with its bits reversed.

#include "runtime/checkpoint/crc.h"
#include "runtime/libc.h"

void weir_crc_init(weir_crc *crc) {
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ (value & 1 ? 0x82f63b78u : 0);
    crc->table[0][byte] = value;
  }
  for (int k = 1; k < 8; ++k)
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t value = crc->table[k - 1][byte];
      crc->table[k][byte] = (value >> 8) ^ crc->table[0][value & 255];
    }
}

uint32_t weir_crc_of(const weir_crc *crc, const void *bytes, size_t count,
                     uint32_t before) {
  const uint8_t *at = bytes, *end = at + count;
  uint32_t value = ~before;
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    word ^= value;
    value = 0;
    for (int k = 0; k < 8; ++k)
      value ^= crc->table[7 - k][(word >> (8 * k)) & 255];
  }
  for (; at != end; ++at)
    value = (value >> 8) ^ crc->table[0][(value ^ *at) & 255];
  return ~value;
}

uint32_t weir_crc_masked(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
