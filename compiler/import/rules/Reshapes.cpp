// The sizes of a Reshape, of which one may follow from the others.

#include "compiler/import/rules/Reshapes.h"

#include "compiler/import/bounded/Polynomial.h"

#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

/// The size that is left for one dimension of a shape, by the sizes that the
/// operand has and the shape has not: [n, 4, 2] as [-1, 8] has n rows. Null
/// where it does not follow from the sizes as polynomials.
static Value leftFor(ImplicitLocOpBuilder &b, ArrayRef<Size> from,
                     ArrayRef<Value> others) {
  SmallVector<Value> sizes, requested;
  for (const Size &size : from)
    sizes.push_back(exactly(b, size).value);
  // Sizes that are sums divide none but themselves.
  for (Value other : others) {
    auto *same =
        llvm::find_if(sizes, [&](Value size) { return isSame(size, other); });
    if (same != sizes.end())
      sizes.erase(same);
    else
      requested.push_back(other);
  }
  if (sizes.size() == 1 && requested.empty())
    return sizes.front();
  Polynomials polynomials;
  auto all = polynomials.productOf(sizes),
       known = polynomials.productOf(requested);
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
    Expr isDynamic = apply<graph::LessOp>(size, weir::number(b, 0));
    scalars.push_back(exact ? exact : select(isDynamic, left, size).value);
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

/// Operand 0 of known sizes in a known shape. Beside a size of 0 the one that
/// is left is what the other sizes leave: [2, 0] as [2, 0, -1] is [2, 0, 1].
static LogicalResult giveReshapedKnown(TracedNode &node,
                                       ArrayRef<int64_t> wanted) {
  auto refuse = [&]() -> LogicalResult {
    return node.error() << "turns " << node.type(0) << " into the shape ["
                        << wanted << "]";
  };
  SmallVector<int64_t> shape(wanted);
  bool isEmpty = llvm::is_contained(shape, 0);
  int64_t count = 1, known = 1;
  std::optional<size_t> left;
  for (int64_t size : node.shape(0))
    count *= isEmpty && size == 0 ? 1 : size;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == -1 && !left)
      left = i;
    else if (size < 0 || (size && llvm::MulOverflow(known, size, known)))
      return refuse();
  }
  bool fits = isEmpty ? node.type(0).getNumElements() == 0
              : left  ? count % known == 0
                      : count == known;
  if (!fits)
    return refuse();
  if (left)
    shape[*left] = count / known;
  if (!byteSize(shape, 1))
    return refuse();
  return give(node, reshape(operand(node, 0), shape));
}

LogicalResult giveReshaped(TracedNode &node, ArrayRef<Value> wanted) {
  if (auto known = knownNumbers(wanted); known && !node.traced(0).isBounded())
    return giveReshapedKnown(node, *known);
  auto sizes = reshapedSizes(node, wanted);
  if (failed(sizes))
    return failure();
  return node.tracedResults({reshapeBounded(node.b, node.traced(0), *sizes)});
}

} // namespace weir
