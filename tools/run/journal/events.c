// Event files: records with sums of their bytes (TFRecord), each an Event of
// tensorflow/core/util/event.proto in protobuf's wire format.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/journal/events.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// Fields of Event.
enum { WALL_TIME = 1, STEP = 2, FILE_VERSION = 3, SUMMARY = 5 };

/// CRC-32C, turned and moved as records have it.
static uint32_t masked_sum(const struct events *events,
                           const unsigned char *bytes, size_t count) {
  uint32_t sum = ~0u;
  for (size_t i = 0; i < count; ++i)
    sum = events->crc[(sum ^ bytes[i]) & 255] ^ sum >> 8;
  sum = ~sum;
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

/// Writes the event, and frees it.
static void add_record(struct events *events, struct message *event) {
  struct message head = {0}, tail = {0};
  wire_word(&head, event->count, 8);
  if (!head.is_short)
    wire_word(&head, masked_sum(events, head.bytes, 8), 4);
  wire_word(&tail, masked_sum(events, event->bytes, event->count), 4);
  // A record that lacks a part would make the rest of the file unreadable.
  if (head.is_short || event->is_short || tail.is_short) {
    events->is_short = 1;
  } else {
    fwrite(head.bytes, 1, head.count, events->file);
    fwrite(event->bytes, 1, event->count, events->file);
    fwrite(tail.bytes, 1, tail.count, events->file);
  }
  wire_free(&head);
  wire_free(&tail);
  wire_free(event);
}

static void begin_event(struct message *event) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  wire_double(event, WALL_TIME, (double)now.tv_sec + (double)now.tv_nsec / 1e9);
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
  struct message event = {0};
  begin_event(&event);
  wire_text(&event, FILE_VERSION, "brain.Event:2");
  add_record(events, &event);
  fflush(events->file);
  return 0;
}

void events_add(struct events *events, int64_t step, struct message *summary) {
  struct message event = {0};
  begin_event(&event);
  wire_integer(&event, STEP, (uint64_t)step);
  wire_message(&event, SUMMARY, summary);
  add_record(events, &event);
}

int events_close(struct events *events) {
  int bad = events->is_short || ferror(events->file);
  bad |= fclose(events->file) != 0;
  events->file = NULL;
  return bad ? -1 : 0;
}
