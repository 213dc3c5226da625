// CRC-32C, the checksum of checkpoints, for models and for the compiler.
#ifndef WEIR_RUNTIME_CHECKPOINT_CRC_H
#define WEIR_RUNTIME_CHECKPOINT_CRC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Eight bytes at a time; on the stack of a model, as nothing else needs it.
typedef struct weir_crc {
  uint32_t table[8][256];
} weir_crc;
void weir_crc_init(weir_crc *crc);
// The checksum of bytes that follow others, whose checksum is `before`.
uint32_t weir_crc_of(const weir_crc *crc, const void *bytes, size_t count,
                     uint32_t before);
// The form in which a file stores a checksum: data that contains checksums has
// none that agrees by accident.
uint32_t weir_crc_masked(uint32_t crc);

#ifdef __cplusplus
}
#endif

#endif
