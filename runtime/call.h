// How a call on a context begins and ends: one thread at a time.
#ifndef WEIR_RUNTIME_CALL_H
#define WEIR_RUNTIME_CALL_H

#include "runtime/abi.h"

#define WEIR_PART __attribute__((always_inline)) static inline

// Begins a call on a context that is alive, or answers WEIR_ERR_BUSY and leaves
// all as it is, the text of the last failure too: it is the other thread's.
WEIR_PART weir_status weir_begin_call(weir_context *context) {
  return __atomic_exchange_n(&context->busy, 1, __ATOMIC_ACQUIRE)
             ? WEIR_ERR_BUSY
             : WEIR_OK;
}

WEIR_PART weir_status weir_end_call(weir_context *context, weir_status status) {
  __atomic_store_n(&context->busy, 0, __ATOMIC_RELEASE);
  return status;
}

#endif
