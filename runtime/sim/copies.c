// Copies to shared memory that threads do not wait for, and who may read what
// they bring.

#include "runtime/sim/block.h"

#include "runtime/libc.h"

note *weir_sim_note(block *block, const char *at) {
  uintptr_t offset = (uintptr_t)at - (uintptr_t)block->shared;
  return offset < block->shared_bytes ? &block->notes[offset / CHUNK] : NULL;
}

int weir_sim_is_read(block *block, const note *note) {
  if (!note->reader)
    return 0;
  uint32_t first = (note->reader - 1) * GROUP;
  group *group = &block->groups[note->reader - 1];
  if (group->landed < note->product) {
    group->landed = UINT32_MAX;
    for (uint32_t i = 0; i < GROUP; ++i) {
      uint32_t landed = weir_sim_fiber(block, first + i)->part.landed;
      if (landed < group->landed)
        group->landed = landed;
    }
  }
  return group->landed < note->product;
}

static void make(fiber *self, const copy *copy) {
  memcpy(copy->target, copy->source, copy->valid);
  memset(copy->target + copy->valid, 0, copy->bytes - copy->valid);
  note *note = weir_sim_note(self->block, copy->target);
  if (note)
    note->known = self->known;
}

static void land(fiber *self, uint32_t groups) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < self->copies; ++i) {
    copy copy = self->copy[i];
    if (copy.group + groups >= self->group)
      self->copy[left++] = copy;
    else
      make(self, &copy);
  }
  self->copies = left;
}

// Where more are on their way than there is room for, they are made at once:
// that is allowed, only not the latest moment.
void weir_sim_copy(weir_sim_thread *thread, void *target, const void *source,
                   uint32_t bytes, uint32_t valid) {
  fiber *self = (fiber *)thread;
  copy copy = {target, source, bytes, valid < bytes ? valid : bytes,
               self->group};
  note *note = weir_sim_note(self->block, target);
  if ((uintptr_t)target % bytes || !note) {
    self->block->broken = 1;
    return;
  }
  if (weir_sim_is_read(self->block, note))
    self->block->broken = 1;
  note->writer = weir_sim_number(thread) + 1;
  note->known = (uint32_t)ON_ITS_WAY;
  if (self->copies < MOST_COPIES)
    self->copy[self->copies++] = copy;
  else
    make(self, &copy);
}

void weir_sim_end_group(weir_sim_thread *thread) { ++((fiber *)thread)->group; }

void weir_sim_wait(weir_sim_thread *thread, uint32_t groups) {
  land((fiber *)thread, groups);
}

void weir_sim_publish(weir_sim_thread *thread) { ++((fiber *)thread)->known; }
