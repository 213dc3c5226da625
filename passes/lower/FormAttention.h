// An attention in stage lower while its softmax is still an op.

#ifndef WEIR_PASSES_LOWER_FORMATTENTION_H
#define WEIR_PASSES_LOWER_FORMATTENTION_H

#include "dialects/graph/Neural.h"

namespace weir::lower {

/// Whether the softmax is between two products of its kernel, with at most one
/// elementwise loop nest on either side, and nothing else reads its operand or
/// its result. weir-lower-graph leaves such a softmax to weir-form-attention.
bool isInAttention(graph::SoftmaxOp softmax);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_FORMATTENTION_H
