// What the stages of machines ask of loop nests on memory.

#include "dialects/kernel/Nests.h"

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

} // namespace weir::kernel
