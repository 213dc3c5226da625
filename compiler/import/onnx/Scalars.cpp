// Operands that list numbers, taken apart.

#include "compiler/import/onnx/Scalars.h"

using namespace mlir;

namespace weir::onnx {

LogicalResult readScalars(Node &node, unsigned i,
                          SmallVectorImpl<Expr> &scalars) {
  scalars.clear();
  if (!node.has(i))
    return success();
  RankedTensorType type = node.type(i);
  if (type.getRank() > 1 || !isOf(type.getElementType(), Elements::numbers) ||
      type.getNumElements() > partLimit)
    return node.error() << "operand " << i << " is no list of numbers but "
                        << type;
  llvm::append_range(scalars, scalarsOf(node, i));
  return success();
}

} // namespace weir::onnx
