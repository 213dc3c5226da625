// Every op that computes joins a group; a group becomes one kernel.

#include "passes/fuse/Epilogues.h"
#include "passes/fuse/Passes.h"
#include "passes/fuse/Rows.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-groups"

using namespace mlir;

namespace weir {
using graph::FusionRole;

#define GEN_PASS_DEF_FORMGROUPS
#include "passes/fuse/Passes.h.inc"

namespace {

/// One op's scalar function is at most this many ops after fusion: beyond it,
/// registers spill and the back end, quadratic in a block's length, slows down.
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

/// Whether `slice` takes a run of its operand's elements.
bool isRun(graph::SliceOp slice) {
  auto type = cast<RankedTensorType>(slice.getX().getType());
  return graph::contiguousStart(type.getShape(), slice.getStarts(),
                                slice.getLimits(), slice.getStrides())
      .has_value();
}

/// Whether `op` takes rows of a tensor of which others take theirs, as the
/// steps of a sequence do. Inside groups these would make a kernel a step,
/// equal but for the place of the rows.
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

/// Whether a slice that no loop takes stays outside groups, where it is a view
/// of its operand's memory. A view keeps all of that alive, so it must be most
/// of it, or memory that lives anyway; and an operand that only the slice needs
/// is better computed only where it is.
bool isView(graph::SliceOp slice) {
  if (!isRun(slice))
    return false;
  Operation *producer = slice.getX().getDefiningOp();
  if (!producer || isOneOfManyRows(slice))
    return true;
  FusionRole role = roleOf(producer);
  if (producer->hasOneUse() &&
      (role == FusionRole::elementwise || role == FusionRole::injective))
    return false;
  return 2 * slice.getType().getNumElements() >=
         cast<RankedTensorType>(slice.getX().getType()).getNumElements();
}

/// Whether each user had better compute the op by itself than read its result:
/// a broadcast, whose result has elements again and again, and a comparison of
/// words, whose truth values in memory no vector reads.
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

/// Whether an op makes one number of 64 bits, or of these, as sizes are: in a
/// loop over narrower elements it would take their vectors apart.
bool isWideScalar(Operation *op) {
  auto isWide = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 32;
  };
  return shapeOf(op->getResult(0)).empty() &&
         (llvm::any_of(op->getOperandTypes(), isWide) ||
          isWide(op->getResult(0).getType()));
}

/// Whether an op that no other takes is no kernel: the plan says what it says.
bool staysOutside(Operation *op) {
  if (auto slice = dyn_cast<graph::SliceOp>(op))
    return isView(slice);
  if (auto concat = dyn_cast<graph::ConcatOp>(op))
    return graph::joinsContiguously(
        cast<RankedTensorType>(concat.getType()).getShape(), concat.getAxis());
  return false;
}

/// Whether an op only moves rows, which a product takes at any distance.
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

  /// Grows by the producers that may join, until none may.
  void grow() {
    // Again from the first: what was a copy may have got its last user.
    for (size_t count = 0; count != members.size();) {
      count = members.size();
      // `members` grows while it is walked.
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

  /// Moves the members into a new graph.group in the place of the root.
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
    // First, so that what all of the model uses is not looked at further, by
    // each of its users.
    // What a copy needs is for the others that use its original, too.
    bool isCopy = !isUsedHereOnly(producer) ||
                  llvm::any_of(producer->getUsers(),
                               [&](Operation *u) { return isCopied(u); });
    if ((isCopy && !isCheap(producer)) || isOneOfManyRows(producer) ||
        attrs::host.isOn(producer) != attrs::host.isOn(root()))
      return false;
    // An opaque root reads its operands more than once, or out of order.
    if (roleOf(root()) == FusionRole::opaque)
      return false;
    // Nothing goes with the operand of a product.
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
    // Bytes are read sooner than the sums that they are made of.
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
      // Several loops would each read it out of order.
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

  /// Whether the member leaves an original behind, for itself or for a copy.
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

  /// Whether `contraction` is a member or may become one: one a group.
  bool takes(Operation *contraction) const {
    if (members.contains(contraction))
      return true;
    // Its epilogue has the shape of its result.
    Value last = root()->getResult(0);
    // A loop over elements makes a variable's new value in its place.
    if (hasKernel || (wanted && wanted != contraction) || isAssigned(last))
      return false;
    if (movesRows(root()) && isa<graph::MatmulOp>(contraction))
      last = root()->getOperand(0);
    return shapeOf(contraction->getResult(0)) == shapeOf(last);
  }

  /// Whether the value, or what it is reshaped to, becomes a variable's.
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

  /// Whether each use of `producer` in the group is by an op that makes one
  /// loop nest with it: not as an operand of a contraction, which reads it many
  /// times.
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

  /// Whether `reduction` and all members are loops over the same rows, whose
  /// values are used by their own rows alone.
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
      // Rows' values go to elements by their place.
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
  /// Members that other ops use, too, or what these need.
  llvm::SmallPtrSet<Operation *, 4> copied;
  Operation *wanted = nullptr; // the contraction that a member narrows
  bool hasKernel = false;
  std::optional<Rows> rows; // where a member reduces rows
  bool manyLoops = false;   // whether a member reduces for another
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
      // Consumers first: each takes the producers that only it needs, which
      // stand before it.
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
} // namespace weir
