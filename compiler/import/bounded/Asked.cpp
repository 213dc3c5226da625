// Tensors of a shape that values say: other shapes, and counts.

#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Rules.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

/// The size that is left for one dimension of a shape, by the sizes that the
/// operand has and the shape has not: [n, 4, 2] as [-1, 8] has n rows. Null
/// where it does not follow from the sizes as polynomials.
static Value leftFor(ImplicitLocOpBuilder &b, ArrayRef<Size> from,
                     ArrayRef<Value> others) {
  SmallVector<Value> sizes, asked;
  for (const Size &size : from)
    sizes.push_back(exactly(b, size).value);
  // Sizes that are sums divide none but themselves.
  for (Value other : others) {
    auto *same =
        llvm::find_if(sizes, [&](Value size) { return isSame(size, other); });
    if (same != sizes.end())
      sizes.erase(same);
    else
      asked.push_back(other);
  }
  if (sizes.size() == 1 && asked.empty())
    return sizes.front();
  Polynomials polynomials;
  auto all = polynomials.productOf(sizes), known = polynomials.productOf(asked);
  if (!all || !known)
    return {};
  auto left = Polynomials::quotient(*all, *known);
  return left ? polynomials.build(b, *left).value : Value();
}

/// The sizes that are asked for, of which one may be negative.
static FailureOr<Sizes> reshapedSizes(TracedNode &node,
                                      ArrayRef<Value> wanted) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  Expr total = product(b, from, 0, from.size()), one = number(b, 1);
  auto isFixed = [](Value scalar) { return intervalOf(scalar).low >= 0; };
  Expr known = one;
  for (Value scalar : wanted) {
    Expr size(b, scalar);
    known = known *
            (isFixed(scalar)
                 ? size
                 : select(apply<graph::LessOp>(size, number(b, 0)), one, size));
  }
  Expr left = apply<graph::FloorDivOp>(total, maximum(known, one));
  SmallVector<Value> scalars;
  for (auto [i, scalar] : llvm::enumerate(wanted)) {
    Expr size(b, scalar);
    if (isFixed(scalar)) {
      scalars.push_back(scalar);
      continue;
    }
    auto number = knownNumber(scalar);
    SmallVector<Value> others(wanted);
    others.erase(others.begin() + i);
    bool areSizes = number && *number == -1 && llvm::all_of(others, isFixed);
    Value exact = areSizes ? leftFor(b, from, others) : Value();
    Expr isOpen = apply<graph::LessOp>(size, weir::number(b, 0));
    scalars.push_back(exact ? exact : select(isOpen, left, size).value);
  }
  SmallVector<int64_t> caps(wanted.size(), node.type(0).getNumElements());
  auto sizes = sizesFrom(node, scalars, caps);
  if (failed(sizes))
    return failure();
  Expr count = product(b, *sizes, 0, sizes->size());
  if (!isSame(count.value, total.value))
    require(node, apply<graph::EqualOp>(count, total),
            "the new shape has another number of elements");
  return sizes;
}

LogicalResult giveReshaped(TracedNode &node, ArrayRef<Value> wanted) {
  auto sizes = reshapedSizes(node, wanted);
  if (failed(sizes))
    return failure();
  return node.tracedResults({reshapeBounded(node.b, node.traced(0), *sizes)});
}

LogicalResult giveCounted(TracedNode &node, Expr first, Expr last, Expr by,
                          bool mayBeNone) {
  ImplicitLocOpBuilder &b = node.b;
  Type type = first.elementType();
  // Counts are whole numbers below 2^53, which f64 holds.
  bool isFloat = isa<FloatType>(type);
  Type wide = isFloat ? Type(b.getF64Type()) : Type(b.getI64Type());
  Expr start = cast(first, wide), limit = cast(last, wide),
       step = cast(by, wide);
  require(node, apply<graph::NotEqualOp>(step, step.like(0)),
          "counts by steps of 0");
  Expr count;
  if (isFloat) {
    count = cast(apply<graph::CeilOp>((limit - start) / step), b.getI64Type());
  } else if (knownNumber(step.value) == 1) {
    count = knownNumber(start.value) == 0 ? limit : limit - start;
  } else {
    // Rounded up: minus the quotient of the negative, rounded down.
    Expr safe =
        select(apply<graph::EqualOp>(step, step.like(0)), step.like(1), step);
    count = -apply<graph::FloorDivOp>(start - limit, safe);
  }
  if (mayBeNone && !(intervalOf(count.value).low >= 0))
    count = maximum(count, number(b, 0));
  auto sizes = sizesFrom(node, {count.value});
  if (failed(sizes))
    return failure();
  auto place = RankedTensorType::get(boundsOf(*sizes), type);
  Expr index(b, make<graph::IotaOp>(b, place, 0));
  return node.tracedResults({withSizes((first + index * by).value, *sizes)});
}

} // namespace weir
