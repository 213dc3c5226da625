// The collective operations of a module, for the runtime's table.

#ifndef WEIR_PASSES_PLAN_EXCHANGES_H
#define WEIR_PASSES_PLAN_EXCHANGES_H

#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Records.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/plan/Transfers.h"

namespace weir::plan {

std::vector<uint32_t> sizesOf(MeshAttr mesh);
/// The operation for steps.h, without its offsets in the arena. `number` is its
/// index in the module.
weir_collective collectiveOf(CollectiveAttr each, int64_t number);
/// The bytes that a rank of a mesh of these sizes needs for it.
ExchangeRoom roomOf(CollectiveAttr each, const std::vector<uint32_t> &sizes);

class Exchanges {
public:
  explicit Exchanges(mlir::ModuleOp module)
      : mesh(MeshAttr::of(module)), cluster(ClusterAttr::of(module)) {}

  bool hasMesh() const { return bool(mesh); }
  /// Whether the module is that of a role, whose agreements are ops.
  bool isOfRole() const { return bool(cluster); }
  /// Later operations are those of the next entry.
  void endEntry() { ++entry; }
  /// Adds a collective op of stage shard. Returns its number.
  int64_t add(mlir::Operation *op);
  /// Adds the copy of the rank's part behind the sum of a reduce_scatter.
  int64_t addOwnPart(graph::ReduceScatterOp op);
  /// Adds a message between roles.
  int64_t add(graph::SendOp op);
  int64_t add(graph::RecvOp op);
  /// Adds the maximum over all ranks of an i64, for failed checks. The key is
  /// that of its messages; -1 for the number.
  int64_t addAgreement(int64_t key);
  bool isReduction(int64_t number) const;
  /// What an all-reduce needs beside its tensor.
  int64_t scratchBytes(int64_t number) const;
  /// Sets the offsets in the arena.
  void place(int64_t number, int64_t data, int64_t scratch);

  llvm::ArrayRef<CollectiveAttr> attributes() const { return list; }

private:
  int64_t add(mlir::Location loc, llvm::StringRef kind, llvm::StringRef combine,
              mlir::ArrayAttr axes, mlir::RankedTensorType type);
  int64_t addMessage(mlir::Operation *op, llvm::StringRef kind,
                     mlir::RankedTensorType type, const ClusterRole &peer,
                     int64_t peers, int64_t key, int64_t only);

  MeshAttr mesh;
  ClusterAttr cluster;
  int64_t entry = 0;
  llvm::SmallVector<CollectiveAttr> list;
};

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_EXCHANGES_H
