// A batch of products with one right side as one product.

#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

// All batches share B, so their rows can be those of one product, where memory
// holds them in one run and the extras follow.
kernel::MatmulOp joinBatches(Emitter &e, kernel::MatmulOp op) {
  auto type = cast<MemRefType>(op.getOut().getType());
  int64_t rank = type.getRank();
  auto joins = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
  };
  // Rows apart, as those of every other pixel, are copied side by side where
  // few are between one batch and the next: each would read all of B. What
  // multiplies tiles or pairs copies all rows anyway.
  constexpr int64_t fewRows = 64;
  bool apart = !joins(op.getA());
  if (rank == 2 || !op.getShared() || op.getTransposeA() ||
      !joins(op.getOut()) ||
      (apart && (op.getLayout().isAmx() || op.getLayout().isPairing() ||
                 type.getDimSize(rank - 2) >= fewRows)))
    return op;
  SmallVector<ReassociationIndices> rows(2);
  for (int64_t i = 0; i + 1 < rank; ++i)
    rows[0].push_back(i);
  rows[1].push_back(rank - 1);
  auto join = [&](Value buffer) -> Value {
    return e.create<memref::CollapseShapeOp>(buffer, rows);
  };
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  for (auto [extra, attribute] : llvm::zip(op.getExtras(), op.getExtraMaps())) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    bool whole = map.isIdentity();
    if (whole && !joins(extra))
      return op;
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      bool ofRows = dim && dim.getPosition() + 1 != rank;
      if (ofRows && !whole && type.getDimSize(dim.getPosition()) != 1)
        return op;
      results.push_back(ofRows ? e.getAffineConstantExpr(0)
                        : dim  ? e.getAffineDimExpr(1)
                               : result);
    }
    extras.push_back(whole ? join(extra) : extra);
    maps.push_back(whole ? e.getMultiDimIdentityMap(2)
                         : AffineMap::get(2, 0, results, e.getContext()));
  }
  Value a = op.getA();
  if (apart) {
    a = e.create<memref::AllocOp>(MemRefType::get(e.shape(a), e.element(a)),
                                  e.getI64IntegerAttr(64));
    e.create<memref::CopyOp>(op.getA(), a);
  }
  auto joined = e.create<kernel::MatmulOp>(
      TypeRange(), join(a), op.getB(), op.getDepth(), extras, join(op.getOut()),
      /*transpose_a=*/false, /*shared=*/false, e.getAffineMapArrayAttr(maps),
      op.getUnsignedA(), op.getLayout());
  joined.getEpilogue().takeBody(op.getEpilogue());
  return joined;
}

} // namespace weir
