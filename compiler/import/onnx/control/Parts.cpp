// Tensors split into sequences, and sequences joined.

#include "compiler/import/onnx/control/Parts.h"

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/onnx/control/Sequence.h"
#include "compiler/import/onnx/control/Sequences.h"
#include "compiler/import/rules/Joins.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// The elements of a sequence as expressions; an error where one is no tensor.
FailureOr<SmallVector<Expr>> tensorsAt(Node &node, unsigned i) {
  auto sequence = sequenceAt(node, i);
  if (!sequence)
    return failure();
  SmallVector<Expr> tensors;
  for (const Traced &element : sequence->elements) {
    if (!element.value)
      return node.error() << "has an element that is no tensor";
    tensors.emplace_back(node.b, element.value);
  }
  if (tensors.empty())
    return node.error() << "joins the tensors of an empty sequence";
  return tensors;
}

/// Parts of which some have sizes that are known only at run time, or of which
/// it is not known how many there are.
LogicalResult joinBounded(Node &node, const Sequence &sequence, bool isNew) {
  SmallVector<Traced> parts(sequence.elements);
  int64_t rank = typeOf(parts[0].value).getRank() + (isNew ? 1 : 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), rank);
  if (failed(axis))
    return failure();
  for (Traced &part : parts)
    if (isNew) {
      Sizes sizes = sizesOf(part);
      if (static_cast<int64_t>(sizes.size()) < *axis)
        return node.error() << "joins tensors of different ranks";
      sizes.insert(sizes.begin() + *axis, Size{1, {}});
      part = reshapeBounded(node.b, part, sizes);
    }
  FailureOr<Traced> whole = joined(node, parts, *axis);
  if (failed(whole))
    return failure();
  // Parts that there are not have no elements along the axis they were split
  // along, but they would have a place along a new one.
  if (isNew && sequence.count) {
    Sizes sizes = sizesOf(*whole);
    sizes[*axis].exact = sequence.count;
    *whole = withSizes(whole->value, sizes);
  }
  return node.tracedResults({*whole});
}

} // namespace

LogicalResult importConcatFromSequence(Node &node) {
  FailureOr<SmallVector<Expr>> parts = tensorsAt(node, 0);
  if (failed(parts))
    return failure();
  bool isNew = node.intAttr("new_axis") != 0;
  auto sequence = sequenceAt(node, 0);
  if (sequence->count ||
      llvm::any_of(sequence->elements,
                   [](const Traced &element) { return element.isBounded(); }))
    return joinBounded(node, *sequence, isNew);
  FailureOr<int64_t> axis =
      node.axis(node.intAttr("axis"), parts->front().rank() + (isNew ? 1 : 0));
  if (failed(axis))
    return failure();
  for (Expr &part : *parts) {
    Integers shape(part.shape()), first((*parts)[0].shape());
    bool fits = part.elementType() == (*parts)[0].elementType();
    if (isNew) {
      if (shape.size() < static_cast<size_t>(*axis))
        return node.error() << "joins tensors of different ranks";
      shape.insert(shape.begin() + *axis, 1);
      part = reshape(part, shape);
      first = Integers((*parts)[0].shape());
    }
    fits = fits && shape.size() == first.size();
    if (fits)
      shape[*axis] = first[*axis] = 0;
    if (!fits || shape != first)
      return node.error() << "joins " << (*parts)[0].type() << " and "
                          << part.type();
  }
  return give(node, concat(*parts, *axis));
}

namespace {

/// Parts whose sizes are known only at run time, scalars i64.
LogicalResult giveParts(Node &node, int64_t axis, ArrayRef<Value> sizes,
                        bool keeps, Value count = {}) {
  auto parts = partsOf(node, node.traced(0), axis, sizes);
  if (failed(parts))
    return failure();
  if (!keeps)
    for (Traced &part : *parts) {
      Sizes left = sizesOf(part);
      left.erase(left.begin() + axis);
      part = reshapeBounded(node.b, part, left);
    }
  return giveSequence(node, std::move(*parts), count);
}

/// Parts of `each` elements, of which the last may have fewer, and no more than
/// there is room for: beyond the last one they are of none.
LogicalResult splitEvenly(Node &node, int64_t axis, int64_t each, bool keeps) {
  ImplicitLocOpBuilder &b = node.b;
  Size whole = sizesOf(node.traced(0))[axis];
  int64_t most = llvm::divideCeil(whole.bound, each);
  if (most > partLimit)
    return node.error(Status::limit)
           << "makes up to " << most << " parts, and at most " << partLimit
           << " can be";
  Expr size = weir::number(b, each), left = exactly(b, whole);
  Expr count = apply<graph::FloorDivOp>(left + weir::number(b, each - 1), size);
  if (most == 0)
    return giveSequence(node, {});
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < most; ++i) {
    sizes.push_back((i + 1 < most ? minimum(size, left) : left).value);
    left = left - Expr(b, sizes.back());
  }
  if (keeps)
    return giveParts(node, axis, sizes, keeps, count.value);
  // Without their dimension, parts that there are not have elements too.
  SmallVector<Traced> parts;
  for (int64_t i = 0; i < most; ++i) {
    Traced part =
        windowOf(b, node.traced(0), axis, weir::number(b, i), {1, {}});
    Sizes own = sizesOf(part);
    own.erase(own.begin() + axis);
    parts.push_back(reshapeBounded(b, part, own));
  }
  return giveSequence(node, std::move(parts), count.value);
}

LogicalResult splitBounded(Node &node, int64_t axis, bool keeps) {
  if (node.has(1) && node.rank(1) > 0) {
    auto sizes = listedScalars(node, 1);
    return failed(sizes) ? failure() : giveParts(node, axis, *sizes, true);
  }
  FailureOr<int64_t> each = node.has(1) ? node.integer(1) : int64_t(1);
  if (failed(each))
    return failure();
  if (*each < 1)
    return node.error() << "makes parts of " << *each;
  const Size whole = sizesOf(node.traced(0))[axis];
  if (!whole.isKnown())
    return splitEvenly(node, axis, *each, keeps);
  SmallVector<Value> sizes;
  for (int64_t left = whole.bound; left > 0; left -= *each)
    sizes.push_back(weir::number(node.b, std::min(*each, left)).value);
  return giveParts(node, axis, sizes, keeps);
}

} // namespace

/// Parts of a size each, or of the sizes that a list has; of size 1, without
/// their dimension unless that is kept, where neither is given.
LogicalResult importSplitToSequence(Node &node) {
  if (!node.operand(0))
    return node.error() << "splits no tensor";
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  int64_t size = x.size(*axis);
  bool keeps = node.has(1) || node.intAttr("keepdims", 1);
  if (node.traced(0).isBounded() ||
      (node.has(1) && node.rank(1) > 0 && !node.tryConstant(1)))
    return splitBounded(node, *axis, keeps);
  Integers sizes;
  if (node.has(1) && node.rank(1) > 0) {
    FailureOr<Integers> given = node.integers(1);
    if (failed(given))
      return failure();
    sizes = *given;
  } else {
    FailureOr<int64_t> each = node.has(1) ? node.integer(1) : int64_t(1);
    if (failed(each))
      return failure();
    if (*each < 1)
      return node.error() << "makes parts of " << *each;
    if (size / *each >= partLimit)
      return node.error(Status::limit)
             << "splits " << size << " elements into more than " << partLimit
             << " parts";
    for (int64_t left = size; left > 0; left -= sizes.back())
      sizes.push_back(std::min(*each, left));
  }
  if (static_cast<int64_t>(sizes.size()) > partLimit)
    return node.error(Status::limit)
           << "makes " << sizes.size() << " parts, and at most " << partLimit
           << " can be";
  int64_t left = size;
  for (int64_t part : sizes) {
    if (part < 0 || part > left)
      return node.error() << "splits " << size << " elements into [" << sizes
                          << "]";
    left -= part;
  }
  if (left)
    return node.error() << "splits " << size << " elements into [" << sizes
                        << "]";
  SmallVector<Traced> parts;
  int64_t at = 0;
  for (int64_t part : sizes) {
    Expr one = slice(x, *axis, at, part);
    Integers shape(one.shape());
    if (!keeps) {
      shape.erase(shape.begin() + *axis);
      one = reshape(one, shape);
    }
    parts.push_back({one.value, {}, nullptr});
    at += part;
  }
  return giveSequence(node, std::move(parts));
}

} // namespace weir::onnx
