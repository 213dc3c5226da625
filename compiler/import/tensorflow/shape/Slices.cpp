// Slices of all kinds, and what puts slices back.

#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace {

/// Element `i` of a vector, as a scalar.
Expr elementOf(Expr vector, int64_t i) {
  return reshape(slice(vector, 0, i, 1), {});
}

/// The box of `sizes` at `starts`, scalars that may be unknown; those that are
/// known have been checked.
Expr boxAt(Node &node, Expr x, ArrayRef<Expr> starts, ArrayRef<int64_t> sizes) {
  ImplicitLocOpBuilder &b = node.b;
  Integers known, limits;
  SmallVector<Value> values;
  for (auto [start, size] : llvm::zip_equal(starts, sizes)) {
    if (auto number = knownElement(start.value, 0)) {
      known.push_back(*number);
      limits.push_back(*number + size);
    }
    values.push_back(start.value);
  }
  if (known.size() == sizes.size())
    return box(x, known, limits);
  return Expr(b, make<graph::DynamicSliceOp>(b, x.value, values, sizes));
}

LogicalResult importSlice(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto sizes = node.integers(2);
  if (failed(sizes))
    return failure();
  Expr x = operand(node, 0), begins = operand(node, 1);
  int64_t rank = x.rank();
  if (static_cast<int64_t>(sizes->size()) != rank || begins.rank() != 1 ||
      begins.size(0) != rank)
    return node.error() << "cannot slice " << x.type() << " from "
                        << begins.type() << " by " << sizes->size() << " sizes";
  SmallVector<Expr> starts;
  for (int64_t i = 0; i < rank; ++i) {
    starts.push_back(elementOf(begins, i));
    auto begin = knownElement(begins.value, i);
    int64_t &size = (*sizes)[i];
    if (!begin && (size < 0 || size > x.size(i))) {
      if (size == -1)
        return importBoundedSlice(node);
      return node.error() << "size " << size << " of dimension " << i
                          << " does not fit in " << x.type();
    }
    if (!begin) {
      if (failed(checkIndices(node, 1, starts[i], x.size(i) - size + 1)))
        return failure();
      continue;
    }
    if (*begin < 0 || *begin > x.size(i))
      return node.error() << "cannot begin at " << *begin << " of dimension "
                          << i << " of " << x.type();
    if (size == -1)
      size = x.size(i) - *begin;
    if (size < 0 || size > x.size(i) - *begin)
      return node.error() << "size " << size << " from " << *begin
                          << " of dimension " << i << " does not fit in "
                          << x.type();
  }
  return give(node, boxAt(node, x, starts, *sizes));
}

/// Whether the size of what a StridedSlice takes depends on data.
bool isOpen(Node &node) {
  auto strides = node.tryConstant(3);
  Expr begins = operand(node, 1), ends = operand(node, 2);
  if (!strides || begins.rank() != 1 || ends.type() != begins.type())
    return false;
  int64_t free = node.intAttr("ellipsis_mask") | node.intAttr("new_axis_mask") |
                 node.intAttr("shrink_axis_mask");
  auto isUnknown = [&](StringRef mask, Expr numbers, int64_t i) {
    return !((free | node.intAttr(mask)) >> i & 1) &&
           !knownElement(numbers.value, i);
  };
  for (int64_t i = 0; i < std::min<int64_t>(begins.size(0), 32); ++i)
    if (isUnknown("begin_mask", begins, i) || isUnknown("end_mask", ends, i))
      return true;
  return false;
}

/// One dimension of the tensor that a StridedSlice reads.
struct Range {
  int64_t start = 0, size = 0, stride = 1;
  /// The start, where only its value at run time is known.
  Expr computed;
  /// Whether the dimension disappears.
  bool shrinks = false;
};

/// What a StridedSlice takes: ranges of the dimensions, and the shape of what
/// is left with the new dimensions in it.
struct StridedBox {
  SmallVector<Range> ranges;
  Integers shape;
};

/// The range of one dimension from its numbers, as TensorFlow completes them.
Range completeRange(int64_t size, std::optional<int64_t> begin,
                    std::optional<int64_t> end, int64_t stride) {
  // Valid places: 0 .. size going up, -1 .. size-1 going down.
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  auto place = [&](int64_t at) {
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  Range range;
  range.stride = stride;
  range.start = begin ? place(*begin) : (stride > 0 ? low : high);
  int64_t limit = end ? place(*end) : (stride > 0 ? high : low);
  int64_t span = stride > 0 ? limit - range.start : range.start - limit;
  uint64_t step = stride > 0 ? stride : 0 - static_cast<uint64_t>(stride);
  if (span > 0)
    range.size =
        static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / step + 1);
  return range;
}

/// Reads operands `first` .. `first` + 2 (begin, end, strides) and the masks
/// for a tensor of shape `input`.
FailureOr<StridedBox> stridedBoxOf(Node &node, ArrayRef<int64_t> input,
                                   unsigned first) {
  if (failed(wantOperands(node, first + 3)))
    return failure();
  auto strides = node.integers(first + 2);
  if (failed(strides))
    return failure();
  int64_t count = strides->size();
  Expr begins = operand(node, first), ends = operand(node, first + 1);
  if (begins.rank() != 1 || ends.rank() != 1 || begins.size(0) != count ||
      ends.size(0) != count || count > 32)
    return node.error() << "begin, end and strides are " << begins.type()
                        << ", " << ends.type() << " and of " << count
                        << " numbers";
  int64_t ellipses = node.intAttr("ellipsis_mask");
  int64_t beginMask = node.intAttr("begin_mask"),
          endMask = node.intAttr("end_mask"),
          newMask = node.intAttr("new_axis_mask"),
          shrinkMask = node.intAttr("shrink_axis_mask");
  auto has = [](int64_t mask, int64_t i) { return (mask >> i & 1) != 0; };
  // An ellipsis stands for the dimensions that the other numbers leave.
  int64_t taken = 0, seen = 0;
  for (int64_t i = 0; i < count; ++i) {
    seen += has(ellipses, i);
    taken += !has(ellipses, i) && !has(newMask, i);
  }
  int64_t rank = input.size();
  if (seen > 1 || taken > rank)
    return node.error() << "has " << taken << " ranges and " << seen
                        << " ellipses for " << rank << " dimensions";
  StridedBox result;
  auto whole = [&](int64_t dims) {
    for (; dims > 0; --dims) {
      int64_t size = input[result.ranges.size()];
      Range range;
      range.size = size;
      result.ranges.push_back(range);
      result.shape.push_back(size);
    }
  };
  for (int64_t i = 0; i < count; ++i) {
    if (has(ellipses, i)) {
      whole(rank - taken);
      continue;
    }
    if (has(newMask, i)) {
      result.shape.push_back(1);
      continue;
    }
    int64_t dim = result.ranges.size(), size = input[dim],
            stride = (*strides)[i];
    if (stride == 0)
      return node.error() << "stride of dimension " << dim << " is 0";
    auto begin = knownElement(begins.value, i),
         end = knownElement(ends.value, i);
    if (has(shrinkMask, i)) {
      if (stride < 0)
        return node.error() << "takes one element of dimension " << dim
                            << " with stride " << stride;
      Range range;
      range.size = 1;
      range.shrinks = true;
      if (begin) {
        range.start = *begin < 0 ? *begin + size : *begin;
        if (range.start < 0 || range.start >= size)
          return node.error() << "index " << *begin << " of dimension " << dim
                              << " is not in [0, " << size << ")";
      } else {
        if (size == 0)
          return node.error() << "takes an element of dimension " << dim
                              << ", which is empty";
        // Counted from the end where negative.
        Expr index = elementOf(begins, i);
        Expr zero = index.like(0);
        Expr negative(node.b,
                      make<graph::LessOp>(node.b, index.value, zero.value));
        index = select(negative, index + static_cast<double>(size), index);
        if (failed(checkIndices(node, first, index, size)))
          return failure();
        range.computed = index;
      }
      result.ranges.push_back(range);
      continue;
    }
    if ((!begin && !has(beginMask, i)) || (!end && !has(endMask, i))) {
      (void)node.unsupported("dimension " + Twine(dim) +
                             " has a size that depends on data");
      return failure();
    }
    if (has(beginMask, i))
      begin.reset();
    if (has(endMask, i))
      end.reset();
    result.ranges.push_back(completeRange(size, begin, end, stride));
    result.shape.push_back(result.ranges.back().size);
  }
  whole(rank - static_cast<int64_t>(result.ranges.size()));
  return result;
}

LogicalResult importStridedSlice(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  if (isOpen(node))
    return importBoundedStridedSlice(node);
  auto taken = stridedBoxOf(node, node.shape(0), 1);
  if (failed(taken))
    return failure();
  Expr x = operand(node, 0);
  ImplicitLocOpBuilder &b = node.b;
  Integers starts, limits, strides, reversed, sizes;
  SmallVector<Value> computed;
  bool isComputed = false;
  for (auto [dim, range] : llvm::enumerate(taken->ranges)) {
    int64_t stride = range.stride, start = range.start;
    // Going down is going up from the last element, reversed.
    if (stride < 0) {
      if (range.size > 1)
        start += (range.size - 1) * stride;
      stride = range.size > 1 ? -stride : 1;
      reversed.push_back(dim);
    }
    if (range.size == 0)
      start = 0;
    isComputed |= bool(range.computed);
    starts.push_back(range.computed ? 0 : start);
    limits.push_back(range.computed ? x.size(dim)
                     : range.size   ? start + (range.size - 1) * stride + 1
                                    : 0);
    strides.push_back(range.size > 1 ? stride : 1);
    sizes.push_back(range.size);
    computed.push_back(range.computed ? range.computed.value : Value());
  }
  x.value = make<graph::SliceOp>(b, x.value, starts, limits, strides);
  if (isComputed) {
    Type type = node.type(1).getElementType();
    for (Value &start : computed)
      if (!start)
        start = splat(b, RankedTensorType::get({}, type), 0);
    x.value = make<graph::DynamicSliceOp>(b, x.value, computed, sizes);
  }
  return give(node, reshape(reverse(x, reversed), taken->shape));
}

/// The elements of `value`, which a StridedSlice could have taken from a tensor
/// of `shape`, back in their places with zeros around them.
FailureOr<Expr> placeBox(Node &node, const StridedBox &taken,
                         ArrayRef<int64_t> shape, Expr value) {
  Integers sizes, low, high, interior, reversed;
  bool isEmpty = false;
  for (auto [dim, range] : llvm::enumerate(taken.ranges)) {
    if (range.computed) {
      (void)node.unsupported("begin must be known at compile time");
      return failure();
    }
    int64_t stride = range.stride, start = range.start;
    isEmpty |= range.size == 0;
    if (stride < 0) {
      if (range.size > 1)
        start += (range.size - 1) * stride;
      stride = -stride;
      reversed.push_back(dim);
    }
    int64_t gap = range.size > 1 ? stride - 1 : 0;
    sizes.push_back(range.size);
    low.push_back(start);
    high.push_back(shape[dim] - start - 1 - (range.size - 1) * (gap + 1));
    interior.push_back(gap);
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
  auto placed = placeBox(node, *taken, *shape, operand(node, 4));
  return failed(placed) ? failure() : give(node, *placed);
}

/// TensorStridedSliceUpdate: what a StridedSlice would take, replaced.
LogicalResult importStridedSliceUpdate(Node &node) {
  if (failed(wantOperands(node, 5)))
    return failure();
  Expr x = operand(node, 0), value = operand(node, 4);
  auto taken = stridedBoxOf(node, x.shape(), 1);
  if (failed(taken))
    return failure();
  auto common = broadcastShapes(value.shape(), taken->shape);
  if (failed(common) || *common != taken->shape ||
      value.elementType() != x.elementType())
    return node.error() << "cannot put " << value.type() << " in place of ["
                        << taken->shape << "] of " << x.type();
  value = broadcast(value, taken->shape);
  auto placed = placeBox(node, *taken, x.shape(), value);
  auto where = placeBox(node, *taken, x.shape(),
                        filled(node, taken->shape, node.b.getI1Type(), 1));
  if (failed(placed) || failed(where))
    return failure();
  return give(node, select(*where, *placed, x));
}

} // namespace

void weir::tensorflow::addSliceHandlers(Handlers &handlers) {
  handlers["Slice"] = importSlice;
  handlers["StridedSlice"] = importStridedSlice;
  handlers["StridedSliceGrad"] = importStridedSliceGrad;
  handlers["TensorStridedSliceUpdate"] = importStridedSliceUpdate;
}
