// Counts the multiply-adds of a graph.

#ifndef WEIR_DIALECTS_GRAPH_MULTIPLYADDS_H
#define WEIR_DIALECTS_GRAPH_MULTIPLYADDS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <string>

namespace weir::graph {

/// The multiply-adds of one op by its definition: those of matrix products and
/// convolutions, and 0 of all others. Zeros of paddings count. Dynamic
/// dimensions have their bounds. The largest int64 where there are more.
int64_t multiplyAdds(mlir::Operation *op);

struct MultiplyAdds {
  int64_t total = 0;
  /// By the name that the caller gives to each op.
  std::map<std::string, int64_t> byName;
  /// Whether there is a loop that ends by a value that only the run knows: its
  /// body counts once.
  bool hasUnknownLoops = false;
};

/// The same of all ops in `function`: of a conditional the branch with most of
/// them counts, and the body of a loop as often as it runs.
MultiplyAdds
countMultiplyAdds(mlir::Operation *function,
                  llvm::function_ref<std::string(mlir::Operation *)> nameOf);

/// How often the body of a `graph.while` runs that counts a variable from one
/// constant up to another; nothing of other loops.
std::optional<int64_t> countSteps(mlir::Operation *loop);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_MULTIPLYADDS_H
