// Reads the parts of a checkpoint's index, a table of sorted keys in LevelDB's
// format: models restore with it, and the compiler imports with it. A function
// that begins with `take` advances the front of a span. Each function returns 0
// for malformed bytes.
#ifndef WEIR_RUNTIME_CHECKPOINT_TABLE_H
#define WEIR_RUNTIME_CHECKPOINT_TABLE_H

#include "runtime/checkpoint/crc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WEIR_FOOTER_BYTES = 48,
  WEIR_TRAILER_BYTES = 5,       // of a block: its compression and its checksum
  WEIR_INDEX_MOST = 1 << 28,    // bytes of an index
  WEIR_UNPACKED_MOST = 1 << 22, // of a block of it that was compressed
  WEIR_KEY_MOST = 4096          // of a key
};

extern const uint64_t weir_table_magic; // the last 8 bytes of an index

typedef struct weir_span {
  const uint8_t *at, *end;
} weir_span;

int weir_take_varint(weir_span *from, uint64_t *value);

// The entries of the block at a place of the index, checked, and unpacked into
// `room` of WEIR_UNPACKED_MOST bytes where they were compressed.
int weir_find_block(const weir_crc *crc, weir_span index, uint64_t offset,
                    uint64_t size, uint8_t *room, weir_span *entries);

// The next entry's value, and its key, of which `key` holds the one before.
int weir_take_entry(weir_span *from, uint8_t *key, size_t *key_bytes,
                    weir_span *value);

// A field of a message: its number, and its value or its bytes.
int weir_take_field(weir_span *from, uint64_t *field, uint64_t *value,
                    weir_span *bytes);

#ifdef __cplusplus
}
#endif

#endif
