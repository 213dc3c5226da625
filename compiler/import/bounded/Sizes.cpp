// Sizes that are known only at run time: how they are made and checked.

#include "compiler/import/bounded/Sizes.h"

#include "compiler/import/Tracing.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/bounded/ranges/Intervals.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/Sizes.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace weir {

/// No dimension has more elements. Numbers up to here are exact as f64.
constexpr int64_t largestSize = 1'000'000'000'000'000;

/// A bound that follows from an op's operands stands while the tensor has at
/// most this many times the elements of one that nothing bounds.
constexpr int64_t impliedFactor = 4;

bool Size::operator==(const Size &other) const {
  return bound == other.bound && isSame(exact, other.exact);
}

Sizes sizesOf(const Traced &traced) {
  Sizes sizes;
  for (auto [i, bound] : llvm::enumerate(typeOf(traced.value).getShape()))
    sizes.push_back({bound, traced.isBounded() ? traced.extents[i] : Value()});
  return sizes;
}

bool areKnown(ArrayRef<Size> sizes) {
  return llvm::all_of(sizes, [](const Size &size) { return size.isKnown(); });
}

SmallVector<int64_t> boundsOf(ArrayRef<Size> sizes) {
  SmallVector<int64_t> bounds;
  for (const Size &size : sizes)
    bounds.push_back(size.bound);
  return bounds;
}

Traced withSizes(Value buffer, ArrayRef<Size> sizes) {
  Traced traced;
  traced.value = buffer;
  if (!areKnown(sizes))
    for (const Size &size : sizes)
      traced.extents.push_back(size.exact);
  return traced;
}

int64_t symbolOf(Report &report, Value size) {
  for (Operation *user : size.getUsers())
    if (auto symbol = dyn_cast<graph::SymbolOp>(user))
      return static_cast<int64_t>(symbol.getNumber());
  OpBuilder b(size.getContext());
  b.setInsertionPointAfterValue(size);
  int64_t number = report.symbols++;
  b.create<graph::SymbolOp>(size.getLoc(), static_cast<uint64_t>(number), size);
  return number;
}

/// The argument of a function that the place is, in its own shape or reshaped
/// from it and back; null where it is none.
static BlockArgument argumentOf(Value buffer) {
  Value root = buffer;
  while (auto reshape = root.getDefiningOp<graph::ReshapeOp>())
    root = reshape.getX();
  auto argument = dyn_cast<BlockArgument>(root);
  bool isOfFunction = argument && argument.getType() == buffer.getType() &&
                      isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return isOfFunction ? argument : nullptr;
}

void writeSizes(Report &report, Value buffer, ArrayRef<Size> sizes) {
  Operation *op = buffer.getDefiningOp();
  BlockArgument argument = argumentOf(buffer);
  if (!argument && (!op || op->getNumResults() != 1 || attrs::sizes.isOn(op) ||
                    isa<graph::ConstantOp, graph::BarrierOp>(op)))
    return;
  graph::SizesOfDims dims;
  for (const Size &size : sizes)
    dims.push_back(
        {{size.bound, size.exact ? symbolOf(report, size.exact) : -1}});
  ArrayAttr attribute = graph::sizesAttr(buffer.getContext(), dims);
  if (!attribute)
    return;
  // A reshape to the same shape will fold.
  if (argument)
    attrs::sizes.setOnArgument(
        mlir::cast<func::FuncOp>(argument.getOwner()->getParentOp()),
        argument.getArgNumber(), attribute);
  else
    attrs::sizes.set(op, attribute);
}

std::optional<SmallVector<int64_t>> knownNumbers(ArrayRef<Value> scalars) {
  SmallVector<int64_t> numbers;
  for (Value scalar : scalars) {
    auto known = knownNumber(scalar);
    if (!known)
      return std::nullopt;
    numbers.push_back(*known);
  }
  return numbers;
}

Expr number(ImplicitLocOpBuilder &b, int64_t value) {
  auto type = RankedTensorType::get({}, b.getI64Type());
  return Expr(b, b.create<graph::ConstantOp>(
                     DenseElementsAttr::get(type, APInt(64, value, true))));
}

Expr exactly(ImplicitLocOpBuilder &b, Size size) {
  return size.exact ? Expr(b, size.exact) : number(b, size.bound);
}

Expr product(ImplicitLocOpBuilder &b, ArrayRef<Size> sizes, size_t first,
             size_t last) {
  Expr result = number(b, 1);
  for (size_t i = first; i < last; ++i)
    result = result * exactly(b, sizes[i]);
  return result;
}

Value listOf(ImplicitLocOpBuilder &b, ArrayRef<Size> sizes, Type elementType) {
  if (areKnown(sizes))
    return numbers(b, elementType, boundsOf(sizes));
  SmallVector<Value> parts;
  for (const Size &size : sizes)
    parts.push_back(
        reshapeTo(b, castTo(b, exactly(b, size).value, elementType), {1}));
  return make<graph::ConcatOp>(b, parts, 0);
}

void require(TracedNode &node, Expr condition, const Twine &message) {
  if (!condition || knownBoolean(condition.value) == true)
    return;
  ImplicitLocOpBuilder &b = *condition.b;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, condition.rank()));
  Value all = dims.empty() ? condition.value
                           : make<graph::ReduceAndOp>(b, condition.value, dims);
  b.create<graph::CheckOp>(
      all, ("node '" + escaped(node.name()) + "': " + message).str());
}

FailureOr<Size> sizeFrom(TracedNode &node, Value scalar, int64_t bound) {
  ImplicitLocOpBuilder &b = node.b;
  if (std::optional<int64_t> known = knownNumber(scalar)) {
    if (*known < 0)
      return node.error() << "has a dimension of size " << *known;
    if (*known > bound)
      return node.error() << "has a dimension of size " << *known
                          << " where at most " << bound << " can be";
    return Size{*known, {}};
  }
  Interval values = intervalOf(scalar);
  Expr size(b, scalar);
  if (values.low >= 0 && values.high <= static_cast<double>(bound))
    return Size{static_cast<int64_t>(values.high), scalar};
  Expr zero = number(b, 0), limit = number(b, bound);
  Expr fits =
      apply<graph::LogicalAndOp>(apply<graph::GreaterEqualOp>(size, zero),
                                 apply<graph::LessEqualOp>(size, limit));
  require(node, fits,
          "a size is negative or above " + Twine(bound) +
              ", which the model was compiled for; --bound sets it");
  return Size{bound, minimum(maximum(size, zero), limit).value};
}

FailureOr<Sizes> sizesFrom(TracedNode &node, ArrayRef<Value> given,
                           ArrayRef<int64_t> caps) {
  Polynomials polynomials;
  SmallVector<Value> scalars;
  for (Value scalar : given)
    scalars.push_back(polynomials.simplified(node.b, scalar));
  SmallVector<double> natural;
  // Known, or follows from the ranges of inputs' sizes, and is not cut.
  SmallVector<bool> isPromised;
  double product = 1;
  for (auto [i, scalar] : llvm::enumerate(scalars)) {
    double high = std::max(intervalOf(scalar).high, 0.0);
    // What is computed of data is bounded by its type alone.
    isPromised.push_back(knownNumber(scalar) || high <= std::ldexp(1.0, 24));
    if (!caps.empty())
      high = std::min(high, static_cast<double>(caps[i]));
    natural.push_back(high);
    product *= std::max(high, 1.0);
  }
  double budget = static_cast<double>(node.tracing.boundedElements);
  if (!(product <= budget * impliedFactor)) {
    // From the smallest up, each takes no more than an equal share of what the
    // ones before it left.
    auto order = llvm::to_vector(llvm::seq<size_t>(0, scalars.size()));
    llvm::sort(order, [&](size_t x, size_t y) {
      return std::tuple(!isPromised[x], natural[x], x) <
             std::tuple(!isPromised[y], natural[y], y);
    });
    for (auto [rank, i] : llvm::enumerate(order)) {
      if (!isPromised[i]) {
        double share = std::floor(
            std::pow(std::max(budget, 1.0), 1.0 / (order.size() - rank)) +
            1e-9);
        natural[i] = std::min(natural[i], std::max(share, 1.0));
      }
      budget /= std::max(natural[i], 1.0);
    }
  }
  Sizes sizes;
  for (auto [scalar, high] : llvm::zip_equal(scalars, natural)) {
    std::optional<int64_t> known = knownNumber(scalar);
    if (known && high > static_cast<double>(largestSize))
      return node.error() << "has a dimension of size " << *known
                          << " where at most " << largestSize << " can be";
    if (high > static_cast<double>(largestSize))
      return node.unsupported("a size that nothing bounds");
    FailureOr<Size> size = sizeFrom(node, scalar, static_cast<int64_t>(high));
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  if (!byteSize(boundsOf(sizes), 8))
    return node.error() << "its result is larger than a tensor may be: its "
                           "sizes go up to "
                        << dimsText(boundsOf(sizes))
                        << " with the ranges of the inputs' dimensions, which "
                           "--dim sets";
  return sizes;
}

FailureOr<Sizes> sizesAt(TracedNode &node, unsigned operand) {
  auto scalars = listedScalars(node, operand);
  if (failed(scalars))
    return failure();
  return sizesFrom(node, *scalars);
}

std::optional<SmallVector<Room>> joinSizes(const Traced &x, const Traced &y) {
  if (!x.value || !y.value || x.imaginary || y.imaginary ||
      typeOf(x.value).getElementType() != typeOf(y.value).getElementType() ||
      typeOf(x.value).getRank() != typeOf(y.value).getRank())
    return std::nullopt;
  SmallVector<Room> rooms;
  for (auto [size, other] : llvm::zip_equal(sizesOf(x), sizesOf(y)))
    rooms.push_back(
        {std::max(size.bound, other.bound),
         !size.isKnown() || !other.isKnown() || size.bound != other.bound});
  return rooms;
}

Traced fitTo(ImplicitLocOpBuilder &b, TracedNode &node, const Traced &traced,
             ArrayRef<Room> rooms) {
  Sizes sizes = sizesOf(traced);
  for (auto [size, room] : llvm::zip_equal(sizes, rooms)) {
    if (!room.isDynamic)
      continue;
    Expr exact = exactly(b, size);
    if (size.bound > room.bound) {
      Expr limit = number(b, room.bound);
      require(node, apply<graph::LessEqualOp>(exact, limit),
              "a size is above " + Twine(room.bound) +
                  ", which the model was compiled for; --bound sets it");
      exact = minimum(exact, limit);
    }
    size = {room.bound, exact.value};
  }
  return withSizes(paddedTo(b, traced.value, boundsOf(sizes)), sizes);
}

} // namespace weir
