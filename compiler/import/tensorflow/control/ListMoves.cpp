// Many elements of a list at once: scattered, gathered, and one after another.

#include "compiler/import/tensorflow/control/ListMoves.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/control/List.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {

bool areAll(TracedNode &node, unsigned i, const Size &length) {
  if (!isTensor(node, i, 1))
    return false;
  Size count = sizesOf(node.traced(i))[0];
  bool isSameCount = count.isKnown() && length.isKnown()
                         ? count.bound == length.bound
                         : isSame(count.exact, length.exact);
  if (!isSameCount)
    return false;
  Value indices = node.operand(i);
  while (auto cast = indices.getDefiningOp<graph::CastOp>())
    indices = cast.getX();
  if (indices.getDefiningOp<graph::IotaOp>())
    return true;
  auto known = knownElements(indices);
  if (!known || !isa<IntegerType>(known->getElementType()))
    return false;
  int64_t next = 0;
  return llvm::all_of(known->getValues<APInt>(), [&](const APInt &index) {
    return index.getSExtValue() == next++;
  });
}

/// The indices at operand `i`, of i64, and which of them count; those that are
/// known must be elements of the list, and a check sees to the others.
static LogicalResult readIndices(TracedNode &node, unsigned i,
                                 const Size &length, Expr &indices,
                                 Expr &counts) {
  ImplicitLocOpBuilder &b = node.b;
  if (!isTensor(node, i) || node.rank(i) != 1 ||
      !isOf(node.element(i), Elements::integers))
    return node.error() << "operand " << i << " is no list of indices";
  if (auto known = node.tryConstant(i))
    for (const APInt &index : known->getValues<APInt>())
      if (index.getSExtValue() < 0 || index.getSExtValue() >= length.bound)
        return node.error() << "index " << index.getSExtValue()
                            << " is none of " << length.bound << " elements";
  indices = Expr(b, castTo(b, node.operand(i), b.getI64Type()));
  counts = inside(b, sizesOf(node.traced(i)), 1);
  Expr isValid = apply<graph::LogicalAndOp>(
      apply<graph::GreaterEqualOp>(indices, number(b, 0)),
      apply<graph::LessOp>(indices, exactly(b, length)));
  Expr no(b, splat(b, RankedTensorType::get({}, b.getI1Type()), 0));
  Expr isWrong =
      apply<graph::LogicalAndOp>(counts, apply<graph::EqualOp>(isValid, no));
  return check(node, apply<graph::EqualOp>(isWrong, no),
               "an index is none of a list's elements");
}

LogicalResult List::scatter(TracedNode &node, unsigned i, const Traced &rows) {
  ImplicitLocOpBuilder &b = node.b;
  if (areAll(node, i, length)) {
    elements.value = paddedTo(b, rows.value, typeOf(elements.value).getShape());
    return success();
  }
  Expr indices, counts;
  if (failed(readIndices(node, i, length, indices, counts)))
    return failure();
  auto count = agreedSize(node, sizesOf(node.traced(i))[0], sizesOf(rows)[0],
                          "indices and elements");
  if (failed(count))
    return failure();
  if (length.bound == 0 || count->bound == 0)
    return success();
  Sizes sizes = sizesOf(rows);
  sizes[0] = *count;
  Expr updates(b, paddedTo(b, rows.value, boundsOf(sizes)));
  Expr targets = select(counts, indices, number(b, -1));
  targets = Expr(b, paddedTo(b, targets.value, {count->bound}));
  elements.value = scatterRows(Expr(b, elements.value), targets, updates).value;
  return success();
}

FailureOr<Traced> List::gather(TracedNode &node, unsigned i) const {
  ImplicitLocOpBuilder &b = node.b;
  // Stacks of arrays gather all elements in order.
  if (areAll(node, i, length))
    return elements;
  Expr indices, counts;
  if (failed(readIndices(node, i, length, indices, counts)))
    return failure();
  Size count = sizesOf(node.traced(i))[0];
  if (length.bound == 0 && count.bound > 0 && count.isKnown())
    return node.error() << "gathers from a list without elements";
  return takeAlong(b, elements, 0, indices, count);
}

FailureOr<std::pair<Traced, Traced>> List::concat(TracedNode &node) const {
  ImplicitLocOpBuilder &b = node.b;
  if (!isFilled() || typeOf(elements.value).getRank() < 2)
    return node.unsupported("a list whose elements have no known shape");
  Sizes sizes = sizesOf(elements);
  Size count = sizes[0], each = sizes[1];
  Size all{count.bound * each.bound, {}};
  if (!count.isKnown() || !each.isKnown())
    all.exact = product(b, sizes, 0, 2).value;
  sizes.erase(sizes.begin());
  sizes[0] = all;
  Expr lengths = broadcast(exactly(b, each), {count.bound});
  return std::pair(reshapeBounded(b, elements, sizes),
                   withSizes(lengths.value, {count}));
}

} // namespace weir::tensorflow
