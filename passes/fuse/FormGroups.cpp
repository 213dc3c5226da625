// Forms groups: each op that computes joins one, and a group becomes one
// kernel.

#include "passes/fuse/Epilogues.h"
#include "passes/fuse/Passes.h"
#include "passes/fuse/Rows.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-groups"

using namespace mlir;

namespace weir::fuse {
using graph::FusionRole;

#define GEN_PASS_DEF_FORMGROUPS
#include "passes/fuse/Passes.h.inc"

namespace {

/// The limit of ops in a group. Longer loop bodies spill registers, and the
/// back end takes time quadratic in the length of a block.
constexpr size_t maxGroupOps = 100;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast<graph::ConstantOp>(op);
  auto value =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return value && value.isSplat();
}

/// Whether `slice` takes contiguous elements of its operand.
bool isRun(graph::SliceOp slice) {
  auto type = cast<RankedTensorType>(slice.getX().getType());
  return graph::contiguousStart(type.getShape(), slice.getStarts(),
                                slice.getLimits(), slice.getStrides())
      .has_value();
}

/// Whether `op` slices rows of a tensor whose other rows are sliced too, as for
/// the steps of a sequence. In groups each slice would need its own kernel.
bool isOneOfManyRows(Operation *op) {
  constexpr int64_t many = 8;
  auto slice = dyn_cast<graph::SliceOp>(op);
  if (!slice || !isRun(slice))
    return false;
  auto users = slice.getX().getUsers();
  return llvm::hasNItemsOrMore(
      users.begin(), users.end(), many, [](Operation *user) {
        return isa<graph::SliceOp, graph::GroupOp>(user);
      });
}

/// Whether a slice that no loop contains stays outside of groups, as a view. A
/// view keeps its whole operand live, so it must be most of the operand, or the
/// operand must be live anyway. Otherwise a kernel computes only the slice.
bool isView(graph::SliceOp slice) {
  if (!isRun(slice))
    return false;
  Operation *producer = slice.getX().getDefiningOp();
  // The buffer of an all-reduce is what ranks exchange.
  if (!producer || isa<graph::AllReduceOp>(producer) || isOneOfManyRows(slice))
    return true;
  FusionRole role = roleOf(producer);
  if (producer->hasOneUse() &&
      (role == FusionRole::elementwise || role == FusionRole::injective))
    return false;
  return 2 * slice.getType().getNumElements() >=
         cast<RankedTensorType>(slice.getX().getType()).getNumElements();
}

/// Whether it is faster to recompute the op in each user than to load its
/// result. That holds for broadcasts, which repeat elements, and for
/// comparisons of 32-bit elements, because vectors cannot load their i1 bytes.
bool isCheap(Operation *op) {
  auto elementsOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op))
    return 2 * elementsOf(broadcast.getX()) <= elementsOf(broadcast);
  auto isOf = [](Value value, unsigned width) {
    return getElementTypeOrSelf(value.getType()).isInteger(width);
  };
  return op->getNumOperands() == 2 && op->getNumResults() == 1 &&
         isOf(op->getOperand(0), 32) && isOf(op->getResult(0), 1);
}

/// Whether an op computes a 64-bit scalar, or uses one, as sizes do. In a loop
/// over narrower elements it would split their vectors.
bool isWideScalar(Operation *op) {
  auto isWide = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 32;
  };
  return shapeOf(op->getResult(0)).empty() &&
         (llvm::any_of(op->getOperandTypes(), isWide) ||
          isWide(op->getResult(0).getType()));
}

/// Whether the plan represents the op by views, unless another one is fused.
bool staysOutside(Operation *op) {
  if (auto slice = dyn_cast<graph::SliceOp>(op))
    return isView(slice);
  if (auto concat = dyn_cast<graph::ConcatOp>(op))
    return graph::joinsContiguously(
        cast<RankedTensorType>(concat.getType()).getShape(), concat.getAxis());
  return false;
}

/// Whether an op only moves rows; a product can read rows at any stride.
bool movesRows(Operation *op) {
  auto transpose = dyn_cast<graph::TransposeOp>(op);
  if (!transpose)
    return false;
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  return permutation.size() > 1 &&
         permutation.back() + 1 == static_cast<int64_t>(permutation.size());
}

class Group {
public:
  explicit Group(Operation *root) { add(root); }

  /// Adds producers until none may join.
  void grow() {
    // Repeats the walk, as a copied op may have lost its last other user.
    for (size_t count = 0; count != members.size();) {
      count = members.size();
      // The loop appends to `members`.
      for (size_t i = 0; i < members.size(); ++i)
        for (bool joined = true; joined;) {
          joined = false;
          for (Value operand : members[i]->getOperands())
            if (Operation *producer = operand.getDefiningOp())
              joined |= tryJoin(producer);
        }
    }
  }

  Operation *root() const { return members.front(); }

  /// Moves the members into a new graph.group, which replaces the root.
  graph::GroupOp materialize();

private:
  void add(Operation *op) {
    members.insert(op);
    FusionRole role = roleOf(op);
    hasKernel |= role == FusionRole::contraction ||
                 role == FusionRole::reduction || role == FusionRole::opaque;
    if (std::optional<size_t> dimensions = rowDimensions(op);
        dimensions && !rows)
      rows.emplace(op, *dimensions);
  }

  bool tryJoin(Operation *producer) {
    if (members.contains(producer) || members.size() >= maxGroupOps ||
        producer->getBlock() != root()->getBlock())
      return false;
    // This is the first test, so that a value with many users, such as a scale
    // of the whole model, is not analyzed further by each of them. The operands
    // of a copy are also those of the original.
    bool isCopy = !isUsedHereOnly(producer) ||
                  llvm::any_of(producer->getUsers(),
                               [&](Operation *u) { return isCopied(u); });
    if ((isCopy && !isCheap(producer)) || isOneOfManyRows(producer) ||
        attrs::host.isOn(producer) != attrs::host.isOn(root()))
      return false;
    // An opaque root reads its operands more than once, or out of order.
    if (roleOf(root()) == FusionRole::opaque)
      return false;
    // No op is fused with a producer that is also the operand of a product.
    if (llvm::any_of(producer->getUsers(),
                     [&](Operation *user) { return moved.contains(user); }))
      return false;
    if (movesRows(producer) && onlyProductsUse(producer)) {
      moved.insert(producer);
      add(producer);
      return true;
    }
    if (!onlyLoopsUse(producer) || (isWideScalar(producer) && hasLoop()))
      return false;
    // The narrowed bytes are cheaper to load than the sums.
    Operation *narrowed = contractionNarrowedBy(producer);
    if (narrowed && !takes(narrowed))
      return false;
    FusionRole role = roleOf(producer);
    if (role == FusionRole::contraction) {
      if (!takes(producer))
        return false;
    } else if (role == FusionRole::reduction) {
      if (!joinsRows(producer))
        return false;
      manyLoops = true;
    } else if (role != FusionRole::elementwise &&
               role != FusionRole::injective) {
      return false;
    } else if (manyLoops && !rows->has(producer)) {
      // Each of several loops would read it out of order.
      return false;
    }
    if (narrowed)
      wanted = narrowed;
    if (isCopy)
      copied.insert(producer);
    add(producer);
    return true;
  }

  bool isUsedHereOnly(Operation *op) const {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return members.contains(user);
    });
  }

  /// Whether the op also stays outside, for itself or for another copied op.
  bool isCopied(Operation *op) const {
    return copied.contains(op) &&
           (!isUsedHereOnly(op) ||
            llvm::any_of(op->getUsers(),
                         [&](Operation *user) { return isCopied(user); }));
  }

  bool hasLoop() const {
    return llvm::any_of(members, [](Operation *member) {
      return !shapeOf(member->getResult(0)).empty();
    });
  }

  /// Whether `contraction` is a member or may become one. A group has at most
  /// one.
  bool takes(Operation *contraction) const {
    if (members.contains(contraction))
      return true;
    // The epilogue has the shape of the group's result.
    Value last = root()->getResult(0);
    // An elementwise loop can write the new value of a variable in place, a
    // contraction cannot.
    if (hasKernel || (wanted && wanted != contraction) || isAssigned(last))
      return false;
    if (movesRows(root()) && isa<graph::MatmulOp>(contraction))
      last = root()->getOperand(0);
    return shapeOf(contraction->getResult(0)) == shapeOf(last);
  }

  /// Whether the value, or a reshape of it, is assigned to a variable.
  static bool isAssigned(Value value) {
    SmallVector<Value> work{value};
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        if (isa<graph::WriteVariableOp>(user))
          return true;
        if (isa<graph::ReshapeOp>(user))
          work.push_back(user->getResult(0));
      }
    return false;
  }

  /// Whether all uses of `producer` in the group are in one loop nest with it.
  /// A contraction is not: it reads an operand many times.
  bool onlyLoopsUse(Operation *producer) const {
    return llvm::all_of(producer->getUsers(), [&](Operation *user) {
      FusionRole role = roleOf(user);
      return !members.contains(user) || role == FusionRole::elementwise ||
             role == FusionRole::injective || role == FusionRole::reduction;
    });
  }

  static bool onlyProductsUse(Operation *producer) {
    return llvm::all_of(producer->getUsers(), [](Operation *user) {
      return isa<graph::MatmulOp>(user);
    });
  }

  /// Whether `reduction` and all members are loops over the same rows, and each
  /// row uses values of the same row only.
  bool joinsRows(Operation *reduction) const {
    std::optional<size_t> dimensions = rowDimensions(reduction);
    if (!dimensions || (hasKernel && !rows))
      return false;
    Rows all = rows ? *rows : Rows(reduction, *dimensions);
    if (!all.has(reduction))
      return false;
    for (Operation *member : members) {
      if (!all.has(member))
        return false;
      // The broadcast must give each row its own value.
      auto broadcast = dyn_cast<graph::BroadcastOp>(member);
      if (broadcast && members.contains(broadcast.getX().getDefiningOp()) &&
          !isOfRows(broadcast, all))
        return false;
    }
    for (Operation *user : reduction->getUsers())
      if (auto broadcast = dyn_cast<graph::BroadcastOp>(user);
          broadcast && !isOfRows(broadcast, all))
        return false;
    return true;
  }

  static bool isOfRows(graph::BroadcastOp op, const Rows &rows) {
    return shapeOf(op.getX()) == rows.elements.take_front(rows.dimensions) &&
           shapeOf(op) == rows.elements &&
           llvm::equal(op.getDims(), llvm::seq<int64_t>(0, rows.dimensions));
  }

  llvm::SetVector<Operation *> members;
  llvm::SmallPtrSet<Operation *, 4> moved; // operands of products
  /// Members with other users, and the operands of such members.
  llvm::SmallPtrSet<Operation *, 4> copied;
  Operation *wanted = nullptr; // the contraction whose result a member narrows
  bool hasKernel = false;
  std::optional<Rows> rows; // set if a member reduces rows
  bool manyLoops = false; // whether a member reduces the operand of another one
};

graph::GroupOp Group::materialize() {
  SmallVector<Operation *> ordered = members.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *last = ordered.back();
  llvm::SmallPtrSet<Operation *, 16> inside(ordered.begin(), ordered.end());
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> copies;
  for (Operation *op : ordered)
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && inside.contains(producer))
        continue;
      if (producer && isSplatConstant(producer)) {
        copies.insert(producer);
      } else {
        inputs.insert(operand);
      }
    }

  OpBuilder b(last);
  auto group = b.create<graph::GroupOp>(last->getLoc(), last->getResultTypes(),
                                        inputs.getArrayRef());
  if (attrs::host.isOn(last))
    attrs::host.set(group);
  Block &body = group.getBody().emplaceBlock();
  IRMapping map;
  for (Value input : inputs)
    map.map(input, body.addArgument(input.getType(), input.getLoc()));
  b.setInsertionPointToEnd(&body);
  for (Operation *op : copies)
    b.clone(*op, map);
  for (Operation *op : ordered)
    b.clone(*op, map);
  SmallVector<Value> results;
  for (Value result : last->getResults())
    results.push_back(map.lookup(result));
  b.create<graph::YieldOp>(last->getLoc(), results);
  last->replaceAllUsesWith(group.getResults());
  for (Operation *op : llvm::reverse(ordered))
    if (op->use_empty())
      op->erase();
  LLVM_DEBUG(llvm::dbgs() << "forms " << group << "\n");
  return group;
}

struct FormGroups : impl::FormGroupsBase<FormGroups> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<graph::GroupOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks) {
      // Consumers come first: each takes the producers of which it is the only
      // user.
      for (Operation *op = block->empty() ? nullptr : &block->back(); op;
           op = op->getPrevNode()) {
        if (roleOf(op) == FusionRole::none || staysOutside(op))
          continue;
        Group group(op);
        group.grow();
        op = group.materialize();
      }
    }
  }
};

} // namespace
} // namespace weir::fuse
