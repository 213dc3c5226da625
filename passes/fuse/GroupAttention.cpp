// Fuses a product, the softmax of its rows and a second product into one group.
// The kernel then computes the scores a few rows at a time and never stores
// them all.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-group-attention"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_GROUPATTENTION
#include "passes/fuse/Passes.h.inc"

namespace {

/// With fewer rows the scores are small beside the operands of the products.
/// The threads of a CPU then share the separate products better.
constexpr int64_t minRows = 32;

/// Whether a GPU computes the group. There, a block of threads can share an
/// attention with few rows.
bool isForGpu(graph::GroupOp group) {
  return attrs::gpu.isOn(group->getParentOfType<ModuleOp>()) &&
         !attrs::host.isOn(group);
}

/// The group before `user` that computes `value`, if `user` is its only user.
graph::GroupOp makerFor(Value value, graph::GroupOp user) {
  auto maker = value.getDefiningOp<graph::GroupOp>();
  bool isAlone = maker && maker.getNumResults() == 1 && value.hasOneUse() &&
                 maker->getBlock() == user->getBlock() &&
                 attrs::host.isOn(maker) == attrs::host.isOn(user);
  return isAlone ? maker : nullptr;
}

bool hasProduct(graph::GroupOp group) {
  return !group.getBody().front().getOps<graph::MatmulOp>().empty();
}

int64_t numberOfSoftmaxes(graph::GroupOp group) {
  return llvm::range_size(group.getBody().front().getOps<graph::SoftmaxOp>());
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

/// Whether each row of the result depends on the same row only: elementwise
/// ops, softmax, and masks of columns that each row can recompute.
bool isOfRows(graph::GroupOp group) {
  return llvm::all_of(
      group.getBody().front().without_terminator(), [&](Operation &op) {
        return isa<graph::SoftmaxOp, graph::ScalarOpInterface,
                   graph::ConstantOp, graph::BroadcastOp>(op) &&
               (shapeOf(op.getResult(0)) == shapeOf(group.getResult(0)) ||
                (!isa<graph::SoftmaxOp>(op) &&
                 shapeOf(op.getResult(0)) ==
                     shapeOf(group.getResult(0)).take_back(1)));
      });
}

/// A product, the softmax of its rows between elementwise ops, and a product of
/// the resulting rows.
struct Chain {
  // A chain is at most so long: casts, masks and the softmax may each be a
  // group.
  static constexpr size_t maxGroups = 6;

  SmallVector<graph::GroupOp> groups; // from the last one to the first

  /// The chain that ends in `last`, or no value.
  static std::optional<Chain> endingIn(graph::GroupOp last) {
    for (auto product : last.getBody().front().getOps<graph::MatmulOp>()) {
      auto argument = dyn_cast<BlockArgument>(product.getA());
      if (!argument || !argument.hasOneUse() || product.getTransposeA() ||
          (shapeOf(argument).end()[-2] < minRows && !isForGpu(last)))
        continue;
      Chain chain{{last}};
      if (chain.extend(last.getInputs()[argument.getArgNumber()],
                       /*needsSoftmax=*/true))
        return chain;
    }
    return std::nullopt;
  }

  /// Adds the groups that make `value`, up to the first product. Adds nothing
  /// and returns false without such a product, or unless there is one softmax
  /// behind it.
  bool extend(Value value, bool needsSoftmax) {
    graph::GroupOp maker = makerFor(value, groups.back());
    if (!maker || groups.size() == maxGroups)
      return false;
    groups.push_back(maker);
    if (hasProduct(maker)) {
      if (!needsSoftmax)
        return true;
    } else if (isOfRows(maker)) {
      int64_t found = numberOfSoftmaxes(maker);
      if (found > needsSoftmax) {
        groups.pop_back();
        return false;
      }
      needsSoftmax &= found == 0;
      for (Value input : maker.getInputs())
        if (shapeOf(input) == shapeOf(value) && extend(input, needsSoftmax))
          return true;
    }
    groups.pop_back();
    return false;
  }

  void join() {
    auto isInside = [&](Value value) {
      return llvm::is_contained(ArrayRef(groups).drop_front(),
                                value.getDefiningOp());
    };
    graph::GroupOp last = groups.front();
    llvm::SetVector<Value> inputs;
    for (graph::GroupOp group : llvm::reverse(groups))
      for (Value input : group.getInputs())
        if (!isInside(input))
          inputs.insert(input);
    OpBuilder b(last);
    auto group = b.create<graph::GroupOp>(last.getLoc(), last.getResultTypes(),
                                          inputs.getArrayRef());
    group->setDiscardableAttrs(last->getDiscardableAttrDictionary());
    Block &body = group.getBody().emplaceBlock();
    DenseMap<Value, Value> inside;
    for (Value input : inputs)
      inside[input] = body.addArgument(input.getType(), input.getLoc());
    b.setInsertionPointToEnd(&body);
    for (graph::GroupOp part : llvm::reverse(groups)) {
      IRMapping map;
      for (auto [input, argument] :
           llvm::zip_equal(part.getInputs(), part.getBody().getArguments()))
        map.map(argument, inside.lookup(input));
      for (Operation &op : part.getBody().front().without_terminator())
        b.clone(op, map);
      Operation *yield = part.getBody().front().getTerminator();
      for (auto [result, value] :
           llvm::zip_equal(part.getResults(), yield->getOperands()))
        inside[result] = map.lookupOrDefault(value);
    }
    SmallVector<Value> results;
    for (Value result : last.getResults())
      results.push_back(inside.lookup(result));
    b.create<graph::YieldOp>(last.getLoc(), results);
    last.replaceAllUsesWith(group.getResults());
    for (graph::GroupOp part : groups)
      part.erase();
  }
};

struct GroupAttention : impl::GroupAttentionBase<GroupAttention> {
  void runOnOperation() override {
    SmallVector<Chain> chains;
    getOperation()->walk([&](graph::GroupOp group) {
      if (std::optional<Chain> chain = Chain::endingIn(group))
        chains.push_back(*chain);
    });
    // Two chains may share a group; the first chain erases it.
    llvm::DenseSet<Operation *> joined;
    for (Chain &chain : chains) {
      if (llvm::any_of(chain.groups, [&](graph::GroupOp group) {
            return joined.contains(group);
          }))
        continue;
      LLVM_DEBUG(llvm::dbgs() << "groups an attention at "
                              << chain.groups.front().getLoc() << "\n");
      joined.insert(chain.groups.begin(), chain.groups.end());
      chain.join();
    }
  }
};

} // namespace
} // namespace weir::fuse
