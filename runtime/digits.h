// Numbers as text, without the C library.
#ifndef WEIR_RUNTIME_DIGITS_H
#define WEIR_RUNTIME_DIGITS_H

#include <stdint.h>

enum { WEIR_DIGITS = 21 }; // of 64 bits, with a sign and the text's end

static inline const char *weir_digits(int64_t value, char *room) {
  char *at = room + WEIR_DIGITS - 1;
  uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  *at = 0;
  do
    *--at = (char)('0' + left % 10);
  while (left /= 10);
  if (value < 0)
    *--at = '-';
  return at;
}

static inline const char *weir_hex_digits(uint64_t value, char *room) {
  char *at = room + WEIR_DIGITS - 1;
  *at = 0;
  do
    *--at = "0123456789abcdef"[value % 16];
  while (value /= 16);
  return at;
}

#endif
