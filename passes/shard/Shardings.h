// Which dimensions of a tensor are divided among the ranks of a mesh.

#ifndef WEIR_PASSES_SHARD_SHARDINGS_H
#define WEIR_PASSES_SHARD_SHARDINGS_H

#include "dialects/graph/sharding/Rule.h"
#include "dialects/weir/Records.h"

namespace weir::shard {

/// For each dimension a bit for each axis of the mesh that divides it.
using Sharding = llvm::SmallVector<int64_t>;

/// No dimension is divided.
Sharding wholeOf(mlir::Value value);
bool isWhole(llvm::ArrayRef<int64_t> sharding);

/// The names of the axes, in the order of the mesh.
mlir::ArrayAttr axesOf(MeshAttr mesh, int64_t bits);
/// The bit of the axis; 0 if the mesh lacks it.
int64_t bitOf(MeshAttr mesh, llvm::StringRef axis);
/// The number of ranks of the grid of these axes.
int64_t ranksOf(MeshAttr mesh, int64_t bits);

/// Whether each dimension of the tensor is a multiple of the number of ranks
/// that divide it. False for other types.
bool canDivide(MeshAttr mesh, mlir::Type type,
               llvm::ArrayRef<int64_t> sharding);

/// The type of one rank's part. All dimensions are divisible.
mlir::RankedTensorType partOf(MeshAttr mesh, mlir::Type whole,
                              llvm::ArrayRef<int64_t> sharding);

/// How an op computes parts: the axes that divide each letter of its rule.
class Division {
public:
  Division(MeshAttr mesh, mlir::Operation *op, graph::ShardingRule rule)
      : mesh(mesh), op(op), rule(std::move(rule)) {}

  /// Divides letters as the operands are divided. If two operands are divided
  /// along one axis by different letters, the larger operand decides.
  void follow(llvm::ArrayRef<Sharding> operands);
  /// Divides letters as the result is to be divided; false if the rule has no
  /// letter for one of its dimensions.
  bool produce(unsigned result, llvm::ArrayRef<int64_t> sharding);

  /// Whether any letter is divided. If none is, each rank computes the op
  /// whole.
  bool dividesAny() const { return used != 0; }
  Sharding ofOperand(unsigned i) const { return shardingOf(rule.operands[i]); }
  Sharding ofResult(unsigned i) const { return shardingOf(rule.results[i]); }
  /// The axes along which the result is a partial sum, and how ranks combine
  /// it.
  std::pair<int64_t, graph::Combine> partialAxes() const;

private:
  /// Divides the letter along these axes, if they are free and all dimensions
  /// with the letter are divisible.
  bool divide(int letter, int64_t axes);
  bool isDivisible(int letter, int64_t ranks) const;
  Sharding shardingOf(const graph::ShardingRule::Letters &letters) const;

  MeshAttr mesh;
  mlir::Operation *op;
  graph::ShardingRule rule;
  llvm::SmallDenseMap<int, int64_t> axesOfLetter;
  int64_t used = 0; // axes that divide a letter
};

} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_SHARDINGS_H
