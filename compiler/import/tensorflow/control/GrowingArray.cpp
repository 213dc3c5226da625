// Tensor arrays that grow while a loop runs.

#include "compiler/import/tensorflow/control/GrowingArray.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include <cmath>

using namespace mlir;

namespace weir::tensorflow {

/// A growing array has at most this many elements.
constexpr int64_t countLimit = 4096;

bool GrowingArray::flatten(SmallVectorImpl<Value> &values) const {
  values.append({rows, total, lengths, count});
  return true;
}

std::shared_ptr<Object> GrowingArray::rebuild(ArrayRef<Value> &values) const {
  auto copy = std::make_shared<GrowingArray>(*this);
  copy->rows = values[0];
  copy->total = values[1];
  copy->lengths = values[2];
  copy->count = values[3];
  values = values.drop_front(4);
  return copy;
}

std::shared_ptr<GrowingArray>
GrowingArray::emptied(ImplicitLocOpBuilder &b) const {
  auto empty = std::make_shared<GrowingArray>(*this);
  for (Value *value :
       {&empty->rows, &empty->total, &empty->lengths, &empty->count})
    *value = splat(b, typeOf(*value), 0);
  return empty;
}

const GrowingArray *growingArrayOf(Node &node, unsigned i) {
  return i < node.size()
             ? dynamic_cast<GrowingArray *>(node.traced(i).object.get())
             : nullptr;
}

/// An array of rows like those of the element, with the room of a tensor that
/// nothing bounds.
static std::shared_ptr<GrowingArray> roomFor(Node &node,
                                             const Traced &element) {
  ImplicitLocOpBuilder &b = node.b;
  SmallVector<int64_t> shape(typeOf(element.value).getShape());
  int64_t row = 1;
  for (int64_t size : ArrayRef<int64_t>(shape).drop_front())
    row *= std::max<int64_t>(size, 1);
  shape[0] =
      std::max<int64_t>({node.tracer.boundedElements / row, shape[0], 1});
  auto array = std::make_shared<GrowingArray>();
  array->rows = splat(b, typeOf(element.value).clone(shape), 0);
  array->lengths =
      splat(b, RankedTensorType::get({countLimit}, b.getI64Type()), 0);
  array->total = array->count = number(b, 0).value;
  return array;
}

LogicalResult writeGrowing(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  const Traced &element = node.traced(2);
  Sizes sizes = sizesOf(element);
  if (sizes.empty() ||
      llvm::any_of(ArrayRef(sizes).drop_front(),
                   [](const Size &size) { return !size.isKnown(); }))
    return node.unsupported("an array that grows as it runs, of elements that "
                            "are no rows of one length");
  auto array = growingArrayOf(node, 3)
                   ? std::make_shared<GrowingArray>(*growingArrayOf(node, 3))
                   : roomFor(node, element);
  if (typeOf(array->rows).getElementType() !=
          typeOf(element.value).getElementType() ||
      typeOf(array->rows).getShape().drop_front() !=
          typeOf(element.value).getShape().drop_front())
    return node.unsupported("an array of elements of different types");
  Expr index(b, castTo(b, node.operand(1), b.getI64Type()));
  Expr count(b, array->count), total(b, array->total), n = exactly(b, sizes[0]);
  int64_t room = typeOf(array->rows).getDimSize(0);
  require(node, apply<graph::EqualOp>(index, count),
          "an array that grows as it runs is not written in order");
  require(node, apply<graph::LessOp>(count, number(b, countLimit)),
          "an array grows beyond " + Twine(countLimit) + " elements");
  require(node, apply<graph::LessEqualOp>(total + n, number(b, room)),
          "an array grows beyond " + Twine(room) +
              " rows, which the model was compiled for; --bound sets it");
  // What does not count goes nowhere.
  int64_t most = sizes[0].bound;
  if (most) {
    Expr positions =
        select(within(b, sizes[0]), iota(b, most) + total, number(b, -1));
    array->rows = make<graph::ScatterOp>(
        b, array->rows, reshape(positions, {most, 1}).value, element.value,
        graph::Combiner::update);
  }
  array->lengths =
      make<graph::ScatterOp>(b, array->lengths, reshape(count, {1, 1}).value,
                             reshape(n, {1}).value, graph::Combiner::update);
  array->total = (total + n).value;
  array->count = (count + 1.0).value;
  return node.tracedResults({{{}, {}, array}});
}

LogicalResult splitGrowing(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  const Traced &all = node.traced(1);
  Sizes sizes = sizesOf(all);
  if (llvm::any_of(ArrayRef(sizes).drop_front(),
                   [](const Size &size) { return !size.isKnown(); }))
    return node.unsupported("parts of a tensor whose rows are of a size known "
                            "only at run time");
  Size count = sizesOf(node.traced(2))[0];
  if (count.bound > countLimit)
    return node.unsupported("more than " + Twine(countLimit) + " parts");
  Traced parts = node.traced(2);
  parts.value = castTo(b, parts.value, b.getI64Type());
  Expr lengths = masked(b, parts, 0);
  auto array = std::make_shared<GrowingArray>();
  array->rows = all.value;
  array->total = exactly(b, sizes[0]).value;
  array->lengths = paddedTo(b, lengths.value, {countLimit});
  array->count = exactly(b, count).value;
  require(node, apply<graph::GreaterEqualOp>(lengths, number(b, 0)),
          "a part has a negative length");
  require(node, apply<graph::EqualOp>(sum(lengths, {0}), Expr(b, array->total)),
          "the lengths are not those of the tensor");
  return node.tracedResults({{{}, {}, array}});
}

LogicalResult concatGrowing(Node &node, const GrowingArray &array) {
  auto first = [&](Value position, Value exact) {
    Sizes sizes = sizesOf({position, {}, nullptr});
    sizes[0].exact = exact;
    return withSizes(position, sizes);
  };
  return node.tracedResults(
      {first(array.rows, array.total), first(array.lengths, array.count)});
}

LogicalResult gatherGrowing(Node &node, const GrowingArray &array) {
  ImplicitLocOpBuilder &b = node.b;
  const Traced &given = node.traced(1);
  Expr index(b, castTo(b, given.value, b.getI64Type()));
  Expr lengths(b, array.lengths), counts = inside(b, sizesOf(given), 1);
  index = select(counts, index, number(b, 0));
  require(node,
          apply<graph::LogicalAndOp>(
              apply<graph::GreaterEqualOp>(index, number(b, 0)),
              apply<graph::LessOp>(select(counts, index, number(b, -1)),
                                   Expr(b, array.count))),
          "an index is none of an array's elements");
  Sizes sizes = sizesOf({array.rows, {}, nullptr});
  Size each{sizes[0].bound, {}};
  if (index.size(0) == 0)
    each = {0, {}};
  else
    each.exact = reshape(gather(lengths, slice(index, 0, 0, 1), 0), {}).value;
  // All have as many rows as the first.
  Expr rows = gather(lengths, index, 0), first = exactly(b, each);
  require(node, apply<graph::EqualOp>(select(counts, rows, first), first),
          "an array of elements of different sizes is stacked");
  // The number of elements and their length share what nothing bounds.
  int64_t row = 1;
  for (const Size &size : ArrayRef(sizes).drop_front())
    row *= std::max<int64_t>(size.bound, 1);
  int64_t left = std::max<int64_t>(node.tracer.boundedElements / row, 1);
  Size all = sizesOf(given)[0];
  if (!all.isKnown())
    all.bound = std::clamp<int64_t>(
        all.bound, 1, static_cast<int64_t>(std::sqrt(double(left))));
  auto numbers = sizeFrom(node, exactly(b, all).value, all.bound);
  int64_t most = std::clamp<int64_t>(left / std::max<int64_t>(all.bound, 1), 1,
                                     each.bound);
  auto length = sizeFrom(node, first.value, each.isKnown() ? 0 : most);
  if (failed(numbers) || failed(length))
    return failure();
  sizes[0] = *length;
  sizes.insert(sizes.begin(), *numbers);
  SmallVector<int64_t> bounds = boundsOf(sizes);
  int64_t count = bounds[0];
  most = bounds[1];
  Expr starts = gather(runningSum(lengths, /*exclusive=*/true), index, 0);
  starts = Expr(b, paddedTo(b, starts.value, {count}));
  Expr positions =
      reshape(starts, {count, 1}) + reshape(iota(b, most), {1, most});
  if (llvm::is_contained(bounds, 0) || typeOf(array.rows).getDimSize(0) == 0)
    return node.tracedResults(
        {zerosOf(b, typeOf(array.rows).getElementType(), sizes)});
  Value position = make<graph::GatherOp>(b, array.rows, positions.value, 0, 0);
  return node.tracedResults({withSizes(position, sizes)});
}

LogicalResult readGrowing(Node &node, const GrowingArray &array) {
  ImplicitLocOpBuilder &b = node.b;
  Expr index(b, castTo(b, node.operand(1), b.getI64Type()));
  require(node,
          apply<graph::LogicalAndOp>(
              apply<graph::GreaterEqualOp>(index, number(b, 0)),
              apply<graph::LessOp>(index, Expr(b, array.count))),
          "an index is none of an array's elements");
  Expr lengths(b, array.lengths);
  Expr before = select(apply<graph::LessOp>(iota(b, countLimit), index),
                       lengths, number(b, 0));
  Value length = make<graph::GatherOp>(b, array.lengths, index.value, 0, 0);
  Sizes sizes = sizesOf({array.rows, {}, nullptr});
  sizes[0].exact = array.total;
  Traced all = withSizes(array.rows, sizes);
  sizes[0].exact = length;
  return node.tracedResults({windowOf(b, all, 0, sum(before, {0}), sizes[0])});
}

} // namespace weir::tensorflow
