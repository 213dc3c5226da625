// Nodes that order elements, or keep some by what they are. How many they keep
// is what the model says.

#include "compiler/import/onnx/shape/Orders.h"

#include "compiler/import/onnx/Scalars.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {

/// The operands of graph.sort in the order of the first, along the last
/// dimension.
static SmallVector<Expr> sortAlong(ArrayRef<Expr> operands,
                                   bool descending = false) {
  SmallVector<Value> values;
  for (Expr x : operands)
    values.push_back(x.value);
  ImplicitLocOpBuilder &b = *operands.front().b;
  auto sorted =
      b.create<graph::SortOp>(ValueRange(values).getTypes(), values,
                              descending ? b.getUnitAttr() : UnitAttr());
  SmallVector<Expr> results;
  for (Value value : sorted.getOutputs())
    results.emplace_back(b, value);
  return results;
}

Expr firstTrue(Node &node, Expr mask, int64_t count) {
  Type i32 = node.b.getI32Type();
  Expr positions = iota(node, mask.shape(), node.b.getI64Type(), 0);
  // The sort is stable: what is true comes first, in its order.
  Expr order = sortAlong({cast(isFalse(mask), i32), positions})[1];
  return slice(order, 0, 0, count);
}

Expr countTrue(Expr mask) {
  return sum(cast(mask, mask.b->getI64Type()), int64_t(0));
}

namespace {

LogicalResult importTopK(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  int64_t k = 0;
  if (!node.has(1)) {
    if (!node.hasAttr("k"))
      return node.missing("k");
    k = node.intAttr("k");
  } else if (node.tryConstant(1)) {
    FailureOr<int64_t> given = node.integer(1);
    if (failed(given))
      return failure();
    k = *given;
  } else {
    FailureOr<Integers> promised = promisedShape(node, 0, "its k");
    SmallVector<Expr> given;
    if (failed(readScalars(node, 1, given)))
      return failure();
    if (failed(promised))
      return failure();
    if (static_cast<int64_t>(promised->size()) != x.rank() || given.size() != 1)
      return node.error() << "gives [" << *promised << "] of " << x.type();
    k = (*promised)[*axis];
    if (failed(check(node, equal(given[0], number(node, k)),
                     "gives another number of elements than the model says")))
      return failure();
  }
  if (k < 0 || k > x.size(*axis))
    return node.error() << "takes " << k << " of " << x.size(*axis)
                        << " elements";
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(order[*axis], order.back());
  x = transpose(x, order);
  int64_t last = x.rank() - 1;
  Expr values, positions;
  if (node.intAttr("largest", 1)) {
    auto top =
        node.b.create<graph::TopKOp>(x.value, node.b.getI64IntegerAttr(k));
    values = {node.b, top.getValues()};
    positions = {node.b, top.getIndices()};
  } else {
    auto sorted =
        sortAlong({x, iota(node, x.shape(), node.b.getI32Type(), last)});
    values = slice(sorted[0], last, 0, k);
    positions = slice(sorted[1], last, 0, k);
  }
  positions = cast(positions, node.b.getI64Type());
  return give(node, {transpose(values, order), transpose(positions, order)});
}

/// The node's axis in `x`, which is flattened where the node has none.
FailureOr<int64_t> axisOf(Node &node, Expr &x) {
  if (node.hasAttr("axis"))
    return node.axis(node.intAttr("axis"), x.rank());
  x = reshape(x, x.type().getNumElements());
  return 0;
}

/// The most elements of a constant that are looked at, 16 Mi: a splat of more
/// costs a file nothing.
constexpr int64_t seenLimit = int64_t(1) << 24;

/// The elements of a constant mask that are true.
std::optional<Integers> knownTrue(Node &node, unsigned i) {
  auto mask = node.tryConstant(i);
  if (!mask || !mask->getElementType().isInteger(1) || mask->size() > seenLimit)
    return std::nullopt;
  Integers positions;
  for (auto [position, isTrue] : llvm::enumerate(mask->getValues<bool>()))
    if (isTrue)
      positions.push_back(static_cast<int64_t>(position));
  return positions;
}

LogicalResult importCompress(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 1, Elements::bools)))
    return failure();
  Expr x = operand(node, 0), mask = operand(node, 1);
  FailureOr<int64_t> given = axisOf(node, x);
  if (failed(given))
    return failure();
  int64_t axis = *given;
  if (mask.rank() != 1 || mask.size(0) > x.size(axis))
    return node.error() << "keeps of " << x.type() << " by " << mask.type();
  if (auto kept = knownTrue(node, 1))
    return give(node, kept->empty() ? slice(x, axis, 0, 0)
                                    : gather(x, list(node, *kept), axis));
  FailureOr<Integers> promised = promisedShape(node, 0, "what it keeps");
  if (failed(promised))
    return failure();
  bool fits = static_cast<int64_t>(promised->size()) == x.rank();
  int64_t count = fits ? (*promised)[axis] : 0;
  if (!fits || count > mask.size(0))
    return node.error() << "gives [" << *promised << "] of " << x.type();
  if (failed(check(node, equal(countTrue(mask), number(node, count)),
                   "keeps another number of elements than the model says")))
    return failure();
  return give(node, gather(x, firstTrue(node, mask, count), axis));
}

/// Where the elements of a constant are that are not zero.
std::optional<Integers> knownNonZero(Node &node, unsigned i) {
  auto constant = node.tryConstant(i);
  if (!constant || constant->size() > seenLimit)
    return std::nullopt;
  Integers positions;
  auto see = [&](auto values, auto isZero) {
    for (auto [position, value] : llvm::enumerate(values))
      if (!isZero(value))
        positions.push_back(static_cast<int64_t>(position));
  };
  if (isa<FloatType>(constant->getElementType()))
    see(constant->getValues<APFloat>(),
        [](const APFloat &value) { return value.isZero(); });
  else
    see(constant->getValues<APInt>(),
        [](const APInt &value) { return value.isZero(); });
  return positions;
}

/// The coordinates, a row for each dimension of `x`, of places in it.
LogicalResult giveCoordinates(Node &node, Expr x, Expr position) {
  SmallVector<Expr> rows(x.rank());
  for (int64_t d = x.rank() - 1; d >= 0; --d) {
    Expr extent = number(node, x.size(d));
    rows[d] = reshape(apply<graph::FloorModOp>(position, extent),
                      {1, position.size(0)});
    position = apply<graph::FloorDivOp>(position, extent);
  }
  return give(node, concat(rows, 0));
}

LogicalResult importNonZero(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Expr x = operand(node, 0);
  if (auto positions = knownNonZero(node, 0)) {
    auto count = static_cast<int64_t>(positions->size());
    if (x.rank() == 0 || count == 0)
      return give(node,
                  filled(node, {x.rank(), count}, node.b.getI64Type(), 0));
    return giveCoordinates(node, x, list(node, *positions));
  }
  int64_t size = x.type().getNumElements();
  Expr zero(node.b,
            splat(node.b, RankedTensorType::get({}, x.elementType()), 0));
  Expr mask = reshape(isFalse(equal(x, zero)), size);
  FailureOr<Integers> promised = promisedShape(node, 0, "what it finds");
  if (failed(promised))
    return failure();
  if (promised->size() != 2 || promised->front() != x.rank() ||
      promised->back() > size)
    return node.error() << "gives [" << *promised << "] of " << x.type();
  int64_t count = promised->back();
  if (failed(check(node, equal(countTrue(mask), number(node, count)),
                   "finds another number of elements than the model says")))
    return failure();
  if (x.rank() == 0 || count == 0)
    return give(node, filled(node, *promised, node.b.getI64Type(), 0));
  return giveCoordinates(node, x, firstTrue(node, mask, count));
}

/// Elements, or with an axis slices along it, told apart. Each way to name one
/// is a vector over the originals or over those that differ.
class UniqueBuilder {
public:
  explicit UniqueBuilder(Node &node) : node(node) {}
  LogicalResult build();

private:
  /// Most columns by which slices are put in order, one after the other.
  static constexpr int64_t columnLimit = 256;

  /// The places of the rows in ascending order, those of equal rows too.
  Expr sortedPositions(Expr rows);
  /// Which of those that differ each of the sorted rows is, from 0.
  Expr groupsOf(Expr sorted);
  Expr put(Expr into, Expr positions, Expr values, graph::Combiner combiner) {
    Expr column = reshape(positions, {positions.size(0), 1});
    return {node.b, make<graph::ScatterOp>(node.b, into.value, column.value,
                                           values.value, combiner)};
  }
  Expr zeros(int64_t count) {
    return filled(node, count, node.b.getI64Type(), 0);
  }

  Node &node;
};

Expr UniqueBuilder::sortedPositions(Expr rows) {
  int64_t size = rows.size(0);
  Expr positions = iota(node, size, node.b.getI64Type(), 0);
  // The last column first: a stable sort by the first then leaves its order.
  for (int64_t c = rows.size(1) - 1; c >= 0; --c) {
    Expr key = reshape(slice(rows, 1, c, 1), size);
    positions = sortAlong({gather(key, positions, 0), positions})[1];
  }
  return positions;
}

Expr UniqueBuilder::groupsOf(Expr sorted) {
  int64_t size = sorted.size(0);
  Type i64 = node.b.getI64Type();
  Expr differs = filled(node, 1, i64, 0);
  if (size > 1) {
    Expr same =
        equal(slice(sorted, 0, 1, size - 1), slice(sorted, 0, 0, size - 1));
    Value all = make<graph::ReduceAndOp>(node.b, same.value, int64_t(1));
    differs = concat({differs, cast(isFalse(Expr(node.b, all)), i64)}, 0);
  }
  return {node.b,
          make<graph::CumulativeSumOp>(node.b, differs.type(), differs.value,
                                       uint64_t(0), false, false)};
}

LogicalResult UniqueBuilder::build() {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<int64_t> given = axisOf(node, x);
  if (failed(given))
    return failure();
  int64_t axis = *given;
  FailureOr<Integers> promised = promisedShape(node, 0, "what differs");
  if (failed(promised))
    return failure();
  int64_t size = x.size(axis);
  bool fits = static_cast<int64_t>(promised->size()) == x.rank();
  int64_t count = fits ? (*promised)[axis] : 0;
  if (!fits || count > size || (size && !count))
    return node.error() << "gives [" << *promised << "] of " << x.type();
  if (size == 0)
    return give(node, {x, zeros(0), zeros(0), zeros(0)});
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(order[0], order[axis]);
  int64_t columns = x.type().getNumElements() / size;
  if (columns > columnLimit)
    return node.unsupported("slices of more than " + Twine(columnLimit) +
                            " elements");
  Expr rows = reshape(transpose(x, order), {size, columns});
  Type i64 = node.b.getI64Type();
  Expr from = sortedPositions(rows);
  Expr group = groupsOf(gather(rows, from, 0));
  Expr found = reshape(slice(group, 0, size - 1, 1), {}) + number(node, 1);
  if (failed(check(node, equal(found, number(node, count)),
                   "finds another number of elements than the model says")))
    return failure();
  Expr first = put(filled(node, count, i64, static_cast<double>(size)), group,
                   from, graph::Combiner::min);
  Expr counts = put(zeros(count), group, filled(node, size, i64, 1),
                    graph::Combiner::add);
  if (!node.intAttr("sorted", 1)) {
    // In the order in which they first stand.
    Expr rank = iota(node, count, i64, 0);
    auto by = sortAlong({first, rank, counts});
    Expr renamed = put(zeros(count), by[1], rank, graph::Combiner::update);
    group = gather(renamed, group, 0);
    first = by[0];
    counts = by[2];
  }
  Expr inverse = put(zeros(size), from, group, graph::Combiner::update);
  return give(node, {gather(x, first, axis), first, inverse, counts});
}

LogicalResult importUnique(Node &node) { return UniqueBuilder(node).build(); }

} // namespace

void addOrderHandlers(Handlers &handlers) {
  handlers["Compress"] = importCompress;
  handlers["NonZero"] = importNonZero;
  handlers["TopK"] = importTopK;
  handlers["Unique"] = importUnique;
}

} // namespace weir::onnx
