// Messages in protobuf's wire format.
#ifndef WEIR_TOOLS_RUN_JOURNAL_WIRE_H
#define WEIR_TOOLS_RUN_JOURNAL_WIRE_H

#include <stddef.h>
#include <stdint.h>

/// A message that grows as fields are added. Begin with zeros, and end with
/// `wire_free`.
struct message {
  unsigned char *bytes;
  size_t count, size;
  int is_short; // memory ended, so the message lacks fields
};

void wire_integer(struct message *to, unsigned field, uint64_t value);
void wire_float(struct message *to, unsigned field, float value);
void wire_double(struct message *to, unsigned field, double value);
void wire_doubles(struct message *to, unsigned field, const double *values,
                  size_t count);
void wire_bytes(struct message *to, unsigned field, const void *bytes,
                size_t count);
/// Adds text, with U+FFFD for each byte that is not UTF-8, which readers
/// refuse.
void wire_text(struct message *to, unsigned field, const char *text);
/// Adds a message as a field, and frees it.
void wire_message(struct message *to, unsigned field, struct message *part);
/// Adds the lowest bytes of a number, the lowest first, without a field.
void wire_word(struct message *to, uint64_t word, int count);
void wire_free(struct message *message);

#endif
