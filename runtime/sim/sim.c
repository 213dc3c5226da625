// A GPU simulated on the CPU, for tests of its kernels' numbers: the blocks of
// a grid one after the other. Where threads of a block meet, each has a stack
// of its own and they take turns; each turn ends where a thread has to wait.
// Shared memory is filled with NaN before each block.

#include "runtime/sim/block.h"

#include "runtime/libc.h"

_Static_assert(BLOCK_END + ALIGNMENT <= WEIR_SIM_BLOCK, "there is room");

int32_t weir_sim_begin(weir_sim *sim, char *memory, const void *weights) {
  sim->failed = 0;
  sim->memory = memory;
  sim->weights = weights;
  return 0;
}

int32_t weir_sim_end(weir_sim *sim, int32_t answer) {
  return answer ? answer : (int32_t)sim->failed;
}

int32_t weir_gpu_copy(weir_sim *sim, void *target, const void *source,
                      uint64_t bytes) {
  (void)sim;
  memmove(target, source, bytes);
  return 0;
}

int32_t weir_gpu_fill(weir_sim *sim, void *target, int32_t value,
                      uint64_t bytes) {
  (void)sim;
  for (uint64_t i = 0; i < bytes; ++i)
    ((unsigned char *)target)[i] =
        (unsigned char)((uint32_t)value >> i % 4 * 8);
  return 0;
}

int32_t weir_gpu_read(weir_sim *sim, void *host_target,
                      const void *device_source, uint64_t bytes) {
  return weir_gpu_copy(sim, host_target, device_source, bytes);
}

int32_t weir_gpu_check(weir_sim *sim, const void *passed, uint32_t number) {
  if (!*(const unsigned char *)passed && (!sim->failed || number < sim->failed))
    sim->failed = number;
  return 0;
}

int32_t weir_gpu_to_host(weir_sim *sim, uint64_t at, const void *source,
                         uint64_t bytes) {
  return weir_gpu_copy(sim, sim->memory + at, source, bytes);
}

int32_t weir_gpu_from_host(weir_sim *sim, void *target, uint64_t at,
                           uint64_t bytes) {
  return weir_gpu_copy(sim, target, sim->memory + at, bytes);
}

int32_t weir_gpu_on_host(weir_sim *sim, void (*code)(void *host)) {
  code(&sim->memory);
  return 0;
}

// Saves what calls keep, and this stack in *save; goes on where `to` left off.
__attribute__((naked, noinline)) static void weir_sim_switch(void **save,
                                                             void *to) {
  __asm__("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\t"
          "pushq %r14\n\tpushq %r15\n\tmovq %rsp,(%rdi)\n\tmovq %rsi,%rsp\n\t"
          "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\t"
          "popq %rbp\n\tret");
}

fiber *weir_sim_fiber(const block *block, uint32_t i) {
  return (fiber *)(block->stacks + (size_t)(i + 1) * WEIR_SIM_STACK -
                   (sizeof(fiber) + 63) / 64 * 64);
}

void weir_sim_pass_turn(fiber *self) {
  weir_sim_switch(&self->stack, self->block->stack);
}

static void let_go(block *block, warp *warp) {
  if (warp->arrived && warp->arrived == warp->alive) {
    warp->arrived = 0;
    ++warp->round;
    ++block->progress;
  }
  if (block->arrived && block->arrived == block->alive) {
    block->arrived = 0;
    ++block->round;
    ++block->progress;
  }
}

uint32_t weir_sim_number(const weir_sim_thread *thread) {
  return thread->thread[0] +
         thread->threads[0] *
             (thread->thread[1] + thread->threads[1] * thread->thread[2]);
}

static warp *warp_of(fiber *self) {
  return &self->block->warps[weir_sim_number(&self->thread) / WARP];
}

void weir_sim_barrier(weir_sim_thread *thread) {
  fiber *self = (fiber *)thread;
  block *block = self->block;
  uint32_t round = block->round;
  self->met = self->known;
  ++block->arrived;
  ++block->progress;
  let_go(block, warp_of(self));
  while (block->round == round)
    weir_sim_pass_turn(self);
}

// Gives the turn away until all threads of the warp that are left are here.
// What they had written before, they may overwrite in the round after the next.
static void meet_warp(fiber *self) {
  warp *warp = warp_of(self);
  uint32_t round = warp->round;
  ++warp->arrived;
  ++self->block->progress;
  let_go(self->block, warp);
  while (warp->round == round)
    weir_sim_pass_turn(self);
}

typedef union number {
  uint32_t bits;
  float value;
} number;

uint32_t weir_sim_round_tf32(float value) {
  number in = {.value = value};
  return value != value ? 0x7fffffff : (in.bits + 0x1000) & ~0x1fffu;
}

float weir_sim_float(uint32_t word, uint32_t i, uint32_t kind) {
  uint32_t bits = word >> i * 16 & 0xffff;
  number out = {.bits = kind == WEIR_SIM_TF32 ? word : bits << 16};
  if (kind != WEIR_SIM_F16)
    return out.value;
  uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (!exponent) {
    out.value = (float)mantissa * 0x1p-24f;
    out.bits |= (bits & 0x8000) << 16;
    return out.value;
  }
  out.bits = (bits & 0x8000) << 16 | mantissa << 13 |
             (exponent == 31 ? 255 : exponent + 112) << 23;
  return out.value;
}

void weir_sim_multiply(weir_sim_thread *thread, uint32_t kind,
                       const uint32_t sides[6], float sums[4]) {
  fiber *self = (fiber *)thread;
  warp *warp = warp_of(self);
  uint32_t lane = weir_sim_number(thread) % WARP, parity = warp->round & 1;
  memcpy(warp->sides[parity][lane], sides, sizeof *warp->sides[0]);
  meet_warp(self);
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t column = 2 * (lane % 4) + i % 2, upper = i < 2;
    for (uint32_t k = 0; k < 8; ++k) {
      // A lane has words k and k + 4 of the depth.
      uint32_t from = k % 4, high = k / 4;
      uint32_t a = warp->sides[parity][lane / 4 * 4 + from][2 * high + !upper];
      uint32_t b = warp->sides[parity][column * 4 + from][4 + high];
      for (uint32_t j = 0; j < (kind == WEIR_SIM_TF32 ? 1 : 2); ++j)
        sums[i] += weir_sim_float(a, j, kind) * weir_sim_float(b, j, kind);
    }
  }
}

void weir_sim_load_matrices(weir_sim_thread *thread, const void *row,
                            uint32_t transposed, uint32_t words[4]) {
  fiber *self = (fiber *)thread;
  warp *warp = warp_of(self);
  uint32_t lane = weir_sim_number(thread) % WARP, parity = warp->round & 1;
  warp->rows[parity][lane] = row;
  meet_warp(self);
  for (uint32_t i = 0; i < 4; ++i) {
    const char *const *rows = warp->rows[parity] + 8 * i;
    uint32_t pair = lane % 4, line = lane / 4;
    if (transposed) {
      uint16_t low, high;
      memcpy(&low, rows[2 * pair] + 2 * line, sizeof low);
      memcpy(&high, rows[2 * pair + 1] + 2 * line, sizeof high);
      words[i] = low | (uint32_t)high << 16;
    } else {
      memcpy(&words[i], rows[line] + 4 * pair, sizeof words[i]);
    }
  }
}

uint32_t weir_sim_shuffle(weir_sim_thread *thread, uint32_t value,
                          uint32_t from) {
  fiber *self = (fiber *)thread;
  warp *warp = warp_of(self);
  uint32_t parity = warp->round & 1;
  warp->values[parity][weir_sim_number(thread) % WARP] = value;
  meet_warp(self);
  return from < WARP ? warp->values[parity][from] : value;
}

__attribute__((used)) static void weir_sim_run_fiber(fiber *self) {
  block *block = self->block;
  block->code(block->args, &self->thread);
  self->done = 1;
  --block->alive;
  --warp_of(self)->alive;
  ++block->progress;
  let_go(block, warp_of(self));
  weir_sim_pass_turn(self);
}

// Where a thread's stack begins: who gives it its first turn has put its fiber
// into rbx.
__attribute__((naked, noinline)) static void weir_sim_start(void) {
  __asm__("movq %rbx,%rdi\n\tcall weir_sim_run_fiber\n\tud2");
}

// Threads that wait for ever, some of them for others that are not to come,
// end as they would on a GPU: not at all, so this is reported as a failure.
static int32_t run_meeting(block *block, const weir_sim_thread *place,
                           uint32_t count) {
  memset(block->warps, 0, sizeof block->warps);
  memset(block->shared, 0xff, block->shared_bytes);
  memset(block->notes, 0, block->shared_bytes / CHUNK * sizeof(note));
  memset(block->groups, 0, (count + GROUP - 1) / GROUP * sizeof(group));
  block->alive = count;
  block->arrived = block->round = 0;
  for (uint32_t i = 0; i < count; ++i) {
    fiber *self = weir_sim_fiber(block, i);
    self->thread = *place;
    self->thread.thread[0] = i % place->threads[0];
    self->thread.thread[1] = i / place->threads[0] % place->threads[1];
    self->thread.thread[2] = i / place->threads[0] / place->threads[1];
    self->block = block;
    self->done = 0;
    self->group = self->copies = self->known = self->met = 0;
    memset(&self->part, 0, sizeof self->part);
    ++block->warps[i / WARP].alive;
    // As weir_sim_switch leaves it: r15, r14, r13, r12, rbx, rbp, the address
    // to go on at; then the stack is aligned as before a call.
    void **top = (void **)self - 9;
    memset(top, 0, 8 * sizeof(void *));
    top[4] = self;
    top[6] = (void *)weir_sim_start;
    self->stack = top;
  }
  while (block->alive) {
    uint64_t before = block->progress;
    for (uint32_t i = 0; i < count; ++i) {
      fiber *self = weir_sim_fiber(block, i);
      if (!self->done)
        weir_sim_switch(&block->stack, self->stack);
    }
    if (block->alive && block->progress == before)
      return -1;
  }
  return block->broken ? -1 : 0;
}

int32_t weir_gpu_launch(weir_sim *sim, uint32_t kernel, uint32_t gx,
                        uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                        uint32_t bz, uint32_t shared_bytes, void **args,
                        uint32_t num_args) {
  (void)num_args;
  const weir_sim_kernel *which = &weir_sim_kernels[kernel];
  char *memory = (char *)(sim + 1), *shared = memory;
  shared += (ALIGNMENT - (uintptr_t)shared % ALIGNMENT) % ALIGNMENT;
  block block = {.code = which->code,
                 .args = args,
                 .shared = shared,
                 .notes = (note *)(shared + NOTES_AT),
                 .groups = (group *)(shared + GROUPS_AT),
                 .stacks = memory + WEIR_SIM_BLOCK};
  weir_sim_thread place = {
      .threads = {bx, by, bz}, .blocks = {gx, gy, gz}, .shared = shared};
  uint64_t count = (uint64_t)bx * by * bz;
  if (count > MOST_THREADS ||
      which->shared_bytes + (uint64_t)shared_bytes > WEIR_SIM_SHARED)
    return -1;
  block.shared_bytes =
      (which->shared_bytes + shared_bytes + CHUNK - 1) / CHUNK * CHUNK;
  uint32_t *at = place.block, *thread = place.thread;
  for (at[2] = 0; at[2] < gz; ++at[2])
    for (at[1] = 0; at[1] < gy; ++at[1])
      for (at[0] = 0; at[0] < gx; ++at[0]) {
        if (which->meets) {
          int32_t failed = run_meeting(&block, &place, (uint32_t)count);
          if (failed)
            return failed;
          continue;
        }
        for (thread[2] = 0; thread[2] < bz; ++thread[2])
          for (thread[1] = 0; thread[1] < by; ++thread[1])
            for (thread[0] = 0; thread[0] < bx; ++thread[0])
              which->code(args, &place);
      }
  return 0;
}
