// Counts the multiply-adds of a graph.

#ifndef WEIR_DIALECTS_GRAPH_MULTIPLYADDS_H
#define WEIR_DIALECTS_GRAPH_MULTIPLYADDS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <string>

namespace weir::graph {

/// The multiply-adds of a matrix product or convolution by its definition, and
/// 0 for other ops. Products with padding count, and dynamic dimensions count
/// as their bounds. At most the largest int64.
int64_t multiplyAdds(mlir::Operation *op);

struct MultiplyAdds {
  int64_t total = 0;
  /// By the name that the caller gives to each op.
  std::map<std::string, int64_t> byName;
  /// Whether a loop's trip count is only known at run time; its body counts
  /// once.
  bool hasUnknownLoops = false;
};

/// The multiply-adds of all ops in `function`. A conditional counts as its
/// larger branch, and a loop as its trip count times its body.
MultiplyAdds
countMultiplyAdds(mlir::Operation *function,
                  llvm::function_ref<std::string(mlir::Operation *)> nameOf);

/// The trip count of a `graph.while` that counts a variable between two
/// constants. No value for other loops.
std::optional<int64_t> countSteps(mlir::Operation *loop);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_MULTIPLYADDS_H
