// The part of a context that exchanges messages with other ranks.
#ifndef WEIR_RUNTIME_COMM_RANKS_H
#define WEIR_RUNTIME_COMM_RANKS_H

#include "runtime/comm/mesh.h"
#include "runtime/context.h"

// The next step of each collective that is in the air.
static inline uint32_t *weir_next_steps(const weir_mesh *mesh,
                                        weir_ranks *ranks) {
  return ranks->first + mesh->num_collectives + 1;
}

// The numbers of the collectives in the air, in the order of their begins.
static inline uint32_t *weir_in_air(const weir_mesh *mesh, weir_ranks *ranks) {
  return weir_next_steps(mesh, ranks) + mesh->num_collectives;
}

static inline weir_step *weir_steps_in(const weir_mesh *mesh,
                                       weir_ranks *ranks) {
  return (weir_step *)(ranks->first + weir_ranks_words(mesh->num_collectives));
}

static inline weir_group weir_group_in(const weir_mesh *mesh,
                                       const weir_collective *c, int32_t rank) {
  return weir_group_of(mesh->info->num_axes, mesh->info->sizes, c->axes, rank);
}

#endif
