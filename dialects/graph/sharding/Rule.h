// How an op computes one part of its result from parts of its operands.

#ifndef WEIR_DIALECTS_GRAPH_SHARDING_RULE_H
#define WEIR_DIALECTS_GRAPH_SHARDING_RULE_H

#include "dialects/graph/collective/Collective.h"

namespace weir::graph {

/// The dimensions of operands and results as letters, as in an einsum: the rule
/// of a matrix product is `[i,k],[k,j] -> [i,j]`, where ranks sum over k. If a
/// dimension is divided among ranks, so are all with its letter, and the op on
/// the parts computes the parts of the results.
struct ShardingRule {
  /// A dimension with this letter cannot be divided.
  static constexpr int whole = -1;

  using Letters = llvm::SmallVector<int>;

  /// For each operand and each result, the letter of each dimension.
  llvm::SmallVector<Letters> operands, results;
  /// How the results of ranks combine where a letter is divided that no result
  /// has. Letters without an entry are in each result.
  llvm::SmallDenseMap<int, Combine> combined;
};

/// The rule of the op, or none if each rank must compute it whole. A rule does
/// not depend on the number of ranks. The op may have any static shapes.
std::optional<ShardingRule> shardingRuleOf(mlir::Operation *op);

/// The `weir.shards` of the first result, if operands that have it are divided
/// so. Null if no operand has it, or if the rule does not divide the result.
mlir::DenseI64ArrayAttr inheritedShards(mlir::Operation *op);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_SHARDING_RULE_H
