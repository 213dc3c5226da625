// The library of one task of a cluster, which weir partition made.
#ifndef WEIR_TOOLS_RUN_RANKS_ROLE_H
#define WEIR_TOOLS_RUN_RANKS_ROLE_H

#include "tools/run/execute.h"

#include <stdio.h>

/// Makes `run->info` a model that is this task's part: its inputs are whole,
/// and equal tasks take their parts of them. The first of equal tasks has the
/// whole outputs, and the others print and write nothing. Values for tensors of
/// other tasks have no effect, so that all tasks can have the same arguments.
/// `agreed` is set when all tasks fail alike. 0, or an exit status after a
/// message.
int role_join(struct run *run, const weir_mesh_info *mesh,
              const weir_comm *comm, int *agreed);
/// The steps of an epoch: those of the tasks that have data. 0, or an exit
/// status after a message.
int role_steps(struct run *run, int64_t *steps);

/// Only one rank prints and writes; the others compute.
void silence(struct options *o);
void mute(FILE *stream);

#endif
