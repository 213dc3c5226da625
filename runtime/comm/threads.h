/* Ranks that are threads of one process: a weir_comm for each, for tests and
 * for programs that run a model of several ranks by themselves. */
#ifndef WEIR_COMM_THREADS_H
#define WEIR_COMM_THREADS_H

#include "runtime/weir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_comm_threads weir_comm_threads;

/* `ranks` tables, or null where memory ends or `ranks` is below 1. timeout_ms
 * is that of each table. The caller frees it after the last context of a rank.
 */
weir_comm_threads *weir_comm_threads_create(int ranks, int timeout_ms);
/* The table of a rank, for the config.comm of its context. Contexts of
 * different ranks are created and run at the same time, each on a thread of its
 * own. */
const weir_comm *weir_comm_threads_of(weir_comm_threads *all, int rank);
void weir_comm_threads_free(weir_comm_threads *all);

#ifdef __cplusplus
}
#endif

#endif
