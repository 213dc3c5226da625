// Factors of square matrices.

#include "compiler/import/build/Linear.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir {

Factors factorsOf(Expr x) {
  auto op = x.b->create<graph::LuOp>(x.value);
  return {Expr(*x.b, op.getFactors()), Expr(*x.b, op.getPermutation()),
          Expr(*x.b, op.getSign())};
}

Expr diagonalOf(Expr x) {
  int64_t n = x.shape().back();
  SmallVector<int64_t> shape(x.shape().drop_back());
  shape.back() = n * n;
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  return slice(reshape(x, shape), last, 0, n, n + 1);
}

Expr determinantOf(Expr x) {
  Factors factors = factorsOf(x);
  Expr product(*x.b,
               make<graph::ReduceProdOp>(*x.b, diagonalOf(factors.lu).value,
                                         ArrayRef<int64_t>{x.rank() - 2}));
  return product * factors.sign;
}

} // namespace weir
