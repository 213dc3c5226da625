// What puts slices back: gradients, and tensors with a slice replaced.

#include "compiler/import/tensorflow/shape/SliceUpdates.h"

#include "compiler/import/tensorflow/shape/StridedBox.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The inverse of a StridedSlice: the elements of `value` in a tensor of
/// `shape`, with zeros around them.
FailureOr<Expr> positionBox(Node &node, const StridedBox &taken,
                            ArrayRef<int64_t> shape, Expr value) {
  Integers sizes, low, high, interior, reversed;
  bool isEmpty = false;
  for (auto [dim, range] : llvm::enumerate(taken.ranges)) {
    if (range.computed) {
      (void)node.unsupported("begin must be known at compile time");
      return failure();
    }
    StaticRange up = range.ascending();
    isEmpty |= up.size == 0;
    if (range.stride < 0 && up.size > 1)
      reversed.push_back(dim);
    sizes.push_back(up.size);
    low.push_back(up.start);
    high.push_back(shape[dim] - up.start - 1 - (up.size - 1) * up.stride);
    interior.push_back(up.stride - 1);
  }
  if (ArrayRef<int64_t>(taken.shape) != value.shape())
    return node.error() << value.type() << " is given where [" << taken.shape
                        << "] is wanted";
  if (isEmpty)
    return filled(node, shape, value.elementType(), 0);
  return pad(reverse(reshape(value, sizes), reversed), low, high, interior);
}

LogicalResult importStridedSliceGrad(Node &node) {
  if (failed(wantOperands(node, 5)))
    return failure();
  auto shape = node.integers(0);
  if (failed(shape) || failed(countOrError(node, *shape)))
    return failure();
  auto taken = stridedBoxOf(node, *shape, 1);
  if (failed(taken))
    return failure();
  auto placed = positionBox(node, *taken, *shape, operand(node, 4));
  return failed(placed) ? failure() : give(node, *placed);
}

/// The box as one that the value is written into at once: all its elements are
/// beside each other, in order.
bool isRun(const StridedBox &taken) {
  return llvm::all_of(taken.ranges, [](const StridedRange &range) {
    return range.size > 0 && (range.stride == 1 || range.size == 1);
  });
}

/// `x` with the value in the box.
FailureOr<Expr> putInBox(Node &node, const StridedBox &taken, Expr x,
                         Expr value) {
  ArrayRef<int64_t> shape = x.shape();
  if (isRun(taken)) {
    auto type = RankedTensorType::get({}, node.b.getI64Type());
    Integers sizes;
    SmallVector<Value> starts;
    for (const StridedRange &range : taken.ranges) {
      sizes.push_back(range.size);
      starts.push_back(range.computed ? range.computed.value
                                      : splat(node.b, type, range.start));
    }
    return Expr(node.b,
                make<graph::DynamicUpdateSliceOp>(
                    node.b, x.value, reshape(value, sizes).value, starts));
  }
  auto placed = positionBox(node, taken, shape, value);
  auto where = positionBox(node, taken, shape,
                           filled(node, taken.shape, node.b.getI1Type(), 1));
  if (failed(placed) || failed(where))
    return failure();
  return select(*where, *placed, x);
}

} // namespace

/// TensorStridedSliceUpdate: what a StridedSlice would take, replaced.
LogicalResult importStridedSliceUpdate(Node &node) {
  if (failed(wantOperands(node, 5)))
    return failure();
  Expr x = operand(node, 0), value = operand(node, 4);
  auto taken = stridedBoxOf(node, x.shape(), 1, value.shape());
  if (failed(taken))
    return failure();
  auto common = broadcastShapes(value.shape(), taken->shape);
  if (failed(common) || *common != taken->shape ||
      value.elementType() != x.elementType())
    return node.error() << "cannot put " << value.type() << " in place of ["
                        << taken->shape << "] of " << x.type();
  for (auto [range, size] : llvm::zip_equal(taken->ranges, x.shape()))
    if (range.size > size)
      return node.error() << "cannot put " << value.type() << " in "
                          << x.type();
  auto put = putInBox(node, *taken, x, broadcast(value, taken->shape));
  return failed(put) ? failure() : give(node, *put);
}

void addSliceUpdateHandlers(Handlers &handlers) {
  handlers["StridedSliceGrad"] = importStridedSliceGrad;
  handlers["TensorStridedSliceUpdate"] = importStridedSliceUpdate;
}

} // namespace weir::tensorflow
