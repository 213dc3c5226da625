// Properties of loop nests that several stages need.

#include "dialects/kernel/Nests.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace weir::kernel {

bool separates(linalg::LinalgOp op, unsigned d) {
  if (op.getIteratorTypesArray()[d] != utils::IteratorType::parallel)
    return false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    int64_t plain = 0;
    for (AffineExpr result : op.getMatchingIndexingMap(&init).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      plain += dim && dim.getPosition() == d;
      if (!dim && result.isFunctionOfDim(d))
        return false;
    }
    if (plain != 1)
      return false;
  }
  return true;
}

std::optional<AffineMap> permutationOf(linalg::GenericOp op) {
  Block &body = *op.getBody();
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::hasSingleElement(body) ||
      body.getTerminator()->getOperand(0) != body.getArgument(0))
    return std::nullopt;
  AffineMap from = op.getIndexingMapsArray()[0];
  if (!from.isPermutation() || !op.getIndexingMapsArray()[1].isIdentity())
    return std::nullopt;
  return from;
}

bool isRowWise(AffineMap map, size_t rows) {
  if (map.getNumResults() < rows)
    return false;
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    for (size_t d = 0; d < rows; ++d)
      if (i == d ? result != getAffineDimExpr(d, map.getContext())
                 : result.isFunctionOfDim(d))
        return false;
  return true;
}

Value baseOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

void eraseBuffer(Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
    user->erase();
  buffer.getDefiningOp()->erase();
}

} // namespace weir::kernel
