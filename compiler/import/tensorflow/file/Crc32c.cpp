// CRC-32C, eight bytes at a time.

#include "compiler/import/tensorflow/file/Crc32c.h"

#include "llvm/Support/Endian.h"
#include <array>

using namespace llvm;

namespace weir::tensorflow {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

/// Table k advances a byte by k more bytes.
static constexpr Tables makeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
    tables[0][byte] = crc;
  }
  for (int k = 1; k < 8; ++k)
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 255];
    }
  return tables;
}

static constexpr Tables tables = makeTables();

uint32_t crc32c(StringRef bytes, uint32_t before) {
  uint32_t crc = ~before;
  const char *at = bytes.begin(), *end = bytes.end();
  for (; end - at >= 8; at += 8) {
    uint64_t word = support::endian::read64le(at) ^ crc;
    crc = 0;
    for (int k = 0; k < 8; ++k)
      crc ^= tables[7 - k][(word >> (8 * k)) & 255];
  }
  for (; at != end; ++at)
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<uint8_t>(*at)) & 255];
  return ~crc;
}

} // namespace weir::tensorflow
