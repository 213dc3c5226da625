// How much rounding may change the result of a node.

#ifndef WEIR_TOOLS_DIFF_BOUNDS_H
#define WEIR_TOOLS_DIFF_BOUNDS_H

#include "compiler/Options.h"
#include "tools/diff/Compare.h"
#include "tools/diff/Subgraph.h"

namespace weir::diff {

/// The bound that `--ulp`, `--rtol` and `--atol` set.
Bound requestedBound(const DiffOptions &options);

/// A bound for the ops of a subgraph, which compute in the types of the model
/// and in any order. `magnitudes` has the largest magnitude of each value;
/// `usual` stands for those that it lacks.
///
/// A function of an element has an error of a few units in the last place. A
/// sum of n terms has one that grows with the square root of n and with the
/// largest term. Further ops of the subgraph pass it on.
Bound boundOf(const Subgraph &subgraph,
              const llvm::DenseMap<mlir::Value, double> &magnitudes,
              double usual);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_BOUNDS_H
