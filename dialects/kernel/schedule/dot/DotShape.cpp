// Reads the sizes of a product of dot products off its op.

#include "dialects/kernel/schedule/dot/DotShape.h"

#include "dialects/kernel/schedule/MatmulShape.h"

using namespace mlir;

namespace weir::kernel {

static int64_t bytesOf(ShapedType type) {
  return std::max(8u, type.getElementTypeBitWidth()) / 8;
}

bool hasDotSchedule(Operation *op) {
  auto matmul = dyn_cast<MatmulOp>(op);
  return matmul && matmul.getLayout().isKMajor();
}

DotShape::DotShape(MatmulOp op, const Target &target) {
  auto a = cast<ShapedType>(op.getA().getType()),
       b = cast<ShapedType>(op.getB().getType()),
       out = cast<ShapedType>(op.getOut().getType());
  batches = ShapedType::getNumElements(out.getShape().drop_back(2));
  rows = out.getShape().take_back(2).front();
  if (joinsBatches(op))
    rows *= std::exchange(batches, 1);
  columns = out.getShape().back();
  // batch.. x columns x depth x 1.
  depth = b.getShape().take_back(2).front();
  sumElement = op.getEpilogue().front().getArgument(0).getType();
  lanes = target.lanes(sumElement);
  aBytes = bytesOf(a);
  weights = b.getNumElements() * bytesOf(b);
}

} // namespace weir::kernel
