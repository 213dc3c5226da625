// The roles that the devices of nodes name.

#ifndef WEIR_PASSES_SHARD_ROLES_READDEVICES_H
#define WEIR_PASSES_SHARD_ROLES_READDEVICES_H

#include "dialects/weir/Records.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir::shard {

/// Compares the devices of nodes (`weir.devices`) with `weir.cluster`: each job
/// and task must be there. Nodes with a job and no task make the tasks of that
/// job replicas: these compute the same, each on its part of the batch, and
/// `weir.mesh` gets the axis `data`. Fails, with a diagnostic at the node.
mlir::LogicalResult readDevices(mlir::ModuleOp module);

/// The roles of a module's nodes, after readDevices.
class NodeRoles {
public:
  explicit NodeRoles(mlir::ModuleOp module);

  llvm::ArrayRef<ClusterRole> roles() const { return all; }
  /// The number of the role that the innermost node with a job names; none
  /// where no node does.
  std::optional<unsigned> of(mlir::Location location) const;
  /// The role of what no node places: TensorFlow's `/job:worker/task:0`, or the
  /// first task of the first job.
  unsigned master() const;
  /// The role of several tasks; none where each task has its own.
  std::optional<unsigned> replicas() const;

private:
  ClusterAttr cluster;
  mlir::DictionaryAttr devices;
  llvm::SmallVector<ClusterRole> all;
};

} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_ROLES_READDEVICES_H
