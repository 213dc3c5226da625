// What the simulator keeps of the block of threads that runs.
#ifndef WEIR_RUNTIME_SIM_BLOCK_H
#define WEIR_RUNTIME_SIM_BLOCK_H

#include "runtime/sim/sim.h"

enum { MOST_THREADS = 1024, WARP = 32, GROUP = 128, CHUNK = 16 };

// A copy that is on its way: it is made when the thread has to wait for it, as
// late as a GPU may make it.
typedef struct copy {
  char *target;
  const char *source;
  uint32_t bytes, valid, group;
} copy;

enum { MOST_COPIES = 96, MOST_SUMS = 128, MOST_BATCHES = 8 };

// A thread's part of what its group of warps multiplies. Products are counted
// from 1 on; of the last batches it has how many there were at their ends.
typedef struct part {
  uint32_t begun, landed, batches, ends[MOST_BATCHES];
  uint32_t fenced; // registers, since they last were the thread's
  uint32_t count;  // of sums that are on their way
  float sums[MOST_SUMS];
} part;

// One thread that may have to wait. It lies at the end of its stack.
typedef struct fiber {
  weir_sim_thread thread; // first: kernels hand it back
  struct block *block;
  void *stack; // where it left off
  int done;
  uint32_t group, copies;
  copy copy[MOST_COPIES];
  // How often it has made what it copied known to groups of warps, and how
  // often it had when it last met the other threads.
  uint32_t known, met;
  part part;
} fiber;

typedef struct warp {
  uint32_t arrived, alive, round;
  uint32_t values[2][WARP];
  uint32_t sides[2][WARP][6];
  const char *rows[2][WARP];
} warp;

// Who last copied to 16 bytes of shared memory, and which group of warps last
// began to multiply them; each number is one more, and 0 is nobody.
enum { ON_ITS_WAY = -1 };
typedef struct note {
  uint32_t writer, known; // known: the writer's when the copy was made
  uint32_t reader, product;
} note;

enum { ROWS = 64, MOST_COLUMNS = 256, DEPTH = 16 };

// Four warps that multiply together.
typedef struct group {
  uint32_t arrived, round, landed; // landed: products that all waited for
  uint32_t kind, columns, transposed;
  uint64_t left_at, right_at;
  float left[ROWS][DEPTH], right[MOST_COLUMNS][DEPTH];
} group;

typedef struct block {
  void *stack; // of who gives turns
  weir_sim_code *code;
  void *const *args;
  char *shared, *stacks;
  uint32_t shared_bytes;
  note *notes;
  group *groups;
  uint32_t alive, arrived, round;
  int broken;        // a thread did what a GPU does not take, or not reliably
  uint64_t progress; // of all threads; where there is none, they wait for ever
  warp warps[MOST_THREADS / WARP];
} block;

// Where the arena has what a block needs, from the first multiple of 1024 on:
// swizzles go by addresses.
enum {
  ALIGNMENT = 1024,
  NOTES_AT = WEIR_SIM_SHARED,
  GROUPS_AT = NOTES_AT + WEIR_SIM_SHARED / CHUNK * (int)sizeof(note),
  BLOCK_END = GROUPS_AT + MOST_THREADS / GROUP * (int)sizeof(group)
};

fiber *weir_sim_fiber(const block *block, uint32_t i);
void weir_sim_pass_turn(fiber *self);
uint32_t weir_sim_number(const weir_sim_thread *thread);
// Element `i` of a word; of tf32 there is one.
float weir_sim_float(uint32_t word, uint32_t i, uint32_t kind);
// The note of the 16 bytes that an address is in; null: it is not in what the
// block has of shared memory.
note *weir_sim_note(block *block, const char *at);
// Whether some group of warps may still read them.
int weir_sim_is_read(block *block, const note *note);

#endif
