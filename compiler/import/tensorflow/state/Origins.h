// Where handles come from, of variables and tables: what nodes and calls hand
// on.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_ORIGINS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_ORIGINS_H

#include "compiler/import/tensorflow/Graph.h"

#include "llvm/ADT/DenseMap.h"

namespace weir::tensorflow {

/// The arguments of the functions that a node calls: all operands but the
/// selector.
llvm::ArrayRef<Edge> callArguments(const Graph &graph, int node);

/// Follows edges back through ops that give their first operand. Every node is
/// followed once, however many edges come from it.
class Origins {
public:
  using HandsOn = bool (*)(llvm::StringRef op);
  explicit Origins(HandsOn handsOn) : handsOn(handsOn) {}

  /// The argument, or the result of a node that does more than hand on; nothing
  /// where an edge leads back to itself.
  std::optional<Edge> of(const Graph &graph, Edge edge);

private:
  HandsOn handsOn;
  /// Of the nodes that hand on; nothing as long as they are followed.
  llvm::DenseMap<std::pair<const Graph *, int>, std::optional<Edge>> known;
};

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_ORIGINS_H
