// Checks whose messages name an element.

#include "dialects/graph/build/ElementCheck.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

#include <limits>

using namespace mlir;

namespace weir::graph::build {

Expr allOf(Expr condition) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, condition.rank()));
  return {*condition.b,
          make<graph::ReduceAndOp>(*condition.b, condition.value, dims)};
}

void checkElements(ImplicitLocOpBuilder &b, Expr holds, Expr value, Expr finite,
                   StringRef message) {
  int64_t count = value.type().getNumElements();
  finite = reshape(finite, {count});
  // Narrow numbers share the vectors of most elements.
  Type element = count < std::numeric_limits<int32_t>::max() ? b.getI32Type()
                                                             : b.getI64Type();
  Expr indices(
      b, make<graph::IotaOp>(b, RankedTensorType::get({count}, element), 0));
  Expr end = indices.like(static_cast<double>(count));
  Expr first(b, make<graph::ReduceMinOp>(b, select(finite, end, indices).value,
                                         SmallVector<int64_t>{0}));
  // If all are finite, any element will do.
  Expr index = minimum(first, end.like(static_cast<double>(count - 1)));
  Expr found = gather(reshape(value, {count}), reshape(index, {1}), /*axis=*/0);
  b.create<graph::CheckOp>(
      holds.value, b.getStringAttr(message),
      ValueRange{castTo(b, index.value, b.getI64Type()),
                 castTo(b, reshape(found, {}).value, b.getF32Type())});
}

} // namespace weir::graph::build
