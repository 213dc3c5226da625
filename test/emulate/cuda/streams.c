// Streams and graphs.

#include "cuda.h"

#include <stdlib.h>

static int make(void **made, size_t bytes) {
  *made = calloc(1, bytes);
  count_objects(1);
  return *made ? OK : OUT_OF_MEMORY;
}

static int unmake(void *gone) {
  free(gone);
  count_objects(-1);
  return OK;
}

int cuStreamCreate(void **made, uint32_t flags) {
  CALL_OUTSIDE_CAPTURE;
  note("cuStreamCreate %u", flags);
  return make(made, sizeof(stream));
}

int cuStreamDestroy_v2(void *gone) {
  CALL_IN_CONTEXT;
  note("cuStreamDestroy");
  return unmake(gone);
}

static void free_graph(graph *gone) {
  for (node *n = gone->head; n;) {
    node *next = n->next;
    free(n->arg_bytes);
    free(n);
    n = next;
  }
  unmake(gone);
}

int cuStreamBeginCapture_v2(stream *of, int mode) {
  CALL_OUTSIDE_CAPTURE;
  note("cuStreamBeginCapture %d", mode);
  void *made;
  make(&made, sizeof(graph));
  of->capture = made;
  of->capture->tail = &of->capture->head;
  ++capturing;
  return OK;
}

int cuStreamEndCapture(stream *of, graph **made) {
  int error = planned(__func__);
  if (!of->capture)
    return INVALID_VALUE;
  --capturing;
  if (error) {
    free_graph(of->capture);
    of->capture = NULL;
    return error;
  }
  note("cuStreamEndCapture %d nodes", of->capture->nodes);
  *made = of->capture;
  of->capture = NULL;
  return OK;
}

int cuGraphInstantiateWithFlags(graph **made, graph *of, uint64_t flags) {
  CALL_OUTSIDE_CAPTURE;
  (void)flags;
  note("cuGraphInstantiate");
  void *copied;
  make(&copied, sizeof(graph));
  *made = copied;
  // The executable owns the recorded work from now on.
  **made = *of;
  of->head = NULL;
  return OK;
}

int cuGraphUpload(graph *of, stream *on) {
  CALL_OUTSIDE_CAPTURE;
  (void)of, (void)on;
  note("cuGraphUpload");
  return OK;
}

int cuGraphLaunch(graph *of, stream *on) {
  CALL_IN_CONTEXT;
  note("cuGraphLaunch %d nodes", of->nodes);
  for (const node *n = of->head; n; n = n->next)
    perform(n, on);
  return OK;
}

int cuGraphExecDestroy(graph *gone) {
  CALL_IN_CONTEXT;
  note("cuGraphExecDestroy");
  free_graph(gone);
  return OK;
}

int cuGraphDestroy(graph *gone) {
  CALL_IN_CONTEXT;
  free_graph(gone);
  return OK;
}
