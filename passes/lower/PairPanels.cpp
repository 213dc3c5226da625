// What the run computes and products multiply by is packed for pairs.

#include "dialects/weir/Attributes.h"
#include "passes/lower/Passes.h"
#include "passes/lower/weights/PairWeights.h"
#include "passes/lower/weights/TileWeights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_PAIRPANELS
#include "passes/lower/Passes.h.inc"

namespace {

struct PairPanels : impl::PairPanelsBase<PairPanels> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (attrs::gemm.isOn(kernel))
      return;
    SmallVector<kernel::PackOp> packs;
    kernel.walk([&](kernel::PackOp pack) {
      if (!pack.getPaired() && pack->getNumResults() == 1 &&
          cast<ShapedType>(pack.getB().getType()).getRank() == 2 &&
          isWorthPairing(pack, /*isConstant=*/false))
        packs.push_back(pack);
    });
    for (kernel::PackOp pack : packs)
      makePaired(pack);
  }

private:
  // The rows of the left side, where it lies turned.
  static void turnLeft(OpBuilder &b, kernel::MatmulOp op) {
    Location loc = op.getLoc();
    auto from = cast<RankedTensorType>(op.getA().getType());
    auto type = from.clone({from.getDimSize(1), from.getDimSize(0)});
    AffineExpr row, column;
    bindDims(op.getContext(), row, column);
    AffineMap maps[] = {AffineMap::get(2, 0, {column, row}, op.getContext()),
                        b.getMultiDimIdentityMap(2)};
    Value empty =
        b.create<tensor::EmptyOp>(loc, type.getShape(), type.getElementType());
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    auto turned = b.create<linalg::GenericOp>(
        loc, type, op.getA(), empty, maps, loops,
        [](OpBuilder &b, Location loc, ValueRange elements) {
          b.create<linalg::YieldOp>(loc, elements[0]);
        });
    op.getAMutable().assign(turned.getResult(0));
    op.setTransposeA(false);
  }

  static void makePaired(kernel::PackOp pack) {
    // All that the product reads stands before it, and its panels last.
    kernel::MatmulOp product = productOf(pack);
    OpBuilder b(product);
    if (product.getTransposeA())
      turnLeft(b, product);
    auto from = cast<RankedTensorType>(pack.getB().getType());
    bool t = pack.getTransposeB();
    PairPacking packing = {from.getDimSize(t), from.getDimSize(!t), 0, 0};
    RankedTensorType type = packing.type(from.getElementType());
    Value empty = b.create<tensor::EmptyOp>(pack.getLoc(), type.getShape(),
                                            type.getElementType());
    auto paired = b.create<kernel::PackOp>(pack.getLoc(), type, pack.getB(),
                                           empty, t, /*paired=*/true);
    pair(pack, paired.getResult(0));
    pack->erase();
  }
};

} // namespace
} // namespace weir
