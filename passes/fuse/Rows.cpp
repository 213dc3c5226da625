// Decides which ops a loop over rows can contain.

#include "passes/fuse/Rows.h"

#include "passes/fuse/Epilogues.h"

#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::fuse {
using graph::FusionRole;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<size_t> rowDimensions(Operation *op) {
  auto dimensions = op->getAttrOfType<DenseI64ArrayAttr>("dimensions");
  if (roleOf(op) != FusionRole::reduction || !dimensions || dimensions.empty())
    return std::nullopt;
  size_t rank = shapeOf(op->getOperand(0)).size();
  size_t rows = rank - dimensions.size();
  for (auto [i, dim] : llvm::enumerate(dimensions.asArrayRef()))
    if (dim != static_cast<int64_t>(rows + i))
      return std::nullopt;
  return rows;
}

Rows::Rows(Operation *reduction, size_t dimensions)
    : elements(shapeOf(reduction->getOperand(0))), dimensions(dimensions) {}

bool Rows::has(Operation *op) const {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  bool isRow = shape == elements.take_front(dimensions);
  switch (roleOf(op)) {
  case FusionRole::elementwise:
    // Each row can recompute a mask of columns.
    if (getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1) &&
        shape == elements.drop_front(dimensions))
      return true;
    return isRow || shape == elements;
  case FusionRole::reduction:
    return rowDimensions(op) == dimensions &&
           shapeOf(op->getOperand(0)) == elements;
  default:
    // The broadcast value is one for each row, or one for all rows.
    return isa<graph::BroadcastOp>(op) && (isRow || shape == elements);
  }
}

} // namespace weir::fuse
