// Limits sums of products to the run-time length of a dynamic dimension, so
// that they need no masks.

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

namespace weir::fuse {
#define GEN_PASS_DEF_ENDPRODUCTS
#include "passes/fuse/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The scalar from which casts of integers and reshapes compute this one.
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

/// An operand that is zero from some index of the depth on.
struct Masked {
  Value x;                  // the operand without the mask
  graph::ReshapeOp reshape; // between the mask and the operand, or null
  Value size;               // the scalar from which the index is computed

  static std::optional<Masked> of(Value operand, bool isLast) {
    auto reshape = operand.getDefiningOp<graph::ReshapeOp>();
    // A reshape may regroup the batch dimensions only.
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

  /// Builds the operand without the mask.
  Value build(OpBuilder &b) {
    if (!reshape)
      return x;
    return b.create<graph::ReshapeOp>(reshape.getLoc(), reshape.getType(), x);
  }
};

struct EndProducts : impl::EndProductsBase<EndProducts> {
  void runOnOperation() override {
    // Kernels for tile registers and for GPUs read all terms.
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
    // If one operand alone is masked, an infinity or a NaN in the other one
    // would become NaN in the sum. So both must be.
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

  /// An unused mask would still become a kernel.
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

  /// The named sizes, by the scalars from which they are computed.
  DenseMap<Value, Value> sizeOf;
};

} // namespace
} // namespace weir::fuse
