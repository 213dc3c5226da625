// Event files: records with sums of their bytes (TFRecord), each an Event of
// tensorflow/core/util/event.proto in protobuf's wire format.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/journal/events.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  // Of Event.
  WALL_TIME = 1,
  STEP = 2,
  FILE_VERSION = 3,
  SUMMARY = 5,
  // Of Summary, and of its values.
  VALUE = 1,
  TAG = 1,
  SIMPLE_VALUE = 2,
  // Kinds of fields.
  VARINT = 0,
  BYTES8 = 1,
  COUNTED = 2,
  BYTES4 = 5
};

/// A message that is being written; what does not fit is left out.
struct message {
  unsigned char bytes[1024];
  size_t count;
};

static void put(struct message *m, const void *bytes, size_t count) {
  if (count > sizeof m->bytes - m->count)
    return;
  memcpy(m->bytes + m->count, bytes, count);
  m->count += count;
}

static void put_varint(struct message *m, uint64_t value) {
  unsigned char bytes[10];
  size_t count = 0;
  for (; value >= 128; value >>= 7)
    bytes[count++] = (unsigned char)(value | 128);
  bytes[count++] = (unsigned char)value;
  put(m, bytes, count);
}

static void put_field(struct message *m, unsigned number, unsigned kind) {
  put_varint(m, number << 3 | kind);
}

/// The lowest bytes of a word, the lowest first on any machine.
static void put_word(struct message *m, uint64_t word, int count) {
  for (int i = 0; i < count; ++i) {
    unsigned char byte = (unsigned char)(word >> 8 * i);
    put(m, &byte, 1);
  }
}

static void put_counted(struct message *m, unsigned number, const void *bytes,
                        size_t count) {
  put_field(m, number, COUNTED);
  put_varint(m, count);
  put(m, bytes, count);
}

/// CRC-32C, turned and moved as records have it.
static uint32_t masked_sum(const struct events *events,
                           const unsigned char *bytes, size_t count) {
  uint32_t sum = ~0u;
  for (size_t i = 0; i < count; ++i)
    sum = events->crc[(sum ^ bytes[i]) & 255] ^ sum >> 8;
  sum = ~sum;
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

static void add_record(struct events *events, const struct message *event) {
  struct message around = {.count = 0};
  put_word(&around, event->count, 8);
  put_word(&around, masked_sum(events, around.bytes, 8), 4);
  fwrite(around.bytes, 1, around.count, events->file);
  fwrite(event->bytes, 1, event->count, events->file);
  around.count = 0;
  put_word(&around, masked_sum(events, event->bytes, event->count), 4);
  fwrite(around.bytes, 1, around.count, events->file);
}

static void begin_event(struct message *event) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  double seconds = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
  uint64_t bits;
  memcpy(&bits, &seconds, sizeof bits);
  event->count = 0;
  put_field(event, WALL_TIME, BYTES8);
  put_word(event, bits, 8);
}

/// Makes a folder and those that it is in.
static int make_folders(const char *path) {
  char part[4096];
  size_t length = strlen(path);
  if (!length || length >= sizeof part) {
    errno = ENAMETOOLONG;
    return -1;
  }
  for (size_t i = 1; i <= length; ++i) {
    if (path[i] != '/' && path[i])
      continue;
    memcpy(part, path, i);
    part[i] = 0;
    if (mkdir(part, 0777) && errno != EEXIST)
      return -1;
  }
  return 0;
}

int events_open(struct events *events, const char *folder, char *error,
                size_t size) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t sum = i;
    for (int k = 0; k < 8; ++k)
      sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78u : 0);
    events->crc[i] = sum;
  }
  char host[65] = "host", path[4400];
  if (gethostname(host, sizeof host - 1))
    host[0] = 0;
  for (char *c = host; *c; ++c)
    *c = *c == '/' ? '_' : *c;
  int bad = make_folders(folder);
  // Runs that begin in one second have numbers.
  for (int i = 0; !bad && !events->file && i < 1000; ++i) {
    snprintf(path, sizeof path, "%s/events.out.tfevents.%010lld.%s.%ld.%d",
             folder, (long long)time(NULL), host, (long)getpid(), i);
    events->file = fopen(path, "wbx");
    bad = !events->file && errno != EEXIST;
  }
  if (!events->file) {
    snprintf(error, size, "--tensorboard: cannot write to '%.200s': %s", folder,
             strerror(errno));
    return -1;
  }
  struct message event;
  begin_event(&event);
  put_counted(&event, FILE_VERSION, "brain.Event:2", 13);
  add_record(events, &event);
  fflush(events->file);
  return 0;
}

void events_add(struct events *events, int64_t step, int count,
                const char *const *tags, const float *values) {
  struct message event, summary = {.count = 0};
  for (int i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    struct message value = {.count = 0};
    put_counted(&value, TAG, tags[i], strlen(tags[i]));
    put_field(&value, SIMPLE_VALUE, BYTES4);
    put_word(&value, bits, 4);
    put_counted(&summary, VALUE, value.bytes, value.count);
  }
  begin_event(&event);
  put_field(&event, STEP, VARINT);
  put_varint(&event, (uint64_t)step);
  put_counted(&event, SUMMARY, summary.bytes, summary.count);
  add_record(events, &event);
}

int events_close(struct events *events) {
  int bad = ferror(events->file);
  bad |= fclose(events->file) != 0;
  events->file = NULL;
  return bad ? -1 : 0;
}
