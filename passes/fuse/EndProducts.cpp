// Products end at the actual length of what they sum over, and need no masks.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/kernel/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-end-products"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_ENDPRODUCTS
#include "passes/fuse/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// What a scalar is computed of by casts between integers and reshapes.
Value rootOf(Value scalar) {
  while (Operation *op = scalar.getDefiningOp()) {
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
      scalar = reshape.getX();
    else if (auto cast = dyn_cast<graph::CastOp>(op);
             cast && isa<IntegerType>(getElementTypeOrSelf(cast.getX())) &&
             isa<IntegerType>(getElementTypeOrSelf(cast.getResult())))
      scalar = cast.getX();
    else
      break;
  }
  return scalar;
}

bool countsUp(Value indices) {
  DenseIntElementsAttr numbers;
  if (!matchPattern(indices, m_Constant(&numbers)))
    return false;
  int64_t next = 0;
  return llvm::all_of(numbers.getValues<APInt>(), [&](const APInt &number) {
    return number.getSExtValue() == next++;
  });
}

bool isZero(Value value) {
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat)) &&
         isa<FloatType>(splat.getElementType()) &&
         splat.getSplatValue<APFloat>().isZero();
}

/// An operand that is zero from an index along the depth on.
struct Masked {
  Value x;                  // the same without the mask
  graph::ReshapeOp reshape; // between the mask and the operand; or null
  Value size;               // which a scalar says that is computed of this

  static std::optional<Masked> of(Value operand, bool isLast) {
    auto reshape = operand.getDefiningOp<graph::ReshapeOp>();
    // A reshape may regroup the batches.
    if (reshape &&
        (shapeOf(reshape.getX()).size() < 2 ||
         shapeOf(reshape.getX()).take_back(2) != shapeOf(reshape).take_back(2)))
      return std::nullopt;
    auto select =
        (reshape ? reshape.getX() : operand).getDefiningOp<graph::SelectOp>();
    if (!select || !isZero(select->getOperand(2)))
      return std::nullopt;
    auto broadcast = select->getOperand(0).getDefiningOp<graph::BroadcastOp>();
    auto rank = static_cast<int64_t>(shapeOf(select).size());
    if (!broadcast || broadcast.getDims().size() != 1 ||
        broadcast.getDims()[0] != rank - (isLast ? 1 : 2))
      return std::nullopt;
    auto less = broadcast.getX().getDefiningOp<graph::LessOp>();
    auto end = less ? less->getOperand(1).getDefiningOp<graph::BroadcastOp>()
                    : nullptr;
    if (!end || !shapeOf(end.getX()).empty() || !countsUp(less->getOperand(0)))
      return std::nullopt;
    return Masked{select->getOperand(1), reshape, rootOf(end.getX())};
  }

  /// The operand without the mask.
  Value build(OpBuilder &b) {
    if (!reshape)
      return x;
    return b.create<graph::ReshapeOp>(reshape.getLoc(), reshape.getType(), x);
  }
};

struct EndProducts : impl::EndProductsBase<EndProducts> {
  void runOnOperation() override {
    // Tiles and the threads of a GPU read all terms.
    kernel::Target target = kernel::Target::of(getOperation());
    if (target.gpu || target.tiles)
      return;
    getOperation()->walk([&](graph::SymbolOp symbol) {
      sizeOf.try_emplace(rootOf(symbol.getSize()), symbol.getSize());
    });
    if (sizeOf.empty())
      return;
    DominanceInfo dominance(getOperation());
    getOperation()->walk(
        [&](graph::MatmulOp product) { end(product, dominance); });
  }

private:
  void end(graph::MatmulOp product, const DominanceInfo &dominance) {
    Type element = getElementTypeOrSelf(product.getA());
    if (product.getDepth() || !(element.isF32() || element.isF64()) ||
        element != getElementTypeOrSelf(product.getB()) ||
        matchPattern(product.getA(), m_Constant()) ||
        matchPattern(product.getB(), m_Constant()))
      return;
    auto left = Masked::of(product.getA(), !product.getTransposeA());
    auto right = Masked::of(product.getB(), product.getTransposeB());
    // A mask of one operand alone does not hide what is no number in the other.
    if (!left || !right || left->size != right->size)
      return;
    Value size = sizeOf.lookup(left->size);
    if (!size || !dominance.properlyDominates(size, product))
      return;
    LLVM_DEBUG(llvm::dbgs() << "ends the product at " << product.getLoc()
                            << " at the actual size of its depth\n");
    SetVector<Operation *> before;
    before.insert(product.getA().getDefiningOp());
    before.insert(product.getB().getDefiningOp());
    OpBuilder b(product);
    product.getAMutable().assign(left->build(b));
    product.getBMutable().assign(right->build(b));
    product.getDepthMutable().assign(size);
    for (Operation *op : before)
      eraseDead(op);
  }

  /// Masks that nothing reads any more would be kernels.
  static void eraseDead(Operation *op) {
    if (!isOpTriviallyDead(op))
      return;
    SetVector<Operation *> makers;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        makers.insert(maker);
    op->erase();
    for (Operation *maker : makers)
      eraseDead(maker);
  }

  /// By what they are computed of, the sizes that have names.
  DenseMap<Value, Value> sizeOf;
};

} // namespace
} // namespace weir
