// Joins a group with an earlier one that computes one of its operands.

#include "passes/fuse/GroupPair.h"

#include "dialects/graph/Shape.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::fuse {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool GroupPair::canJoin(bool moves) {
  movesGroups = moves;
  for (Value result : from.getResults())
    if (!isUsedFromHere(result))
      return false;
  findInputs();
  return true;
}

graph::GroupOp GroupPair::join() {
  OpBuilder b(to);
  SmallVector<Type> types(to.getResultTypes());
  for (Value result : kept)
    types.push_back(result.getType());
  auto group =
      b.create<graph::GroupOp>(to.getLoc(), types, inputs.getArrayRef());
  group->setDiscardableAttrs(to->getDiscardableAttrDictionary());
  Block &body = group.getBody().emplaceBlock();
  DenseMap<Value, Value> arguments;
  for (Value input : inputs)
    arguments[input] = body.addArgument(input.getType(), to.getLoc());
  b.setInsertionPointToEnd(&body);
  SmallVector<Value> ofFrom = copy(b, from, arguments);
  for (auto [result, value] : llvm::zip_equal(from.getResults(), ofFrom))
    arguments[result] = value;
  SmallVector<Value> results = copy(b, to, arguments);
  for (Value result : kept)
    results.push_back(arguments.lookup(result));
  b.create<graph::YieldOp>(to.getLoc(), results);

  // Views of the moved results move as well.
  Operation *last = group;
  for (Operation *view : views) {
    view->moveAfter(last);
    last = view;
  }
  for (Operation *user : users) {
    user->moveAfter(last);
    last = user;
  }
  unsigned next = to.getNumResults();
  for (Value result : kept)
    result.replaceUsesWithIf(group.getResult(next++), [&](OpOperand &use) {
      return use.getOwner() != to;
    });
  to.replaceAllUsesWith(group.getResults().take_front(to.getNumResults()));
  to.erase();
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      view->erase();
  from.erase();
  return group;
}

bool GroupPair::isOfFrom(Value value) const {
  Value source = graph::unshaped(value);
  return source.getDefiningOp() == from && shapeOf(source) == shapeOf(value);
}

/// Whether the only users of the result before the later group are views that
/// can move.
bool GroupPair::isUsedFromHere(Value result) {
  bool isKept = false;
  SmallVector<Value> work{result};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (user == to) {
        // The later group must use it elementwise.
        if (!isOfFrom(value))
          return false;
        continue;
      }
      Operation *position = to->getBlock()->findAncestorOpInBlock(*user);
      if (position && to->isBeforeInBlock(position)) {
        isKept = true;
      } else if (isa<graph::ReshapeOp>(user) && position == user) {
        views.push_back(user);
        work.push_back(user->getResult(0));
      } else if (movesGroups && position == user && moveUsers(user)) {
        isKept = true;
      } else {
        return false;
      }
    }
  }
  if (isKept)
    kept.insert(result);
  return true;
}

/// Adds a group between the two, and all later ones that depend on it, to those
/// that move behind the later group. Returns false if that is not possible.
bool GroupPair::moveUsers(Operation *user) {
  SmallVector<Operation *> work{user};
  SetVector<Operation *> found;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (op == to || op->getBlock() != to->getBlock() ||
        !isa<graph::GroupOp, graph::ReshapeOp>(op))
      return false;
    if (!found.insert(op))
      continue;
    for (Operation *next : op->getUsers())
      if (!to->isBeforeInBlock(to->getBlock()->findAncestorOpInBlock(*next)))
        work.push_back(next);
  }
  users.insert(found.begin(), found.end());
  return true;
}

void GroupPair::findInputs() {
  auto isBefore = [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  };
  llvm::sort(views, isBefore);
  SmallVector<Operation *> ordered = users.takeVector();
  llvm::sort(ordered, isBefore);
  users.insert(ordered.begin(), ordered.end());
  for (graph::GroupOp group : {from, to})
    for (Value input : group.getInputs())
      if (!isOfFrom(input) && !alike(input))
        inputs.insert(input);
}

/// The input with the same elements, or null.
Value GroupPair::alike(Value value) const {
  for (Value input : inputs)
    if (input.getType() == value.getType() &&
        graph::unshaped(input) == graph::unshaped(value))
      return input;
  return {};
}

/// Clones the ops of a group and returns the yielded values.
SmallVector<Value> GroupPair::copy(OpBuilder &b, graph::GroupOp group,
                                   const DenseMap<Value, Value> &arguments) {
  IRMapping map;
  for (auto [input, argument] :
       llvm::zip_equal(group.getInputs(), group.getBody().getArguments()))
    map.map(argument, isOfFrom(input) ? arguments.lookup(graph::unshaped(input))
                                      : arguments.lookup(alike(input)));
  for (Operation &op : group.getBody().front().without_terminator())
    b.clone(op, map);
  SmallVector<Value> results;
  for (Value value : group.getBody().front().getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(value));
  return results;
}

void joinGroups(Operation *root, function_ref<Value(Value)> sourceOf,
                function_ref<bool(GroupPair &)> mayJoin) {
  SmallVector<graph::GroupOp> work;
  root->walk([&](graph::GroupOp group) { work.push_back(group); });
  // Consumers come first: each joins its producers as long as it can.
  llvm::DenseSet<Operation *> gone;
  while (!work.empty()) {
    graph::GroupOp to = work.pop_back_val();
    if (gone.contains(to))
      continue;
    for (Value input : to.getInputs()) {
      auto from = sourceOf(input).getDefiningOp<graph::GroupOp>();
      if (!from)
        continue;
      GroupPair pair(from, to);
      if (!mayJoin(pair))
        continue;
      gone.insert(from);
      gone.insert(to);
      work.push_back(pair.join());
      gone.erase(work.back());
      break;
    }
  }
}

} // namespace weir::fuse
