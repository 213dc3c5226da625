// What saving and restoring by all ranks of a mesh share.
#ifndef WEIR_RUNTIME_CHECKPOINT_RANKS_H
#define WEIR_RUNTIME_CHECKPOINT_RANKS_H

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/comm/mesh.h"

// What a rank tells the others of a step.
typedef struct weir_report {
  int32_t status;
  uint32_t number; // what only this rank knows
  char message[WEIR_MESSAGE_BYTES];
} weir_report;

// Begins a call of all ranks: room for their reports, or null with a status.
weir_status weir_begin_ranks(const weir_mesh_model *model,
                             weir_context *context, const char *path,
                             weir_report **reports);
weir_status weir_end_ranks(weir_context *context, weir_report *reports,
                           weir_status status);

// The status and the message of the first rank whose step has failed; all
// reports are then known. WEIR_ERR_PEER where a rank does not answer.
weir_status weir_agree_on(weir_context *context, weir_report *reports,
                          weir_status status, uint32_t number);
// Fails, as a rank does not answer. Later calls cannot exchange.
weir_status weir_lose_ranks(weir_context *context);

#endif
