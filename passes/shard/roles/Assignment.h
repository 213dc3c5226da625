// Which role of a cluster computes each op of an entry.

#ifndef WEIR_PASSES_SHARD_ROLES_ASSIGNMENT_H
#define WEIR_PASSES_SHARD_ROLES_ASSIGNMENT_H

#include "dialects/graph/state/State.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/shard/roles/ReadDevices.h"

namespace weir::shard {

/// The role of each variable: by its own device, by that of the variable it
/// belongs to (`w/Adam` to `w`), or else that of the first role of one task.
class VariableRoles {
public:
  VariableRoles(mlir::ModuleOp module, const NodeRoles &nodes);
  unsigned of(mlir::FlatSymbolRefAttr variable) const {
    return roles.lookup(variable.getAttr());
  }
  unsigned of(graph::VariableOp variable) const {
    return roles.lookup(variable.getSymNameAttr());
  }

private:
  llvm::DenseMap<mlir::StringAttr, unsigned> roles;
};

/// An op reads or assigns a variable in the role of the variable. Any other op
/// is in the role of its node's device; without one in that of all its users,
/// or else of its first operand, or else of the master. Constants are copied to
/// each user.
///
/// With replicas, an op whose value differs between them is theirs. An op that
/// all of them would compute alike moves to a role of one task that has all its
/// users: updates move to the variables.
class Assignment {
public:
  Assignment(mlir::func::FuncOp entry, const NodeRoles &nodes,
             const VariableRoles &variables)
      : entry(entry), nodes(nodes), variables(variables),
        replicas(nodes.replicas()) {}

  /// Fails, with a diagnostic, at an op that no single role can compute.
  mlir::LogicalResult run();

  /// Whether each role computes the op itself: a constant.
  static bool isCopied(mlir::Operation *op);
  unsigned of(mlir::Operation *op) const { return ofOp.lookup(op); }
  /// The role that has the value: of its op, or of the argument.
  unsigned of(mlir::Value value) const;
  /// The role that returns the value.
  unsigned ofResult(mlir::Value value) const;
  /// Whether replicas have tensors of their own.
  bool varies(mlir::Value value) const { return varying.contains(value); }
  /// The op of the entry's body that uses the operand.
  mlir::Operation *userOf(mlir::OpOperand &use) const;

private:
  mlir::Block &body() const {
    return mlir::func::FuncOp(entry).getBody().front();
  }
  void findVarying();
  mlir::LogicalResult fix(mlir::Operation &op);
  std::optional<unsigned> commonRole(mlir::Value value) const;
  std::optional<unsigned> roleByUsers(mlir::Operation &op) const;
  unsigned roleOfReduction(mlir::Operation &op) const;
  void decideArguments();
  void decideByOperands(mlir::Operation &op);
  bool isOfReplicas(std::optional<unsigned> role) const {
    return role && role == replicas;
  }

  mlir::func::FuncOp entry;
  const NodeRoles &nodes;
  const VariableRoles &variables;
  std::optional<unsigned> replicas;
  llvm::DenseSet<mlir::Value> varying;
  llvm::DenseMap<mlir::Operation *, unsigned> ofOp;
  llvm::SmallVector<unsigned> ofArgument;
};

/// All operands of the op, and what its regions use from outside.
llvm::SmallVector<mlir::Value> valuesUsedBy(mlir::Operation &op);

} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_ROLES_ASSIGNMENT_H
