// What the code of a library for several ranks and its runtime agree on. The
// compiler emits the calls (passes/entry/LowerPlan.cpp) and builds
// weir_mesh_model in LLVM IR (compiler/emit/mesh/MeshTable.cpp): change them
// together.
#ifndef WEIR_RUNTIME_COMM_MESH_H
#define WEIR_RUNTIME_COMM_MESH_H

#include "runtime/abi.h"
#include "runtime/comm/info.h"
#include "runtime/comm/steps.h"

// Weights that are divided among ranks: for each index of a rank along
// the axes `stride` bytes, from `offset` on.
typedef struct weir_region {
  uint64_t axes; // a bit for each axis of the mesh
  uint64_t offset, stride;
} weir_region;

typedef struct weir_mesh {
  const weir_mesh_info *info;
  const char *text; // "data=4,model=2"
  uint64_t fingerprint;
  const weir_collective *collectives;
  uint64_t num_collectives;
  uint64_t num_steps, num_transfers; // room for those of any rank
  const weir_region *regions;
  uint64_t num_regions;
  uint64_t table; // offset in the arena of the addresses of the rank's parts
} weir_mesh;

typedef struct weir_mesh_model {
  weir_model model;
  const weir_mesh *mesh;
  uint64_t at; // where a context has its weir_ranks
} weir_mesh_model;

// The part of a context that exchanges messages: behind it the first step of
// each collective and one more, the next step of each, the numbers of those in
// the air, and then all steps.
typedef struct weir_ranks {
  const weir_comm *comm;
  weir_status status; // of the exchange or agreement that ended the last run
  int broken;         // whether later runs cannot exchange
  uint32_t in_air;    // how many collectives have begun and not ended
  uint32_t zero;      // so that the steps are aligned
  char message[WEIR_MESSAGE_BYTES]; // beside `status`
  uint32_t first[];
} weir_ranks;

static inline const weir_mesh *weir_mesh_of(const weir_context *context) {
  return ((const weir_mesh_model *)context->model)->mesh;
}

static inline weir_ranks *weir_ranks_in(weir_context *context) {
  const weir_mesh_model *model = (const weir_mesh_model *)context->model;
  return (weir_ranks *)((char *)context + model->at);
}

extern const size_t weir_ranks_bytes; // without `first`

// Calls of an entry. They return 0, or 1 if the run ends.
int32_t weir_exchange(const weir_team *team, uint32_t number, void *first,
                      void *second);
// Parts of an all-reduce: begin and continue wait for nothing.
int32_t weir_begin_exchange(const weir_team *team, uint32_t number);
int32_t weir_continue_exchanges(const weir_team *team);
int32_t weir_end_exchange(const weir_team *team, uint32_t number);
int32_t weir_agree(const weir_team *team, uint32_t number, int32_t failed);

weir_status weir_mesh_create(const weir_mesh_model *model, void *memory,
                             const weir_config *config, weir_context **out);
weir_status weir_mesh_run(const weir_mesh_model *model, weir_context *context,
                          uint32_t function, void *const *tensors,
                          uint32_t num_tensors);

// Checkpoints of all ranks (runtime/checkpoint/ranks.c), linked into models
// that have variables. All ranks call them, and all get the same answer. Of
// `path` the index is written by rank 0, and of each variable that several
// ranks have one of these writes a copy.
weir_status weir_mesh_save(const weir_mesh_model *model, weir_context *context,
                           const char *path);
weir_status weir_mesh_restore(const weir_mesh_model *model,
                              weir_context *context, const char *path);

#endif
