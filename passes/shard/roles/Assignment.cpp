// Which role of a cluster computes each op of an entry.

#include "passes/shard/roles/Assignment.h"

#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir::shard {

SmallVector<Value> valuesUsedBy(Operation &op) {
  llvm::SetVector<Value> values(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), values);
  return values.takeVector();
}

/// The lowest role of one task, or the first role.
static unsigned firstSingle(const NodeRoles &nodes) {
  for (const ClusterRole &role : nodes.roles())
    if (role.count == 1)
      return role.index;
  return 0;
}

VariableRoles::VariableRoles(ModuleOp module, const NodeRoles &nodes) {
  llvm::StringMap<unsigned> placed;
  for (auto variable : module.getOps<graph::VariableOp>())
    if (std::optional<unsigned> role = nodes.of(variable.getLoc()))
      placed[variable.nameInModel()] = *role;
  for (auto variable : module.getOps<graph::VariableOp>()) {
    unsigned role = nodes.replicas() ? firstSingle(nodes) : nodes.master();
    for (StringRef name = variable.nameInModel(); !name.empty();
         name = name.rsplit('/').first) {
      if (auto found = placed.find(name); found != placed.end()) {
        role = found->second;
        break;
      }
      if (!name.contains('/'))
        break;
    }
    roles[variable.getSymNameAttr()] = role;
  }
}

bool Assignment::isCopied(Operation *op) {
  return op && op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         op->getNumResults() == 1 && isMemoryEffectFree(op);
}

unsigned Assignment::of(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument[argument.getArgNumber()];
  return of(value.getDefiningOp());
}

unsigned Assignment::ofResult(Value value) const {
  if (varies(value) || isa<BlockArgument>(value))
    return of(value);
  Operation *op = value.getDefiningOp();
  return nodes.of(op->getLoc())
      .value_or(isCopied(op) ? nodes.master() : of(op));
}

Operation *Assignment::userOf(OpOperand &use) const {
  return body().findAncestorOpInBlock(*use.getOwner());
}

void Assignment::findVarying() {
  if (!replicas)
    return;
  for (BlockArgument argument : body().getArguments())
    if (attrs::shards.ofArgument(entry, argument.getArgNumber()))
      varying.insert(argument);
  for (Operation &op : body().without_terminator())
    if (!isa<graph::AllReduceOp, graph::AllGatherOp>(op) &&
        llvm::any_of(valuesUsedBy(op),
                     [&](Value value) { return varies(value); }))
      varying.insert(op.result_begin(), op.result_end());
}

/// Decides ops that have one possible role.
LogicalResult Assignment::fix(Operation &op) {
  std::optional<unsigned> role;
  WalkResult walked = op.walk([&](Operation *inner) {
    FlatSymbolRefAttr variable;
    if (auto read = dyn_cast<graph::ReadVariableOp>(inner))
      variable = read.getVariableAttr();
    else if (auto write = dyn_cast<graph::WriteVariableOp>(inner))
      variable = write.getVariableAttr();
    else
      return WalkResult::advance();
    unsigned found = variables.of(variable);
    if (role && role != found)
      return WalkResult::interrupt();
    role = found;
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return emitError(op.getLoc(),
                     "uses variables of several tasks in a branch or a "
                     "loop, which weir partition does not divide");
  if (isa<graph::AllGatherOp, graph::OwnPartOp>(op))
    return emitError(op.getLoc(),
                     "needs the whole batch, and each task has a part of "
                     "it; name one task for the node");
  if (isa<graph::AllReduceOp>(op) &&
      nodes.roles()[firstSingle(nodes)].count > 1)
    return emitError(op.getLoc(), "adds parts of all tasks of '")
           << nodes.roles().front().name
           << "', and the cluster has no other task; weir compile --mesh=data="
           << nodes.roles().front().count << " needs no cluster";
  bool isTheirs = replicas && !isa<graph::AllReduceOp>(op) &&
                  llvm::any_of(valuesUsedBy(op),
                               [&](Value value) { return varies(value); });
  if (isTheirs && role && role != replicas)
    return emitError(op.getLoc(),
                     "uses variables of one task and a part of the batch of "
                     "another in a branch or a loop, which weir partition "
                     "does not divide");
  if (isTheirs)
    role = replicas;
  if (role)
    ofOp[&op] = *role;
  return success();
}

/// The one role that has all users that are decided so far; none where the
/// entry returns the value, or where they have several.
std::optional<unsigned> Assignment::commonRole(Value value) const {
  std::optional<unsigned> common;
  for (OpOperand &use : value.getUses()) {
    Operation *user = userOf(use);
    if (isa<func::ReturnOp>(user))
      return std::nullopt;
    auto found = ofOp.find(user);
    if (found == ofOp.end())
      continue;
    if (common && common != found->second)
      return std::nullopt;
    common = found->second;
  }
  return common;
}

std::optional<unsigned> Assignment::roleByUsers(Operation &op) const {
  std::optional<unsigned> own = nodes.of(op.getLoc()), users;
  if (op.getNumResults() == 1)
    users = commonRole(op.getResult(0));
  if (own && !isOfReplicas(own))
    return own;
  // All replicas would compute it.
  if (users && !isOfReplicas(users))
    return users;
  return own ? own : users;
}

/// One task adds the parts of all: one that uses the sum.
unsigned Assignment::roleOfReduction(Operation &op) const {
  unsigned role = ~0u;
  for (OpOperand &use : op.getUses())
    if (auto found = ofOp.find(userOf(use));
        found != ofOp.end() && nodes.roles()[found->second].count == 1)
      role = std::min(role, found->second);
  return role == ~0u ? firstSingle(nodes) : role;
}

void Assignment::decideArguments() {
  for (BlockArgument argument : body().getArguments()) {
    std::optional<unsigned> role = nodes.of(argument.getLoc());
    if (varies(argument))
      role = replicas;
    if (!role || isOfReplicas(role))
      if (std::optional<unsigned> users = commonRole(argument);
          users && !varies(argument))
        role = users;
    ofArgument.push_back(role.value_or(nodes.master()));
  }
}

void Assignment::decideByOperands(Operation &op) {
  for (Value value : valuesUsedBy(op))
    if (!isCopied(value.getDefiningOp()))
      return void(ofOp[&op] = of(value));
  ofOp[&op] = nodes.master();
}

LogicalResult Assignment::run() {
  findVarying();
  for (Operation &op : body().without_terminator()) {
    if (isa<graph::SymbolOp>(op) || attrs::sizes.isOn(&op))
      return emitError(op.getLoc(),
                       "has dynamic dimensions, which weir partition does "
                       "not divide; --dim sets a size");
    if (failed(fix(op)))
      return failure();
  }
  for (Operation &op : llvm::reverse(body().without_terminator())) {
    if (ofOp.contains(&op) || isCopied(&op))
      continue;
    if (isa<graph::AllReduceOp>(op))
      ofOp[&op] = roleOfReduction(op);
    else if (std::optional<unsigned> role = roleByUsers(op))
      ofOp[&op] = *role;
  }
  decideArguments();
  for (Operation &op : body().without_terminator())
    if (!ofOp.contains(&op) && !isCopied(&op))
      decideByOperands(op);
  return success();
}

} // namespace weir::shard
