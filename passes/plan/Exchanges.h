// The collective operations of a module, for the runtime's table.

#ifndef WEIR_PASSES_PLAN_EXCHANGES_H
#define WEIR_PASSES_PLAN_EXCHANGES_H

#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Records.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/plan/Transfers.h"

namespace weir::plan {

std::vector<uint32_t> sizesOf(MeshAttr mesh);
/// The operation for steps.h, without its place in the arena.
weir_collective collectiveOf(CollectiveAttr each);
/// The bytes that a rank of a mesh of these sizes needs for it.
ExchangeRoom roomOf(CollectiveAttr each, const std::vector<uint32_t> &sizes);

class Exchanges {
public:
  explicit Exchanges(mlir::ModuleOp module) : mesh(MeshAttr::of(module)) {}

  bool hasMesh() const { return bool(mesh); }
  /// Later operations are those of the next entry.
  void endEntry() { ++entry; }
  /// Adds a collective op of stage shard. Returns its number.
  int64_t add(mlir::Operation *op);
  /// Adds the copy of the rank's part behind the sum of a reduce_scatter.
  int64_t addOwnPart(graph::ReduceScatterOp op);
  /// Adds the maximum over all ranks of an i64, for failed checks.
  int64_t addAgreement();
  bool isReduction(int64_t number) const;
  /// What an all-reduce needs beside its tensor.
  int64_t scratchBytes(int64_t number) const;
  /// Sets the offsets in the arena.
  void place(int64_t number, int64_t data, int64_t scratch);

  llvm::ArrayRef<CollectiveAttr> attributes() const { return list; }

private:
  int64_t add(mlir::Location loc, llvm::StringRef kind, llvm::StringRef combine,
              mlir::ArrayAttr axes, mlir::RankedTensorType type);

  MeshAttr mesh;
  int64_t entry = 0;
  llvm::SmallVector<CollectiveAttr> list;
};

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_EXCHANGES_H
