// Lets ranks add updates to their own rows alone.

#ifndef WEIR_PASSES_SHARD_SPLITSCATTERS_H
#define WEIR_PASSES_SHARD_SPLITSCATTERS_H

#include "mlir/IR/PatternMatch.h"

namespace weir::shard {

/// Adds the pattern that replaces the sum of ranks behind a scatter, where each
/// rank has the updates of its own rows alone.
void addScatterPatterns(mlir::RewritePatternSet &patterns);

} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_SPLITSCATTERS_H
