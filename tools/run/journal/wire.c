// Writes messages in protobuf's wire format.

#include "tools/run/journal/wire.h"

#include <stdlib.h>
#include <string.h>

/// Kinds of fields.
enum { INTEGER = 0, BYTES8 = 1, COUNTED = 2, BYTES4 = 5 };

static void put(struct message *to, const void *bytes, size_t count) {
  if (count > to->size - to->count) {
    size_t size = 2 * to->size + count + 64;
    unsigned char *more = realloc(to->bytes, size);
    to->is_short |= !more;
    if (!more)
      return;
    to->bytes = more;
    to->size = size;
  }
  if (count)
    memcpy(to->bytes + to->count, bytes, count);
  to->count += count;
}

static void put_integer(struct message *to, uint64_t value) {
  unsigned char bytes[10];
  size_t count = 0;
  for (; value >= 128; value >>= 7)
    bytes[count++] = (unsigned char)(value | 128);
  bytes[count++] = (unsigned char)value;
  put(to, bytes, count);
}

static void put_field(struct message *to, unsigned field, unsigned kind) {
  put_integer(to, field << 3 | kind);
}

void wire_word(struct message *to, uint64_t word, int count) {
  unsigned char bytes[8];
  for (int i = 0; i < count; ++i)
    bytes[i] = (unsigned char)(word >> 8 * i);
  put(to, bytes, (size_t)count);
}

void wire_integer(struct message *to, unsigned field, uint64_t value) {
  put_field(to, field, INTEGER);
  put_integer(to, value);
}

void wire_float(struct message *to, unsigned field, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_field(to, field, BYTES4);
  wire_word(to, bits, 4);
}

static void put_double(struct message *to, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  wire_word(to, bits, 8);
}

void wire_double(struct message *to, unsigned field, double value) {
  put_field(to, field, BYTES8);
  put_double(to, value);
}

void wire_doubles(struct message *to, unsigned field, const double *values,
                  size_t count) {
  put_field(to, field, COUNTED);
  put_integer(to, 8 * count);
  for (size_t i = 0; i < count; ++i)
    put_double(to, values[i]);
}

void wire_bytes(struct message *to, unsigned field, const void *bytes,
                size_t count) {
  put_field(to, field, COUNTED);
  put_integer(to, count);
  put(to, bytes, count);
}

/// The number of bytes of the UTF-8 character at the start of the text; 0 if
/// there is none.
static size_t character(const unsigned char *text) {
  size_t count = text[0] < 0x80   ? 1
                 : text[0] < 0xc2 ? 0
                 : text[0] < 0xe0 ? 2
                 : text[0] < 0xf0 ? 3
                 : text[0] < 0xf5 ? 4
                                  : 0;
  for (size_t i = 1; i < count; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  // Longer forms than necessary, surrogates, and numbers above U+10FFFF.
  if ((text[0] == 0xe0 && text[1] < 0xa0) ||
      (text[0] == 0xed && text[1] >= 0xa0) ||
      (text[0] == 0xf0 && text[1] < 0x90) ||
      (text[0] == 0xf4 && text[1] >= 0x90))
    return 0;
  return count;
}

void wire_text(struct message *to, unsigned field, const char *text) {
  struct message valid = {0};
  while (*text) {
    size_t count = character((const unsigned char *)text);
    if (count)
      put(&valid, text, count);
    else
      put(&valid, "\xef\xbf\xbd", 3);
    text += count ? count : 1;
  }
  wire_message(to, field, &valid);
}

void wire_message(struct message *to, unsigned field, struct message *part) {
  wire_bytes(to, field, part->bytes, part->count);
  to->is_short |= part->is_short;
  wire_free(part);
}

void wire_free(struct message *message) {
  free(message->bytes);
  *message = (struct message){0};
}
