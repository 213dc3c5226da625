// Which nodes must be traced, and in which order.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ORDER_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ORDER_H

#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/file/Summary.h"

namespace weir::tensorflow {

/// The nodes that `wanted` needs, operands first, without those behind fed
/// edges; an error where they form a cycle. `level` is the loop to which all of
/// them must belong.
mlir::FailureOr<std::vector<int>> orderNodes(Report &report, const Graph &graph,
                                             llvm::ArrayRef<Edge> wanted,
                                             llvm::ArrayRef<int> controls,
                                             const Feeds &fed, int level = -1);

/// The nodes that are traced for these results, ascending (Order.cpp).
std::vector<int> neededNodes(const Graph &graph, llvm::ArrayRef<Edge> wanted,
                             llvm::ArrayRef<int> controls);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ORDER_H
