// Joins two elementwise groups over the same elements, one of which uses the
// result of the other. The joined group has the results of both.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-join-groups"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_JOINGROUPS
#include "passes/fuse/Passes.h.inc"

namespace {

/// Larger groups exceed the registers, and the streams that a hardware
/// prefetcher can follow.
constexpr size_t maxOps = 60, maxStreams = 12;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether the group is one elementwise loop for each of its results.
bool isElementwise(graph::GroupOp group) {
  if (group.getNumResults() == 0)
    return false;
  ArrayRef<int64_t> shape = shapeOf(group.getResult(0));
  if (llvm::is_contained(shape, 0))
    return false;
  return llvm::all_of(
      group.getBody().front().without_terminator(), [&](Operation &op) {
        auto broadcast = dyn_cast<graph::BroadcastOp>(op);
        bool isOfElements =
            isa<graph::ScalarOpInterface, graph::ConstantOp>(op) ||
            (broadcast && isa<BlockArgument>(broadcast.getX()));
        return isOfElements && shapeOf(op.getResult(0)) == shape;
      });
}

/// A group, and an earlier one that computes one of its operands.
class Pair {
public:
  Pair(graph::GroupOp from, graph::GroupOp to) : from(from), to(to) {}

  bool mayJoin() {
    if (from->getBlock() != to->getBlock() ||
        attrs::host.isOn(from) != attrs::host.isOn(to) ||
        !isElementwise(from) || !isElementwise(to) ||
        shapeOf(from.getResult(0)) != shapeOf(to.getResult(0)) ||
        opsOf(from) + opsOf(to) > maxOps)
      return false;
    for (Value result : from.getResults())
      if (!isUsedFromHere(result))
        return false;
    findInputs();
    size_t results = to.getNumResults() + kept.size();
    return inputs.size() + results <= maxStreams && !needsMoreMemory();
  }

  graph::GroupOp join() {
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

private:
  static size_t opsOf(graph::GroupOp group) {
    return group.getBody().front().getOperations().size();
  }

  bool isOfFrom(Value value) const {
    Value source = graph::unshaped(value);
    return source.getDefiningOp() == from && shapeOf(source) == shapeOf(value);
  }

  /// Whether the only users of the result before the later group are views that
  /// can move.
  bool isUsedFromHere(Value result) {
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
        } else {
          return false;
        }
      }
    }
    if (isKept)
      kept.insert(result);
    return true;
  }

  void findInputs() {
    llvm::sort(views, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (graph::GroupOp group : {from, to})
      for (Value input : group.getInputs())
        if (!isOfFrom(input) && !alike(input))
          inputs.insert(input);
  }

  /// The input with the same elements, or null.
  Value alike(Value value) const {
    for (Value input : inputs)
      if (input.getType() == value.getType() &&
          graph::unshaped(input) == graph::unshaped(value))
        return input;
    return {};
  }

  /// Whether the operands that only the earlier group uses, and that now live
  /// longer, exceed its results.
  bool needsMoreMemory() {
    size_t waiting = 0;
    for (Value input : from.getInputs()) {
      // Inputs, variables and weights are live anyway.
      Operation *maker = graph::unshaped(input).getDefiningOp();
      if (shapeOf(input) != shapeOf(from.getResult(0)) || !maker ||
          isa<graph::ReadVariableOp, graph::ConstantOp>(maker))
        continue;
      waiting +=
          llvm::none_of(graph::unshaped(input).getUsers(),
                        [&](Operation *user) { return isUsedLater(user); });
    }
    return waiting > from.getNumResults();
  }

  bool isUsedLater(Operation *first) {
    SmallVector<Operation *> work{first};
    while (!work.empty()) {
      Operation *user = work.pop_back_val();
      if (isa<graph::ReshapeOp>(user)) {
        llvm::append_range(work, user->getResult(0).getUsers());
        continue;
      }
      Operation *position = to->getBlock()->findAncestorOpInBlock(*user);
      if (position && (position == to || to->isBeforeInBlock(position)))
        return true;
    }
    return false;
  }

  /// Clones the ops of a group and returns the yielded values.
  SmallVector<Value> copy(OpBuilder &b, graph::GroupOp group,
                          const DenseMap<Value, Value> &arguments) {
    IRMapping map;
    for (auto [input, argument] :
         llvm::zip_equal(group.getInputs(), group.getBody().getArguments()))
      map.map(argument, isOfFrom(input)
                            ? arguments.lookup(graph::unshaped(input))
                            : arguments.lookup(alike(input)));
    for (Operation &op : group.getBody().front().without_terminator())
      b.clone(op, map);
    SmallVector<Value> results;
    for (Value value : group.getBody().front().getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
    return results;
  }

  graph::GroupOp from, to;
  llvm::SetVector<Value> kept, inputs; // results with other users
  SmallVector<Operation *> views;      // views before the later group
};

struct JoinGroups : impl::JoinGroupsBase<JoinGroups> {
  void runOnOperation() override {
    SmallVector<graph::GroupOp> work;
    getOperation()->walk([&](graph::GroupOp group) { work.push_back(group); });
    // Consumers come first: each joins its producers as long as it can.
    llvm::DenseSet<Operation *> gone;
    while (!work.empty()) {
      graph::GroupOp to = work.pop_back_val();
      if (gone.contains(to))
        continue;
      for (Value input : to.getInputs()) {
        auto from = graph::unshaped(input).getDefiningOp<graph::GroupOp>();
        if (!from)
          continue;
        Pair pair(from, to);
        if (!pair.mayJoin())
          continue;
        LLVM_DEBUG(llvm::dbgs() << "joins the group at " << from.getLoc()
                                << " with that at " << to.getLoc() << "\n");
        gone.insert(from);
        gone.insert(to);
        work.push_back(pair.join());
        gone.erase(work.back());
        break;
      }
    }
  }
};

} // namespace
} // namespace weir::fuse
