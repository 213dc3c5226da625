// Reads the parts of an index: blocks of keys and values, and the messages that
// the values are. Every access is within bounds whatever the bytes.

#include "runtime/checkpoint/table.h"
#include "runtime/libc.h"

const uint64_t weir_table_magic = 0xdb4775248b80fb57;

static size_t left(weir_span s) { return (size_t)(s.end - s.at); }

int weir_take_varint(weir_span *from, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
    uint8_t byte = *from->at++;
    if (shift == 63 && byte > 1)
      return 0;
    *value |= (uint64_t)(byte & 127) << shift;
    if (!(byte & 128))
      return 1;
  }
  return 0;
}

static uint32_t word_at(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

// Raw snappy data: literals and copies of what came before. The number of bytes
// it gives, or -1.
static int64_t unsnap(weir_span from, uint8_t *to, size_t room) {
  uint64_t size;
  if (!weir_take_varint(&from, &size) || size > room)
    return -1;
  size_t at = 0;
  while (from.at < from.end) {
    uint8_t tag = *from.at++;
    uint64_t length = tag >> 2, offset = 0;
    unsigned follow = (tag & 3) == 0
                          ? (length >= 60 ? (unsigned)length - 59 : 0)
                      : (tag & 3) == 1 ? 1
                      : (tag & 3) == 2 ? 2
                                       : 4;
    uint64_t number = 0;
    if (left(from) < follow)
      return -1;
    for (unsigned i = 0; i < follow; ++i)
      number |= (uint64_t)*from.at++ << (8 * i);
    if ((tag & 3) == 0) {
      length = (follow ? number : length) + 1;
      if (length > left(from) || length > size - at)
        return -1;
      memcpy(to + at, from.at, length);
      from.at += length;
      at += length;
      continue;
    }
    offset = number;
    if ((tag & 3) == 1) {
      offset |= (uint64_t)(tag >> 5) << 8;
      length = ((tag >> 2) & 7) + 4;
    } else {
      ++length;
    }
    if (!offset || offset > at || length > size - at)
      return -1;
    for (uint64_t i = 0; i < length; ++i, ++at)
      to[at] = to[at - offset];
  }
  return at == size ? (int64_t)at : -1;
}

int weir_find_block(const weir_crc *crc, weir_span index, uint64_t offset,
                    uint64_t size, uint8_t *room, weir_span *entries) {
  uint64_t all = left(index) - WEIR_FOOTER_BYTES;
  if (size > all || offset > all - size ||
      all - size - offset < WEIR_TRAILER_BYTES)
    return 0;
  const uint8_t *at = index.at + offset;
  if (word_at(at + size + 1) !=
      weir_crc_masked(weir_crc_of(crc, at, size + 1, 0)))
    return 0;
  weir_span block = {at, at + size};
  if (at[size] == 1) {
    int64_t bytes = unsnap(block, room, WEIR_UNPACKED_MOST);
    if (bytes < 0)
      return 0;
    block.at = room;
    block.end = room + bytes;
  } else if (at[size] != 0) {
    return 0;
  }
  if (left(block) < 4)
    return 0;
  uint64_t restarts = word_at(block.end - 4);
  if (restarts > (left(block) - 4) / 4)
    return 0;
  block.end -= 4 + 4 * restarts;
  *entries = block;
  return 1;
}

int weir_take_entry(weir_span *from, uint8_t *key, size_t *key_bytes,
                    weir_span *value) {
  uint64_t shared, fresh, size;
  if (!weir_take_varint(from, &shared) || !weir_take_varint(from, &fresh) ||
      !weir_take_varint(from, &size) || shared > *key_bytes ||
      fresh > left(*from) || size > left(*from) - fresh ||
      fresh > WEIR_KEY_MOST - shared)
    return 0;
  memcpy(key + shared, from->at, fresh);
  *key_bytes = shared + fresh;
  value->at = from->at + fresh;
  value->end = value->at + size;
  from->at = value->end;
  return 1;
}

int weir_take_field(weir_span *from, uint64_t *field, uint64_t *value,
                    weir_span *bytes) {
  uint64_t tag;
  *value = 0;
  bytes->at = bytes->end = from->at;
  if (!weir_take_varint(from, &tag))
    return 0;
  *field = tag >> 3;
  switch (tag & 7) {
  case 0:
    return weir_take_varint(from, value);
  case 1:
  case 5: {
    size_t width = (tag & 7) == 1 ? 8 : 4;
    if (left(*from) < width)
      return 0;
    if (width == 4)
      *value = word_at(from->at);
    from->at += width;
    return 1;
  }
  case 2:
    if (!weir_take_varint(from, value) || *value > left(*from))
      return 0;
    bytes->at = from->at;
    bytes->end = from->at += *value;
    return 1;
  default:
    return 0;
  }
}
