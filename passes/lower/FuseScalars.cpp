// Fuses a tree of elementwise ops into one linalg.generic, with a result for
// each value that the kernel returns.
//
// Upstream's elementwise fusion joins pairs of linalg ops, in time quadratic in
// the size of the tree and without limit of recomputation. Here the scalar
// functions are known before lowering, so the body is built at once.

#include "passes/lower/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/lower/Patterns.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_FUSESCALARS
#include "passes/lower/Passes.h.inc"

namespace {

bool isScalarOp(Operation *op) {
  return isa_and_nonnull<graph::ScalarOpInterface>(op);
}

/// One operand of the loops: a tensor and how the loops index it.
struct Leaf {
  Value tensor;
  AffineMap map;
};

class Tree {
public:
  explicit Tree(Operation *root) {
    members.insert(root);
    for (size_t i = 0; i < members.size(); ++i)
      for (Value operand : members[i]->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (isScalarOp(producer) && mayJoin(producer))
          members.insert(producer);
      }
  }

  /// Builds the generic before the root and replaces the tree by it.
  void lower(IRRewriter &b) {
    Operation *root = members.front();
    Location loc = root->getLoc();
    b.setInsertionPoint(root);
    SmallVector<Operation *> ordered(members.begin(), members.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    rank = cast<RankedTensorType>(root->getResult(0).getType()).getRank();
    SmallVector<Operation *> given;
    for (Operation *op : ordered)
      if (op == root || isGivenBack(op))
        given.push_back(op);

    llvm::SetVector<Value> inputs;
    llvm::MapVector<Value, Attribute> scalars; // in the order of their uses
    SmallVector<Value> tensors;
    SmallVector<AffineMap> maps;
    for (Operation *op : ordered)
      for (Value operand : op->getOperands()) {
        if (members.contains(operand.getDefiningOp()) ||
            inputs.contains(operand) || scalars.contains(operand))
          continue;
        if (Attribute scalar = scalarOf(operand)) {
          scalars[operand] = scalar;
          continue;
        }
        Leaf leaf = leafOf(operand);
        inputs.insert(operand);
        tensors.push_back(signlessTensor(b, loc, leaf.tensor));
        maps.push_back(leaf.map);
      }
    SmallVector<Value> inits;
    SmallVector<Type> types;
    for (Operation *op : given) {
      maps.push_back(b.getMultiDimIdentityMap(rank));
      inits.push_back(emptyTensor(b, loc, op->getResult(0).getType()));
      types.push_back(inits.back().getType());
    }
    auto generic = b.create<linalg::GenericOp>(
        loc, types, tensors, inits, maps, parallelLoops(rank),
        [&](OpBuilder &b, Location, ValueRange args) {
          DenseMap<Value, Value> values;
          for (auto [input, arg] : llvm::zip(inputs, args))
            values[input] = arg;
          for (auto [operand, scalar] : scalars)
            values[operand] =
                b.create<arith::ConstantOp>(loc, cast<TypedAttr>(scalar));
          for (Operation *op : ordered) {
            SmallVector<Value> operands;
            for (Value operand : op->getOperands())
              operands.push_back(values.lookup(operand));
            values[op->getResult(0)] =
                cast<graph::ScalarOpInterface>(op).buildScalar(b, op->getLoc(),
                                                               operands);
          }
          SmallVector<Value> results;
          for (Operation *op : given)
            results.push_back(values.lookup(op->getResult(0)));
          b.create<linalg::YieldOp>(loc, results);
        });
    for (auto [op, result] : llvm::zip_equal(given, generic.getResults())) {
      Value value = result;
      Type type = op->getResult(0).getType();
      if (value.getType() != type)
        value =
            b.create<UnrealizedConversionCastOp>(loc, type, value).getResult(0);
      // The members that use it go.
      op->getResult(0).replaceUsesWithIf(value, [&](OpOperand &use) {
        return !members.contains(use.getOwner());
      });
    }
    for (Operation *op : llvm::reverse(ordered))
      b.eraseOp(op);
  }

private:
  /// Whether only members use `op`, or the kernel also returns it, with the
  /// root's shape.
  bool mayJoin(Operation *op) const {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return members.contains(user) ||
             (isa<func::ReturnOp>(user) &&
              cast<RankedTensorType>(op->getResult(0).getType()).getShape() ==
                  cast<RankedTensorType>(
                      members.front()->getResult(0).getType())
                      .getShape());
    });
  }

  static bool isGivenBack(Operation *op) {
    return llvm::any_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>);
  }

  /// The number that every element of a constant has.
  static Attribute scalarOf(Value value) {
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    auto elements =
        constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
    if (!elements || !elements.isSplat())
      return {};
    Type type = graph::signless(elements.getElementType());
    if (isa<FloatType>(type))
      return FloatAttr::get(type, elements.getSplatValue<APFloat>());
    return IntegerAttr::get(type, elements.getSplatValue<APInt>());
  }

  /// Looks through broadcasts and transposes.
  Leaf leafOf(Value value) const {
    OpBuilder b(value.getContext());
    AffineMap map = b.getMultiDimIdentityMap(rank);
    while (true) {
      if (auto op = value.getDefiningOp<graph::BroadcastOp>()) {
        auto source = cast<RankedTensorType>(op.getX().getType());
        auto target = cast<RankedTensorType>(op.getType());
        SmallVector<AffineExpr> results;
        for (auto [i, dim] : llvm::enumerate(op.getDims())) {
          bool stretched = source.getDimSize(i) != target.getDimSize(dim);
          results.push_back(stretched ? b.getAffineConstantExpr(0)
                                      : map.getResult(dim));
        }
        map = AffineMap::get(rank, 0, results, b.getContext());
        value = op.getX();
      } else if (auto op = value.getDefiningOp<graph::TransposeOp>()) {
        SmallVector<AffineExpr> results(map.getNumResults());
        for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
          results[dim] = map.getResult(i);
        map = AffineMap::get(rank, 0, results, b.getContext());
        value = op.getX();
      } else {
        return {value, map};
      }
    }
  }

  static Value signlessTensor(OpBuilder &b, Location loc, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    auto wanted = type.clone(graph::signless(type.getElementType()));
    if (type == wanted)
      return value;
    return b.create<UnrealizedConversionCastOp>(loc, wanted, value)
        .getResult(0);
  }

  llvm::SetVector<Operation *> members;
  int64_t rank = 0;
};

struct FuseScalars : impl::FuseScalarsBase<FuseScalars> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    IRRewriter b(&getContext());
    // Consumers first: each takes the producers that only it needs.
    Block &body = kernel.getBody().front();
    while (Operation *root = lastScalarOp(body))
      Tree(root).lower(b);
    // Broadcasts, transposes and constants that are now maps and scalars.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        b.eraseOp(&op);
  }

private:
  static Operation *lastScalarOp(Block &block) {
    for (Operation &op : llvm::reverse(block))
      if (isScalarOp(&op))
        return &op;
    return nullptr;
  }
};

} // namespace
} // namespace weir::lower
