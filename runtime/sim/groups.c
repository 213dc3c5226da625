// Products of groups of four warps, which these do not wait for (wgmma).
//
// A product is computed when all threads of the group have begun it, and its
// sums are kept from them until they wait. What it reads it may read until
// then, so that nothing may be copied there.

#include "runtime/sim/block.h"

#include "runtime/libc.h"

// What sum number 0 is that is on its way, and behind it the others: no
// numbers, and none that are computed.
enum { UNKNOWN = 0x7fd5a500 };

typedef union number {
  uint32_t bits;
  float value;
} number;

// The number of a sum that is on its way; MOST_SUMS: it is not.
static uint32_t unknown(float sum) {
  uint32_t i = (number){.value = sum}.bits - UNKNOWN;
  return i < MOST_SUMS ? i : MOST_SUMS;
}

// Where the thread has the sums that a product adds to: those that stand for
// some that are on their way, or new ones.
static float *sums_of(part *part, const float *sums, uint32_t count) {
  uint32_t first = unknown(sums[0]);
  int new = first == MOST_SUMS;
  for (uint32_t i = 0; i < count; ++i)
    if (unknown(sums[i]) != (new ? MOST_SUMS : first + i))
      return NULL;
  if (!new)
    return part->sums + first;
  if (!part->fenced || part->count + count > MOST_SUMS)
    return NULL;
  float *to = part->sums + part->count;
  memcpy(to, sums, count * sizeof *sums);
  part->count += count;
  return to;
}

static group *group_of(fiber *self) {
  return &self->block->groups[weir_sim_number(&self->thread) / GROUP];
}

// The 16 bytes that are so many bytes further than where the descriptor begins,
// where chunks are turned by the line.
static const char *chunk_at(const block *block, uint64_t descriptor,
                            uint64_t bytes) {
  // Descriptors have 18 bits of an address, in which shared memory lies.
  uint64_t all = (1 << 18) - 1, shared = (uintptr_t)block->shared;
  uint64_t at = shared + (((descriptor << 4) - shared) & all) + bytes;
  return (const char *)(uintptr_t)(at ^ (at >> 7 & 7) << 4);
}

// Takes `lines` lines of a side, as wgmma's canonical layouts have them.
static void take(fiber *self, uint64_t descriptor, uint32_t lines,
                 int transposed, float to[][DEPTH]) {
  block *block = self->block;
  uint64_t part = (descriptor >> 16 & 0x3fff) << 4,
           eight = (descriptor >> 32 & 0x3fff) << 4;
  // Swizzled by 128 bytes, from a multiple of 1024 bytes on.
  if (descriptor >> 62 != 1 || (descriptor >> 49 & 7) != 0)
    block->broken = 1;
  uint32_t kind = group_of(self)->kind;
  for (uint32_t i = 0; i < lines * DEPTH / 8; ++i) {
    uint32_t line = transposed ? i % (lines / 8) * 8 : i / 2;
    uint32_t k = transposed ? i / (lines / 8) : i % 2 * 8;
    uint64_t bytes = transposed ? line / 64 * part + k / 8 * eight +
                                      k % 8 * 128 + line % 64 * 2
                                : line / 8 * eight + line % 8 * 128 + k * 2;
    const char *at = chunk_at(block, descriptor, bytes);
    note *note = weir_sim_note(block, at);
    uint32_t words[4];
    if (!note) {
      block->broken = 1;
      continue;
    }
    // A copy is visible to all threads if its thread published it before a
    // barrier.
    if (note->writer &&
        weir_sim_fiber(block, note->writer - 1)->met <= note->known)
      block->broken = 1;
    note->reader = weir_sim_number(&self->thread) / GROUP + 1;
    note->product = self->part.begun;
    memcpy(words, at, sizeof words);
    for (uint32_t j = 0; j < 8; ++j) {
      float value = weir_sim_float(words[j / 2], j % 2, kind);
      if (transposed)
        to[line + j][k] = value;
      else
        to[line][k + j] = value;
    }
  }
}

// Gives the turn away until all threads of the group are here; the last takes
// both sides.
static void meet_group(fiber *self) {
  group *group = group_of(self);
  uint32_t round = group->round;
  ++self->block->progress;
  if (++group->arrived == GROUP) {
    take(self, group->left_at, ROWS, group->transposed & 1, group->left);
    take(self, group->right_at, group->columns, group->transposed >> 1,
         group->right);
    group->arrived = 0;
    ++group->round;
  }
  while (group->round == round)
    weir_sim_pass_turn(self);
}

void weir_sim_fence(weir_sim_thread *thread) {
  ((fiber *)thread)->part.fenced = 1;
}

void weir_sim_begin_product(weir_sim_thread *thread, uint32_t kind,
                            uint32_t columns, uint64_t left, uint64_t right,
                            uint32_t transposed, float *sums) {
  fiber *self = (fiber *)thread;
  part *part = &self->part;
  group *group = group_of(self);
  float *to = sums_of(part, sums, columns / 2);
  if (!group->arrived) {
    group->kind = kind;
    group->columns = columns;
    group->left_at = left;
    group->right_at = right;
    group->transposed = transposed;
  }
  if (group->kind != kind || group->columns != columns ||
      group->left_at != left || group->right_at != right ||
      group->transposed != transposed || !to)
    self->block->broken = 1;
  ++part->begun;
  meet_group(self);
  if (!to)
    return;
  uint32_t place = weir_sim_number(thread) % GROUP;
  for (uint32_t i = 0; i < columns / 2; ++i) {
    uint32_t row = place / WARP * 16 + place % WARP / 4 + (i % 4 < 2 ? 0 : 8);
    uint32_t column = i / 4 * 8 + place % 4 * 2 + i % 2;
    for (uint32_t k = 0; k < DEPTH; ++k)
      to[i] += group->left[row][k] * group->right[column][k];
    sums[i] = (number){.bits = UNKNOWN + (uint32_t)(to - part->sums) + i}.value;
  }
}

void weir_sim_end_batch(weir_sim_thread *thread) {
  part *part = &((fiber *)thread)->part;
  part->ends[part->batches++ % MOST_BATCHES] = part->begun;
}

void weir_sim_wait_batches(weir_sim_thread *thread, uint32_t batches,
                           uint32_t count, float *sums) {
  fiber *self = (fiber *)thread;
  part *part = &self->part;
  if (batches >= MOST_BATCHES)
    self->block->broken = 1;
  else if (part->batches > batches)
    part->landed = part->ends[(part->batches - batches - 1) % MOST_BATCHES];
  if (!count || part->landed != part->begun)
    return;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = unknown(sums[i]);
    if (number < MOST_SUMS)
      sums[i] = part->sums[number];
  }
  part->fenced = part->count = 0;
}
