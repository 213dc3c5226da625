// The checksum of checkpoints: CRC-32 of the Castagnoli polynomial, masked.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CRC32C_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CRC32C_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace weir::tensorflow {

/// The checksum of bytes that follow others, whose checksum is `before`.
uint32_t crc32c(llvm::StringRef bytes, uint32_t before = 0);

/// As it is stored: so that a checksum of data with checksums is no accident.
inline uint32_t masked(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CRC32C_H
