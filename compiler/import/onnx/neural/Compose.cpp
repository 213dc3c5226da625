// What handlers compose expressions with.

#include "compiler/import/onnx/neural/Compose.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include <numeric>

using namespace mlir;

namespace weir::onnx {

LogicalResult wantOperands(Node &node, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
  return success();
}

LogicalResult wantFloats(Node &node, unsigned count, int64_t rank) {
  if (failed(wantOperands(node, count)))
    return failure();
  if (node.rank(0) < rank || !isa<FloatType>(node.element(0)))
    return node.error() << "does not take " << node.type(0);
  return success();
}

Expr filled(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, Type elementType,
            double value) {
  if (!graph::countElements(shape))
    return {};
  return Expr(b, splat(b, RankedTensorType::get(shape, elementType), value));
}

Expr counted(ImplicitLocOpBuilder &b, int64_t count, Type type) {
  auto whole = RankedTensorType::get({count}, type);
  return Expr(b, make<graph::IotaOp>(b, whole, 0));
}

Expr along(Expr vector, int64_t dim, int64_t rank) {
  if (!vector || vector.rank() != 1)
    return {};
  Integers shape(rank, 1);
  shape[dim] = vector.size(0);
  return reshape(vector, shape);
}

template <typename Op>
static Expr reduced(Expr x, ArrayRef<int64_t> dims) {
  if (!x)
    return {};
  Integers shape(x.shape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  return reshape(Expr(*x.b, make<Op>(*x.b, x.value, dims)), shape);
}

Expr largest(Expr x, ArrayRef<int64_t> dims) {
  return reduced<graph::ReduceMaxOp>(x, dims);
}

Expr smallest(Expr x, ArrayRef<int64_t> dims) {
  return reduced<graph::ReduceMinOp>(x, dims);
}

Integers dimsFrom(int64_t first, int64_t rank) {
  Integers dims(std::max<int64_t>(rank - first, 0));
  std::iota(dims.begin(), dims.end(), first);
  return dims;
}

int64_t productOf(ArrayRef<int64_t> sizes) {
  return graph::countElements(sizes).value_or(int64_t(1) << 58);
}

} // namespace weir::onnx
