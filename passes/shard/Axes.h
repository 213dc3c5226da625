// Axes of a mesh with a meaning of their own.

#ifndef WEIR_PASSES_SHARD_AXES_H
#define WEIR_PASSES_SHARD_AXES_H

#include "dialects/graph/collective/Collective.h"

namespace weir::shard {

using graph::dataAxis;

/// The values of `weir.reshard`; no attribute: a remark.
namespace reshard {
inline constexpr char error[] = "error";
inline constexpr char silent[] = "silent";
} // namespace reshard

} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_AXES_H
