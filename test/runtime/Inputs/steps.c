// Executes the steps of all ranks of a mesh in one thread: transfers complete
// once both sides have started them. Prints what is wrong.

#include "runtime/comm/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MOVES = 4096 };

typedef struct rank {
  weir_step steps[MOST_MOVES];
  weir_move moves[MOST_MOVES];
  weir_steps list;
  uint32_t step; // the current one
  int sent[MOST_MOVES], received[MOST_MOVES];
  char *data, *scratch;
} rank;

static int failures = 0;

static void fail(const char *what, uint32_t ranks, uint64_t elements) {
  ++failures;
  printf("%s: %u ranks, %llu elements\n", what, ranks,
         (unsigned long long)elements);
}

// The receive of the peer's current step that matches a send, or null.
static weir_move *find(rank *to, int32_t from, const weir_move *send,
                       uint32_t *index) {
  const weir_step *step = &to->steps[to->step];
  for (uint32_t i = step->first; i < step->first + step->count; ++i)
    if (!to->moves[i].send && !to->received[i] && to->moves[i].peer == from &&
        to->moves[i].tag == send->tag) {
      *index = i;
      return &to->moves[i];
    }
  return NULL;
}

static char *memory_of(rank *r, const weir_move *move) {
  return (move->to_scratch ? r->scratch : r->data) + move->offset;
}

static int is_complete(const rank *r, const weir_step *step) {
  for (uint32_t i = step->first; i < step->first + step->count; ++i)
    if (!(r->moves[i].send ? r->sent[i] : r->received[i]))
      return 0;
  return 1;
}

static void combine(const weir_collective *c, rank *r, const weir_step *step) {
  float *data = (float *)r->data + step->at;
  const float *other = (const float *)r->scratch;
  for (uint64_t i = 0; i < step->elements; ++i)
    data[i] = c->combine == WEIR_COMBINE_SUM ? data[i] + other[i]
              : data[i] > other[i]           ? data[i]
                                             : other[i];
}

// Whether all steps end.
static int execute(const weir_collective *c, rank *all, uint32_t ranks) {
  for (;;) {
    int moved = 0, left = 0;
    for (uint32_t r = 0; r < ranks; ++r) {
      rank *self = &all[r];
      if (self->step == self->list.num_steps)
        continue;
      left = 1;
      const weir_step *step = &self->steps[self->step];
      for (uint32_t i = step->first; i < step->first + step->count; ++i) {
        const weir_move *send = &self->moves[i];
        uint32_t index;
        rank *peer = &all[send->peer];
        if (!send->send || self->sent[i] || peer->step == peer->list.num_steps)
          continue;
        weir_move *receive = find(peer, (int32_t)r, send, &index);
        if (!receive)
          continue;
        if (receive->bytes != send->bytes)
          return 0;
        memcpy(memory_of(peer, receive), memory_of(self, send), send->bytes);
        self->sent[i] = peer->received[index] = moved = 1;
      }
    }
    for (uint32_t r = 0; r < ranks; ++r) {
      rank *self = &all[r];
      if (self->step < self->list.num_steps &&
          is_complete(self, &self->steps[self->step])) {
        combine(c, self, &self->steps[self->step]);
        ++self->step;
        moved = 1;
      }
    }
    if (!left)
      return 1;
    if (!moved)
      return 0;
  }
}

static float value(uint32_t rank, uint64_t i) {
  return (float)((rank * 7919u + (uint32_t)i * 104729u) % 1000003u) * 1e-3f;
}

// The sum of all ranks in pairs, the nearest first: an element of a short
// tensor has the same bits in a long one.
static float sum_of(const weir_group *group, uint64_t i) {
  float x[64];
  uint32_t pairs = 1;
  while (pairs * 2 <= group->size)
    pairs *= 2;
  for (uint32_t k = 0; k < group->size; ++k)
    x[k] = value((uint32_t)weir_peer(group, k), i);
  for (uint32_t k = pairs; k < group->size; ++k)
    x[k - pairs] += x[k];
  for (uint32_t d = 1; d < pairs; d *= 2)
    for (uint32_t k = 0; k < pairs; k += 2 * d)
      x[k] += x[k + d];
  return x[0];
}

static void check(uint32_t kind, uint32_t how, uint32_t num_axes,
                  const uint32_t *sizes, uint32_t axes, uint64_t elements) {
  uint32_t ranks = 1;
  for (uint32_t i = 0; i < num_axes; ++i)
    ranks *= sizes[i];
  weir_collective c = {.kind = kind,
                       .combine = how,
                       .axes = axes,
                       .dtype = 3,
                       .elements = elements,
                       .element_bytes = 4,
                       .node = ""};
  uint64_t whole = 4 * elements * (kind == WEIR_ALL_GATHER ? ranks : 1) + 4;
  rank *all = calloc(ranks, sizeof *all);
  for (uint32_t r = 0; r < ranks; ++r) {
    weir_group group = weir_group_of(num_axes, sizes, axes, (int32_t)r);
    all[r].data = calloc(1, whole);
    all[r].scratch = calloc(1, whole);
    float *own = (float *)all[r].data;
    if (kind == WEIR_ALL_GATHER)
      own += group.index * elements;
    for (uint64_t i = 0; i < elements; ++i)
      own[i] = value(r, i);
    all[r].list = (weir_steps){all[r].steps, all[r].moves, 0, 0};
    weir_add_steps(&c, &group, 3, &all[r].list);
  }
  if (!execute(&c, all, ranks))
    fail("steps do not end", ranks, elements);
  for (uint32_t r = 0; r < ranks; ++r) {
    weir_group group = weir_group_of(num_axes, sizes, axes, (int32_t)r);
    const float *got = (const float *)all[r].data;
    // The first rank of the group, whose bits all others must have.
    const rank *first = &all[weir_peer(&group, 0)];
    uint64_t count = kind == WEIR_ALL_GATHER ? elements * group.size : elements;
    uint64_t begin = 0, end = count;
    if (kind == WEIR_REDUCE_SCATTER) {
      begin = count / group.size * group.index;
      end = begin + count / group.size;
    } else if (memcmp(got, first->data, 4 * count)) {
      fail("ranks have other bits", ranks, elements);
    }
    for (uint64_t i = begin; i < end; ++i) {
      if (kind == WEIR_ALL_REDUCE && how == WEIR_COMBINE_SUM &&
          got[i] != sum_of(&group, i)) {
        fail("another order of additions", ranks, elements);
        break;
      }
      double want = 0;
      for (uint32_t k = 0; k < group.size; ++k) {
        double x = value((uint32_t)weir_peer(&group, k), i % elements);
        if (kind == WEIR_ALL_GATHER)
          want = k == i / elements ? x : want;
        else
          want = how == WEIR_COMBINE_SUM ? want + x : want > x ? want : x;
      }
      double error = got[i] - want;
      if (error < 0 ? -error > 1e-5 * want : error > 1e-5 * want) {
        fail("a wrong element", ranks, elements);
        break;
      }
    }
  }
  for (uint32_t r = 0; r < ranks; ++r) {
    free(all[r].data);
    free(all[r].scratch);
  }
  free(all);
}

int main(void) {
  // Short tensors go whole, long ones by halves, also where these are uneven.
  static const uint64_t counts[] = {1, 5, 1024, 1025, 3001, 4099};
  for (uint32_t n = 1; n <= 17; ++n)
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; ++i) {
      check(WEIR_ALL_REDUCE, WEIR_COMBINE_SUM, 1, &n, 1, counts[i]);
      check(WEIR_ALL_REDUCE, WEIR_COMBINE_MAX, 1, &n, 1, counts[i]);
      check(WEIR_ALL_GATHER, WEIR_COMBINE_SUM, 1, &n, 1, counts[i]);
      check(WEIR_REDUCE_SCATTER, WEIR_COMBINE_SUM, 1, &n, 1, counts[i] * n);
    }
  // Along some of the axes of a mesh.
  static const uint32_t sizes[] = {2, 3, 4};
  for (uint32_t axes = 1; axes < 8; ++axes) {
    check(WEIR_ALL_REDUCE, WEIR_COMBINE_SUM, 3, sizes, axes, 2000);
    check(WEIR_ALL_GATHER, WEIR_COMBINE_SUM, 3, sizes, axes, 7);
    check(WEIR_REDUCE_SCATTER, WEIR_COMBINE_SUM, 3, sizes, axes, 24 * 5);
  }
  printf("%d failures\n", failures);
  return failures != 0;
}
