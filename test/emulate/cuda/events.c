// Events, the waits, and the clock of the device.

#include "cuda.h"

#include <stdlib.h>

enum { DISABLE_TIMING = 2, RECORD_EXTERNAL = 1 };

static event *events;
static uint64_t device_clock;

void spend(uint64_t nanoseconds) {
  pthread_mutex_lock(&lock);
  device_clock += nanoseconds;
  pthread_mutex_unlock(&lock);
}

void stamp(event *to, const stream *on) {
  pthread_mutex_lock(&lock);
  to->state = RECORDED;
  to->on = on;
  to->time = device_clock;
  pthread_mutex_unlock(&lock);
}

// Completes the records of a stream until then.
static void finish(const stream *on, uint64_t until) {
  pthread_mutex_lock(&lock);
  for (event *e = events; e; e = e->next)
    if (e->state == RECORDED && e->on == on && e->time <= until)
      e->state = DONE;
  pthread_mutex_unlock(&lock);
}

int cuStreamSynchronize(stream *of) {
  CALL_IN_CONTEXT;
  note("cuStreamSynchronize");
  if (of && of->capture)
    return CAPTURE_UNSUPPORTED;
  finish(of, UINT64_MAX);
  return OK;
}

int cuStreamWaitEvent(stream *of, event *on, uint32_t flags) {
  CALL_IN_CONTEXT;
  (void)of, (void)on, (void)flags;
  note("cuStreamWaitEvent");
  return OK;
}

int cuEventCreate(event **made, uint32_t flags) {
  CALL_OUTSIDE_CAPTURE;
  note("cuEventCreate %u", flags);
  event *created = calloc(1, sizeof *created);
  if (!created)
    return OUT_OF_MEMORY;
  count_objects(1);
  pthread_mutex_lock(&lock);
  *created = (event){.next = events, .flags = flags};
  events = created;
  pthread_mutex_unlock(&lock);
  *made = created;
  return OK;
}

int cuEventDestroy_v2(event *gone) {
  CALL_IN_CONTEXT;
  note("cuEventDestroy");
  pthread_mutex_lock(&lock);
  event **at = &events;
  while (*at && *at != gone)
    at = &(*at)->next;
  int found = *at != NULL;
  if (found)
    *at = gone->next;
  pthread_mutex_unlock(&lock);
  if (!found)
    return INVALID_HANDLE;
  free(gone);
  count_objects(-1);
  return OK;
}

// Without the flag, an event in a capture only orders captured streams.
static int record(event *of, stream *on, uint32_t flags, const char *name) {
  int is_captured = on && on->capture;
  note("%s%s", is_captured ? "captured " : "", name);
  if (flags & ~(uint32_t)RECORD_EXTERNAL ||
      (flags & RECORD_EXTERNAL && !is_captured))
    return INVALID_VALUE;
  if (is_captured && !flags) {
    of->state = CAPTURED;
    return OK;
  }
  node work = {.kind = RECORD, .record = of};
  return issue(on, &work);
}

int cuEventRecord(event *of, stream *on) {
  CALL_IN_CONTEXT;
  return record(of, on, 0, "cuEventRecord");
}

int cuEventRecordWithFlags(event *of, stream *on, uint32_t flags) {
  CALL_IN_CONTEXT;
  return record(of, on, flags, "cuEventRecordWithFlags");
}

int cuEventSynchronize(event *of) {
  CALL_IN_CONTEXT;
  note("cuEventSynchronize");
  if (of->state == CAPTURED)
    return CAPTURED_EVENT;
  if (of->state != EMPTY)
    finish(of->on, of->time);
  return OK;
}

int cuEventElapsedTime(float *milliseconds, event *begin, event *end) {
  CALL_IN_CONTEXT;
  if ((begin->flags | end->flags) & DISABLE_TIMING || begin->state == EMPTY ||
      end->state == EMPTY)
    return INVALID_HANDLE;
  if (begin->state == CAPTURED || end->state == CAPTURED)
    return INVALID_VALUE;
  if (begin->state != DONE || end->state != DONE)
    return NOT_READY;
  *milliseconds = (float)((double)(int64_t)(end->time - begin->time) / 1e6);
  return OK;
}
