// A batch of products with one right side as one product.

#include "dialects/kernel/schedule/MatmulShape.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

// All batches share B, so their rows can be those of one product.
kernel::MatmulOp joinBatches(Emitter &e, kernel::MatmulOp op) {
  if (!kernel::joinsBatches(op))
    return op;
  int64_t rank = e.shape(op.getOut()).size();
  bool apart = !cast<MemRefType>(op.getA().getType()).getLayout().isIdentity();
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
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      bool ofRows = dim && dim.getPosition() + 1 != rank;
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
    a = e.buffer(e.shape(a), e.element(a));
    e.create<memref::CopyOp>(op.getA(), a);
  }
  auto joined = e.create<kernel::MatmulOp>(
      TypeRange(), join(a), op.getB(), op.getDepth(), extras, join(op.getOut()),
      /*transpose_a=*/false, /*shared=*/false, e.getAffineMapArrayAttr(maps),
      op.getUnsignedA(), op.getLayout(), op.getScheduleAttr());
  joined.getEpilogue().takeBody(op.getEpilogue());
  return joined;
}

} // namespace weir::cpu
