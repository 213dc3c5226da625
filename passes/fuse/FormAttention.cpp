// A product, the softmax of its rows and a product of these become one group,
// so that a kernel can make the rows in between a few at a time.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_FORMATTENTION
#include "passes/fuse/Passes.h.inc"

namespace {

/// Fewer rows are little beside what the products read, and threads of a
/// processor share them better as products.
constexpr int64_t fewestRows = 32;

/// Whether it is a GPU that computes the group: blocks of threads share what
/// few rows read.
bool isForGpu(graph::GroupOp group) {
  return group->getParentOfType<ModuleOp>()->hasAttr("weir.gpu") &&
         !group->hasAttr("weir.host");
}

/// The group that makes `value` for `user` alone, beside which it stands.
graph::GroupOp makerFor(Value value, graph::GroupOp user) {
  auto maker = value.getDefiningOp<graph::GroupOp>();
  bool isAlone = maker && maker.getNumResults() == 1 && value.hasOneUse() &&
                 maker->getBlock() == user->getBlock() &&
                 maker->hasAttr("weir.host") == user->hasAttr("weir.host");
  return isAlone ? maker : nullptr;
}

/// Whether the group is a softmax of rows, beside elementwise ops.
bool isSoftmaxOfRows(graph::GroupOp group) {
  Type type = group.getResult(0).getType();
  bool hasSoftmax = false;
  for (Operation &op : group.getBody().front().without_terminator()) {
    bool isSoftmax = isa<graph::SoftmaxOp>(op);
    hasSoftmax |= isSoftmax;
    if (!isSoftmax &&
        !isa<graph::ScalarOpInterface, graph::ConstantOp, graph::BroadcastOp>(
            op))
      return false;
    if (cast<ShapedType>(op.getResult(0).getType()).getShape() !=
        cast<ShapedType>(type).getShape())
      return false;
  }
  return hasSoftmax;
}

/// A product, a softmax of its rows, and a product of these rows.
struct Chain {
  graph::GroupOp first, rows, last;

  /// The chain that ends in `last`, if there is one.
  static std::optional<Chain> endingIn(graph::GroupOp last) {
    for (auto product : last.getBody().front().getOps<graph::MatmulOp>()) {
      auto argument = dyn_cast<BlockArgument>(product.getA());
      if (!argument || !argument.hasOneUse() || product.getTransposeA())
        continue;
      auto rows = makerFor(last.getInputs()[argument.getArgNumber()], last);
      int64_t count = product.getA().getType().getShape().end()[-2];
      if (!rows || !isSoftmaxOfRows(rows) ||
          (count < fewestRows && !isForGpu(last)))
        continue;
      for (Value input : rows.getInputs()) {
        auto first = makerFor(input, rows);
        if (first && input.getType() == rows.getResult(0).getType() &&
            !first.getBody().front().getOps<graph::MatmulOp>().empty())
          return Chain{first, rows, last};
      }
    }
    return std::nullopt;
  }

  void join() {
    llvm::SetVector<Value> inputs;
    for (graph::GroupOp group : {first, rows, last})
      for (Value input : group.getInputs())
        if (input != first.getResult(0) && input != rows.getResult(0))
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
    for (graph::GroupOp part : {first, rows, last}) {
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
    last.erase();
    rows.erase();
    first.erase();
  }
};

struct FormAttention : impl::FormAttentionBase<FormAttention> {
  void runOnOperation() override {
    SmallVector<Chain> chains;
    getOperation()->walk([&](graph::GroupOp group) {
      if (std::optional<Chain> chain = Chain::endingIn(group))
        chains.push_back(*chain);
    });
    // Of chains that share a group, the later one would find it gone.
    llvm::DenseSet<Operation *> joined;
    for (Chain &chain : chains) {
      Operation *groups[] = {chain.first, chain.rows, chain.last};
      if (llvm::any_of(groups,
                       [&](Operation *op) { return joined.contains(op); }))
        continue;
      joined.insert(std::begin(groups), std::end(groups));
      chain.join();
    }
  }
};

} // namespace
} // namespace weir
