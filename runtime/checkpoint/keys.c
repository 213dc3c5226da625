// Reads and writes the keys of slices in an index, which are TensorFlow's
// ordered code: the order of the bytes is that of the names and numbers. No
// byte of a key is trusted.

#include "runtime/checkpoint/keys.h"
#include "runtime/libc.h"

static size_t left(weir_span s) { return (size_t)(s.end - s.at); }

// Text in which 0 and 255 are followed by 255 and 0, up to a 0 and a 1.
static int take_text(weir_span *from, uint8_t *to, size_t *bytes) {
  for (*bytes = 0; left(*from) >= 2 && *bytes < WEIR_KEY_MOST;) {
    uint8_t byte = *from->at++;
    if (byte == 0 || byte == 255) {
      uint8_t next = *from->at++, escape = byte ? 0 : 255;
      if (byte == 0 && next == 1)
        return 1;
      if (next != escape)
        return 0;
    }
    to[(*bytes)++] = byte;
  }
  return 0;
}

// The count of a number's bytes, and these, highest first.
static int take_number(weir_span *from, uint64_t *value) {
  *value = 0;
  if (!left(*from) || *from->at > 8 || left(*from) - 1 < *from->at)
    return 0;
  for (unsigned bytes = *from->at++; bytes; --bytes)
    *value = *value << 8 | *from->at++;
  return 1;
}

// As many bits like the first one as there are bytes, and a number whose sign
// is the opposite of that bit.
static int take_signed(weir_span *from, int64_t *value) {
  if (!left(*from))
    return 0;
  uint8_t sign = *from->at & 128 ? 0 : 255; // of all bits above the number's
  unsigned bytes = 0;
  while (bytes < 16 && left(*from) > bytes / 8 &&
         (from->at[bytes / 8] ^ sign) & 128 >> bytes % 8)
    ++bytes;
  if (bytes > 10 || left(*from) < bytes)
    return 0;
  unsigned header = 0xffffu & ~(0xffffu >> bytes);
  uint64_t bits = sign ? ~(uint64_t)0 : 0;
  for (unsigned i = 0; i < bytes; ++i) {
    uint8_t mask = i == 0   ? (uint8_t)(header >> 8)
                   : i == 1 ? (uint8_t)header
                            : 0;
    bits = bits << 8 | (*from->at++ ^ mask);
  }
  *value = (int64_t)bits;
  return 1;
}

int weir_take_slice_key(weir_span key, uint8_t *name, size_t *name_bytes,
                        weir_box *box) {
  uint64_t none, rank;
  if (!take_number(&key, &none) || none || !take_text(&key, name, name_bytes) ||
      !take_number(&key, &rank) || rank > WEIR_RANK_MOST)
    return 0;
  box->rank = (int32_t)rank;
  for (int32_t i = 0; i < box->rank; ++i)
    if (!take_signed(&key, &box->starts[i]) ||
        !take_signed(&key, &box->lengths[i]))
      return 0;
  return key.at == key.end;
}

// Bytes on their way to a key.
typedef struct key_bytes {
  uint8_t *to;
  size_t used;
  int full; // whether some had no room
} key_bytes;

static void put_byte(key_bytes *key, unsigned byte) {
  if (key->used < WEIR_KEY_MOST)
    key->to[key->used++] = (uint8_t)byte;
  else
    key->full = 1;
}

// As take_text reads it.
static void put_text(key_bytes *key, const uint8_t *text, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    put_byte(key, text[i]);
    if (text[i] == 0 || text[i] == 255)
      put_byte(key, 255u - text[i]);
  }
  put_byte(key, 0);
  put_byte(key, 1);
}

// As take_number reads it.
static void put_number(key_bytes *key, uint64_t value) {
  unsigned bytes = 0;
  while (bytes < 8 && value >> 8 * bytes)
    ++bytes;
  put_byte(key, bytes);
  while (bytes)
    put_byte(key, (unsigned)(value >> 8 * --bytes) & 255);
}

// As take_signed reads it: n bytes have 7 n - 1 bits of the number.
static void put_signed(key_bytes *key, int64_t value) {
  uint64_t bits = (uint64_t)value, magnitude = value < 0 ? ~bits : bits;
  unsigned bytes = 1;
  while (bytes < 10 && magnitude >> (7 * bytes - 1))
    ++bytes;
  unsigned header = 0xffffu & ~(0xffffu >> bytes);
  for (unsigned i = 0; i < bytes; ++i) {
    unsigned shift = 8 * (bytes - 1 - i);
    unsigned byte = shift < 64  ? (unsigned)(bits >> shift) & 255
                    : value < 0 ? 255
                                : 0;
    put_byte(key, byte ^ (i == 0 ? header >> 8 : i == 1 ? header & 255 : 0));
  }
}

size_t weir_put_slice_key(uint8_t *to, const void *name, size_t name_bytes,
                          int32_t rank, const int64_t *starts,
                          const int64_t *lengths) {
  key_bytes key = {to, 0, 0};
  put_number(&key, 0);
  put_text(&key, name, name_bytes);
  put_number(&key, (uint64_t)rank);
  for (int32_t i = 0; i < rank; ++i) {
    put_signed(&key, starts[i]);
    put_signed(&key, lengths[i]);
  }
  return key.full ? 0 : key.used;
}
