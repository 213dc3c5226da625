// The numbers and masks of a StridedSlice.

#include "compiler/import/tensorflow/shape/StridedBox.h"

#include "compiler/import/rules/Gathers.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {

Expr elementOf(Expr vector, int64_t i) {
  return reshape(slice(vector, 0, i, 1), {});
}

namespace {

/// A place of a dimension that only the run knows: counted from the end where
/// negative, and moved to the nearest end where it is outside.
Expr positionIn(Node &node, Expr numbers, int64_t i, int64_t size) {
  Expr at = elementOf(numbers, i), zero = at.like(0);
  Expr negative(node.b, make<graph::LessOp>(node.b, at.value, zero.value));
  at = select(negative, at + static_cast<double>(size), at);
  return minimum(maximum(at, zero), at.like(static_cast<double>(size)));
}

/// The sizes of the open ranges, by what is put there; each has a start, and an
/// end in `ends`.
LogicalResult closeRanges(Node &node, StridedBox &box, ArrayRef<int64_t> put,
                          ArrayRef<std::pair<size_t, Expr>> ends) {
  // Dimensions of the box by those of the ranges.
  SmallVector<std::pair<StridedRange *, Expr>> open;
  for (auto [dim, end] : ends)
    open.push_back({&box.ranges[dim], end});
  size_t next = 0;
  for (auto [at, size] : llvm::enumerate(box.shape)) {
    if (size >= 0)
      continue;
    auto [range, end] = open[next++];
    size_t behind = box.shape.size() - at;
    size = behind > put.size() ? 1 : put[put.size() - behind];
    range->size = size;
    Expr taken = end - range->computed;
    Expr fits(node.b, make<graph::EqualOp>(
                          node.b, taken.value,
                          taken.like(static_cast<double>(size)).value));
    if (failed(check(node, fits,
                     "a range that only the run knows is not of size " +
                         Twine(size) + ", which what is put there has")))
      return failure();
  }
  return success();
}

} // namespace

FailureOr<StridedBox> stridedBoxOf(Node &node, ArrayRef<int64_t> input,
                                   unsigned first,
                                   std::optional<ArrayRef<int64_t>> put) {
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
  SmallVector<std::pair<size_t, Expr>> open; // their numbers and ends
  auto whole = [&](int64_t dims) {
    for (; dims > 0; --dims) {
      int64_t size = input[result.ranges.size()];
      StridedRange range;
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
      StridedRange range;
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
      if (!put || stride != 1) {
        (void)node.unsupported("dimension " + Twine(dim) +
                               " has a size that depends on data");
        return failure();
      }
      StridedRange range;
      range.computed = has(beginMask, i) ? elementOf(begins, i).like(0)
                                         : positionIn(node, begins, i, size);
      open.push_back({dim, has(endMask, i)
                               ? range.computed.like(static_cast<double>(size))
                               : positionIn(node, ends, i, size)});
      result.ranges.push_back(range);
      result.shape.push_back(-1);
      continue;
    }
    if (has(beginMask, i))
      begin.reset();
    if (has(endMask, i))
      end.reset();
    result.ranges.push_back(rangeIn(size, begin, end, stride));
    result.shape.push_back(result.ranges.back().size);
  }
  whole(rank - static_cast<int64_t>(result.ranges.size()));
  if (put && failed(closeRanges(node, result, *put, open)))
    return failure();
  return result;
}

} // namespace weir::tensorflow
