// Combines what another rank has sent with this rank's elements.
#ifndef WEIR_RUNTIME_COMM_COMBINE_H
#define WEIR_RUNTIME_COMM_COMBINE_H

#include "runtime/abi.h"
#include "runtime/comm/steps.h"

// Sets each element of `data` to the sum, the maximum or the minimum of it and
// that of `other`. Threads of the team share the elements; the bits do not
// depend on their number. Integers wrap, and a NaN is both maximum and minimum.
void weir_combine(const weir_team *team, const weir_collective *c, void *data,
                  const void *other, uint64_t elements);

#endif
