// A collective operation as a list of transfers and additions. The compiler
// includes this file, too: it executes the lists of all ranks before it emits
// the table (passes/plan/CheckTransfers.cpp).
//
// An all-reduce of long tensors halves the tensor in each step and doubles it
// again (recursive halving and doubling: Thakur, Rabenseifner and Gropp 2005,
// "Optimization of Collective Communication Operations in MPICH"); short
// tensors go whole, which needs half the messages. Both add in pairs, the
// nearest rank first, so that the bits depend on the number of ranks only.
// Ranks beyond the largest power of two give their tensors to others before and
// get the result after.
#ifndef WEIR_RUNTIME_COMM_STEPS_H
#define WEIR_RUNTIME_COMM_STEPS_H

#include "runtime/comm/info.h"

#include <stddef.h>
#include <stdint.h>

enum { WEIR_COMBINE_SUM = 0, WEIR_COMBINE_MAX = 1, WEIR_COMBINE_MIN = 2 };

typedef struct weir_collective {
  uint32_t kind, combine;
  uint32_t axes; // a bit for each axis of the mesh
  uint32_t dtype;
  uint64_t elements; // of the tensor, or of one rank's part of it
  uint64_t element_bytes;
  uint64_t data, scratch; // offsets in the arena
  const char *node;
  uint32_t key; // the same on all ranks: tags of messages begin at 64 * key
  // Of a message: with which ranks, and the one rank that takes part, or -1.
  int32_t peer;
  uint32_t peers;
  int32_t only;
} weir_collective;

// Transfers that begin together, and then an addition of the scratch memory to
// elements of the data.
typedef struct weir_step {
  uint32_t first, count; // of the transfers
  uint64_t at, elements; // what is combined; none where elements is 0
} weir_step;

// The words that a context has for the state of so many collectives, before
// its steps (`first` of weir_ranks).
static inline uint64_t weir_ranks_words(uint64_t num_collectives) {
  return (3 * num_collectives + 1 + 1) / 2 * 2;
}

// A transfer before its memory has an address.
typedef struct weir_move {
  uint64_t offset; // bytes from the beginning of the data, or of the scratch
  uint64_t bytes;
  int32_t peer, tag;
  uint8_t send, to_scratch;
} weir_move;

typedef struct weir_steps {
  weir_step *steps;
  weir_move *moves; // both null where only the numbers matter
  uint32_t num_steps, num_moves;
} weir_steps;

// The ranks that work together.
typedef struct weir_group {
  uint32_t size, index; // how many, and which of them this rank is
  int32_t rank;         // of this rank in the mesh
  uint32_t num_axes, axes;
  const uint32_t *sizes;
} weir_group;

static inline weir_group weir_group_of(uint32_t num_axes, const uint32_t *sizes,
                                       uint32_t axes, int32_t rank) {
  weir_group group = {1, 0, rank, num_axes, axes, sizes};
  uint32_t rest = (uint32_t)rank, scale = 1;
  for (uint32_t i = num_axes; i-- > 0; rest /= sizes[i])
    if (axes >> i & 1) {
      group.index += rest % sizes[i] * scale;
      group.size *= sizes[i];
      scale *= sizes[i];
    }
  return group;
}

// The rank in the mesh of a rank of the group.
static inline int32_t weir_peer(const weir_group *group, uint32_t index) {
  uint32_t rest = (uint32_t)group->rank, stride = 1;
  int32_t peer = group->rank;
  for (uint32_t i = group->num_axes; i-- > 0;) {
    uint32_t size = group->sizes[i];
    if (group->axes >> i & 1) {
      peer +=
          ((int32_t)(index % size) - (int32_t)(rest % size)) * (int32_t)stride;
      index /= size;
    }
    rest /= size;
    stride *= size;
  }
  return peer;
}

static inline void weir_add_move(weir_steps *to, weir_move move) {
  if (!move.bytes)
    return;
  if (to->moves)
    to->moves[to->num_moves] = move;
  ++to->num_moves;
}

// Ends a step of the moves since `first`.
static inline void weir_end_step(weir_steps *to, uint32_t first, uint64_t at,
                                 uint64_t elements) {
  if (to->steps)
    to->steps[to->num_steps] =
        (weir_step){first, to->num_moves - first, at, elements};
  ++to->num_steps;
}

enum {
  // Whole tensors up to so many bytes: a message costs as much as 4 KB of data.
  WEIR_SHORT_BYTES = 4096,
  // Each collective has so many tags, so that several can be in the air.
  WEIR_TAGS = 64
};

// The bytes that an all-reduce on so many ranks receives at once.
static inline uint64_t weir_scratch_bytes(const weir_collective *c,
                                          uint32_t ranks) {
  uint64_t n = c->elements, width = c->element_bytes;
  int has_surplus = (ranks & (ranks - 1)) != 0;
  return has_surplus || n * width <= WEIR_SHORT_BYTES ? n * width
                                                      : (n - n / 2) * width;
}

static inline void weir_reduce_steps(const weir_collective *c,
                                     const weir_group *group, uint32_t number,
                                     weir_steps *to) {
  enum { FOLD = 0, HALVE = 1, DOUBLE = 25, UNFOLD = 50 };
  uint64_t n = c->elements, width = c->element_bytes;
  int32_t tag = (int32_t)(number * WEIR_TAGS);
  uint32_t pairs = 1, index = group->index;
  while (pairs * 2 <= group->size)
    pairs *= 2;
  if (index >= pairs) {
    int32_t peer = weir_peer(group, index - pairs);
    uint32_t first = to->num_moves;
    weir_add_move(to, (weir_move){0, n * width, peer, tag + FOLD, 1, 0});
    weir_end_step(to, first, 0, 0);
    first = to->num_moves;
    weir_add_move(to, (weir_move){0, n * width, peer, tag + UNFOLD, 0, 0});
    weir_end_step(to, first, 0, 0);
    return;
  }
  uint32_t has_surplus = index < group->size - pairs;
  if (has_surplus) {
    uint32_t first = to->num_moves;
    weir_add_move(to, (weir_move){0, n * width, weir_peer(group, index + pairs),
                                  tag + FOLD, 0, 1});
    weir_end_step(to, first, 0, n);
  }
  if (n * width <= WEIR_SHORT_BYTES) {
    for (uint32_t d = 1, step = 0; d < pairs; d *= 2, ++step) {
      int32_t peer = weir_peer(group, index ^ d);
      uint32_t first = to->num_moves;
      weir_add_move(to, (weir_move){0, n * width, peer,
                                    tag + HALVE + (int32_t)step, 0, 1});
      weir_add_move(to, (weir_move){0, n * width, peer,
                                    tag + HALVE + (int32_t)step, 1, 0});
      weir_end_step(to, first, 0, n);
    }
  } else {
    uint64_t begins[32], counts[32], begin = 0, count = n;
    uint32_t step = 0;
    for (uint32_t d = 1; d < pairs; d *= 2, ++step) {
      int32_t peer = weir_peer(group, index ^ d);
      uint64_t low = count / 2, high = count - low;
      uint32_t is_high = index >> step & 1;
      uint64_t keep = is_high ? begin + low : begin;
      uint64_t kept = is_high ? high : low;
      uint32_t first = to->num_moves;
      begins[step] = begin;
      counts[step] = count;
      weir_add_move(to, (weir_move){0, kept * width, peer,
                                    tag + HALVE + (int32_t)step, 0, 1});
      weir_add_move(to, (weir_move){(is_high ? begin : begin + low) * width,
                                    (count - kept) * width, peer,
                                    tag + HALVE + (int32_t)step, 1, 0});
      weir_end_step(to, first, keep, kept);
      begin = keep;
      count = kept;
    }
    while (step-- > 0) {
      int32_t peer = weir_peer(group, index ^ (1u << step));
      uint64_t low = counts[step] / 2;
      uint32_t is_high = index >> step & 1;
      uint64_t other = is_high ? begins[step] : begins[step] + low;
      uint32_t first = to->num_moves;
      weir_add_move(to,
                    (weir_move){other * width, (counts[step] - count) * width,
                                peer, tag + DOUBLE + (int32_t)step, 0, 0});
      weir_add_move(to, (weir_move){begin * width, count * width, peer,
                                    tag + DOUBLE + (int32_t)step, 1, 0});
      weir_end_step(to, first, 0, 0);
      begin = begins[step];
      count = counts[step];
    }
  }
  if (has_surplus) {
    uint32_t first = to->num_moves;
    weir_add_move(to, (weir_move){0, n * width, weir_peer(group, index + pairs),
                                  tag + UNFOLD, 1, 0});
    weir_end_step(to, first, 0, 0);
  }
}

// Each rank sends its neighbour the part that it got last: a ring, which moves
// the fewest bytes for any number of ranks.
static inline void weir_gather_steps(const weir_collective *c,
                                     const weir_group *group, uint32_t number,
                                     weir_steps *to) {
  uint64_t bytes = c->elements * c->element_bytes;
  uint32_t n = group->size, index = group->index;
  for (uint32_t s = 0; s + 1 < n; ++s) {
    uint32_t sent = (index + n - s) % n, received = (index + 2 * n - s - 1) % n;
    uint32_t first = to->num_moves;
    weir_add_move(to, (weir_move){received * bytes, bytes,
                                  weir_peer(group, (index + n - 1) % n),
                                  (int32_t)(number * WEIR_TAGS), 0, 0});
    weir_add_move(to, (weir_move){sent * bytes, bytes,
                                  weir_peer(group, (index + 1) % n),
                                  (int32_t)(number * WEIR_TAGS), 1, 0});
    weir_end_step(to, first, 0, 0);
  }
}

// Each rank gets its part of the sum. The number of elements is a multiple of
// the number of ranks. A power of two of ranks halves the tensor, the farthest
// pairs first; the range of a rank is then its part. Other ranks send each part
// to the rank that it is for, which adds them in the order of their distance.
static inline void weir_scatter_steps(const weir_collective *c,
                                      const weir_group *group, uint32_t number,
                                      weir_steps *to) {
  enum { TAGS = 64 };
  uint64_t width = c->element_bytes, n = group->size, index = group->index;
  uint64_t part = c->elements / n;
  int32_t tag = (int32_t)(number * TAGS);
  if (n & (n - 1)) {
    for (uint32_t s = 1; s < n; ++s) {
      uint64_t target = (index + s) % n, source = (index + n - s) % n;
      uint32_t first = to->num_moves;
      weir_add_move(to,
                    (weir_move){0, part * width,
                                weir_peer(group, (uint32_t)source), tag, 0, 1});
      weir_add_move(to,
                    (weir_move){target * part * width, part * width,
                                weir_peer(group, (uint32_t)target), tag, 1, 0});
      weir_end_step(to, first, index * part, part);
    }
    return;
  }
  uint64_t begin = 0; // of the ranks whose parts this rank still adds
  for (uint64_t d = n / 2; d; d /= 2, ++tag) {
    int32_t peer = weir_peer(group, (uint32_t)(index ^ d));
    uint64_t keep = index & d ? begin + d : begin;
    uint64_t give = index & d ? begin : begin + d;
    uint32_t first = to->num_moves;
    weir_add_move(to, (weir_move){0, d * part * width, peer, tag, 0, 1});
    weir_add_move(to, (weir_move){give * part * width, d * part * width, peer,
                                  tag, 1, 0});
    weir_end_step(to, first, keep * part, d * part);
    begin = keep;
  }
}

// One tensor to each peer, or one from each, which lie behind each other.
static inline void weir_message_steps(const weir_collective *c,
                                      const weir_group *group, uint32_t key,
                                      weir_steps *to) {
  enum { TAG = 63 };
  uint64_t bytes = c->elements * c->element_bytes;
  uint32_t first = to->num_moves;
  if (c->only >= 0 && c->only != group->rank)
    return;
  for (uint32_t i = 0; i < c->peers; ++i)
    weir_add_move(to,
                  (weir_move){c->kind == WEIR_RECV ? i * bytes : 0, bytes,
                              c->peer + (int32_t)i, (int32_t)(key * 64 + TAG),
                              c->kind == WEIR_SEND, 0});
  weir_end_step(to, first, 0, 0);
}

// Appends the steps of a rank's part in the collective with the key.
static inline void weir_add_steps(const weir_collective *c,
                                  const weir_group *group, uint32_t key,
                                  weir_steps *to) {
  if (c->kind == WEIR_ALL_REDUCE)
    weir_reduce_steps(c, group, key, to);
  else if (c->kind == WEIR_ALL_GATHER)
    weir_gather_steps(c, group, key, to);
  else if (c->kind == WEIR_REDUCE_SCATTER)
    weir_scatter_steps(c, group, key, to);
  else if (c->kind != WEIR_OWN_PART)
    weir_message_steps(c, group, key, to);
}

#endif
