// Memory of the device and of the host.

#include "cuda.h"

#include <stdlib.h>
#include <string.h>

static block *blocks;

int allocate(address *at, size_t bytes, int pinned) {
  if (!bytes)
    return INVALID_VALUE;
  size_t whole = (bytes + 511) & ~(size_t)511;
  block *made = malloc(sizeof *made);
  void *memory = whole < bytes ? NULL : aligned_alloc(512, whole);
  if (!made || !memory)
    return OUT_OF_MEMORY;
  memset(memory, 0xcd, bytes);
  pthread_mutex_lock(&lock);
  *made = (block){blocks, (address)memory, bytes, pinned};
  blocks = made;
  pthread_mutex_unlock(&lock);
  *at = (address)memory;
  return OK;
}

int release(address at) {
  pthread_mutex_lock(&lock);
  for (block **b = &blocks; *b; b = &(*b)->next)
    if ((*b)->at == at) {
      block *gone = *b;
      *b = gone->next;
      pthread_mutex_unlock(&lock);
      free((void *)at);
      free(gone);
      return OK;
    }
  pthread_mutex_unlock(&lock);
  return INVALID_VALUE;
}

int is_within(address at, size_t bytes, int pinned) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (block *b = blocks; b && !found; b = b->next)
    found = b->pinned == pinned && at >= b->at && at - b->at <= b->bytes &&
            bytes <= b->bytes - (at - b->at);
  pthread_mutex_unlock(&lock);
  return found;
}

long blocks_left(void) {
  long left = 0;
  for (const block *b = blocks; b; b = b->next)
    ++left;
  return left;
}

int cuMemAlloc_v2(address *at, size_t bytes) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemAlloc %zu", bytes);
  return allocate(at, bytes, 0);
}

int cuMemHostAlloc(void **at, size_t bytes, uint32_t flags) {
  CALL_OUTSIDE_CAPTURE;
  (void)flags;
  note("cuMemHostAlloc %zu", bytes);
  return allocate((address *)at, bytes, 1);
}

int cuMemFree_v2(address at) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemFree");
  return release(at);
}

int cuMemFreeHost(void *at) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemFreeHost");
  return release((address)at);
}
