// Sparse tensors: coordinates [n, rank] of i64, values [n] and the sizes of the
// dense tensor, which are known at compile time.

#include "compiler/import/tensorflow/sparse/Sparse.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Column `k` of coordinates, as a vector.
Expr column(Expr coordinates, int64_t k) {
  return reshape(slice(coordinates, 1, k, 1), {coordinates.size(0)});
}

/// Coordinates in operand 0 of a tensor of `shape`, one for each value in
/// operand 1.
LogicalResult checkSparse(Node &node, ArrayRef<int64_t> shape) {
  Expr coordinates = operand(node, 0), values = operand(node, 1);
  if (coordinates.rank() != 2 || values.rank() != 1 ||
      coordinates.size(0) != values.size(0) ||
      coordinates.size(1) != static_cast<int64_t>(shape.size()) ||
      !isIndexType(coordinates.elementType()))
    return node.error() << "holds no sparse tensor of " << shape.size()
                        << " dimensions but " << coordinates.type() << " and "
                        << values.type();
  return success();
}

/// Checks the coordinates of the values that there are.
LogicalResult checkPositions(Node &node, ArrayRef<int64_t> shape) {
  Expr coordinates = operand(node, 0);
  Size count = sizesOf(node.traced(0))[0];
  for (auto [k, size] : llvm::enumerate(shape)) {
    Expr own = column(coordinates, static_cast<int64_t>(k));
    if (!count.isKnown())
      own = select(within(node.b, count), own, own.like(0));
    // What is not there is in range wherever anything is.
    if ((size > 0 || count.isKnown()) &&
        failed(checkIndices(node, 0, own, size)))
      return failure();
  }
  return success();
}

/// Operands: coordinates, values and sizes of a sparse matrix, a dense one.
LogicalResult importProduct(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  auto shape = node.integers(2);
  if (failed(shape))
    return failure();
  if (shape->size() != 2 || failed(countOrError(node, *shape)))
    return node.error() << "is no product of matrices";
  if (failed(checkSparse(node, *shape)) || failed(checkPositions(node, *shape)))
    return failure();
  Expr positions = operand(node, 0), values = operand(node, 1),
       dense = operand(node, 3);
  bool turned = node.boolAttr("adjoint_a");
  if (dense.rank() == 2 && node.boolAttr("adjoint_b"))
    dense = transposed(dense);
  int64_t rows = (*shape)[turned], inner = (*shape)[!turned];
  if (dense.rank() != 2 || dense.size(0) != inner ||
      dense.elementType() != values.elementType() ||
      dense.elementType().isInteger(1))
    return node.error() << "cannot multiply a " << rows << " x " << inner
                        << " matrix of " << values.elementType() << " with "
                        << operand(node, 3).type();
  Expr parts = gather(dense, column(positions, !turned), 0) *
               reshape(values, {values.size(0), 1});
  Expr zeros = filled(node, {rows, dense.size(1)}, dense.elementType(), 0);
  return give(node, scatterRows(zeros, column(positions, turned), parts,
                                graph::Combiner::add));
}

/// Operands: coordinates, sizes, and the sizes to come, of which one may be -1.
LogicalResult importReshape(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto from = node.integers(1), to = node.integers(2);
  if (failed(from) || failed(to))
    return failure();
  Expr positions = operand(node, 0);
  auto all = countOrError(node, *from);
  if (failed(all))
    return failure();
  if (positions.rank() != 2 || !isIndexType(positions.elementType()) ||
      positions.size(1) != static_cast<int64_t>(from->size()))
    return node.error() << "holds no coordinates of " << from->size()
                        << " dimensions but " << positions.type();
  int64_t known = 1, open = llvm::count(*to, -1);
  for (int64_t size : *to)
    if (size < -1 || (size >= 0 && llvm::MulOverflow(known, size, known)))
      return node.error() << "has no sizes but [" << *to << "]";
  if (open > 1 || (open && (known == 0 || *all % known)) ||
      (!open && known != *all))
    return node.error() << "turns " << *all << " elements into [" << *to << "]";
  for (int64_t &size : *to)
    size = size < 0 ? *all / known : size;
  int64_t count = positions.size(0);
  Expr flat = filled(node, {count}, positions.elementType(), 0);
  Integers fromStrides = graph::stridesOf(*from);
  for (size_t k = 0; k < from->size(); ++k)
    flat = flat + column(positions, static_cast<int64_t>(k)) *
                      static_cast<double>(fromStrides[k]);
  SmallVector<Expr> columns;
  for (auto [size, stride] : llvm::zip_equal(*to, graph::stridesOf(*to))) {
    auto whole = [&](int64_t number) {
      return flat.like(static_cast<double>(std::max<int64_t>(number, 1)));
    };
    Expr along = apply<graph::FloorModOp>(
        apply<graph::FloorDivOp>(flat, whole(stride)), whole(size));
    columns.push_back(reshape(along, {count, 1}));
  }
  Expr result = columns.empty()
                    ? filled(node, {count, 0}, positions.elementType(), 0)
                    : concat(columns, 1);
  if (!result)
    return give(node, result);
  Sizes sizes = sizesOf(node.traced(0));
  sizes.back() = {static_cast<int64_t>(to->size()), {}};
  Type type = node.type(2).getElementType();
  return node.tracedResults({withSizes(result.value, sizes),
                             {integers(node, type, *to).value, {}, nullptr}});
}

/// Each row without a value gets one, the default. Operands: coordinates,
/// values, sizes, the default.
LogicalResult importFillRows(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  auto shape = node.integers(2);
  if (failed(shape))
    return failure();
  if (shape->empty() || failed(checkSparse(node, *shape)) ||
      failed(checkPositions(node, ArrayRef<int64_t>(*shape).take_front(1))))
    return shape->empty() ? LogicalResult(node.error() << "has no rows")
                          : failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr positions = operand(node, 0), values = operand(node, 1),
       fill = operand(node, 3);
  if (fill.rank() != 0 || fill.elementType() != values.elementType() ||
      !positions.elementType().isInteger(64))
    return node.error() << "cannot fill " << values.type() << " with "
                        << fill.type();
  int64_t rows = (*shape)[0], count = positions.size(0), all;
  if (rows < 0 || llvm::AddOverflow(rows, count, all) || all > (1 << 30))
    return node.error() << "has " << rows << " rows";
  Size size = sizesOf(node.traced(0))[0];
  Expr nowhere = number(b, rows);
  Expr row = select(within(b, size), column(positions, 0), nowhere);
  Expr counts =
      scatterRows(broadcast(number(b, 0), {rows}), row,
                  broadcast(number(b, 1), {count}), graph::Combiner::add);
  Expr isEmpty = apply<graph::EqualOp>(counts, number(b, 0));
  // Rows in order, and values in their order within each; behind them those
  // that are not there.
  Expr order = concat({row, select(isEmpty, iota(b, rows), nowhere)}, 0);
  Expr from = iota(b, all);
  if (all) {
    auto sort = b.create<graph::SortOp>(ValueRange{order.value, from.value},
                                        /*descending=*/false);
    from = Expr(b, sort.getOutputs()[1]);
  }
  SmallVector<Expr> columns{reshape(iota(b, rows), {rows, 1})};
  if (positions.size(1) > 1)
    columns.push_back(filled(node, {rows, positions.size(1) - 1},
                             positions.elementType(), 0));
  Expr allPositions = concat({positions, concat(columns, 1)}, 0);
  Expr allValues = concat({values, broadcast(fill, {rows})}, 0);
  Expr reverse =
      scatterRows(broadcast(number(b, 0), {all}), from, iota(b, all));
  Expr total = exactly(b, size) + sum(cast(isEmpty, b.getI64Type()), {0});
  Size found{all, total.value};
  Expr newPositions = gather(allPositions, from, 0),
       newValues = gather(allValues, from, 0);
  if (std::optional<int64_t> known = knownNumber(total.value)) {
    found = {*known, {}};
    newPositions = slice(newPositions, 0, 0, *known);
    newValues = slice(newValues, 0, 0, *known);
  }
  reverse = slice(reverse, 0, 0, count);
  if (!newPositions || !newValues || !reverse)
    return give(node, Expr());
  return node.tracedResults(
      {withSizes(newPositions.value, {found, Size{positions.size(1), {}}}),
       withSizes(newValues.value, {found}),
       {isEmpty.value, {}, nullptr},
       withSizes(reverse.value, {size})});
}

/// Operands: where each value went, and the gradients of all.
LogicalResult importFillRowsGradient(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr positions = operand(node, 0), gradient = operand(node, 1);
  if (positions.rank() != 1 || gradient.rank() != 1 ||
      !isIndexType(positions.elementType()) ||
      gradient.elementType().isInteger(1))
    return node.error() << "holds no gradients but " << gradient.type();
  if (failed(checkIndices(node, 0, positions, gradient.size(0))))
    return failure();
  Expr isFilled = filled(node, gradient.shape(), node.b.getI32Type(), 1);
  isFilled =
      scatterRows(isFilled, positions,
                  filled(node, positions.shape(), node.b.getI32Type(), 0));
  Expr rest = select(apply<graph::EqualOp>(isFilled, isFilled.like(1)),
                     gradient, gradient.like(0));
  return give(node, {gather(gradient, positions, 0), sum(rest, {0})});
}

} // namespace

void addSparseHandlers(Handlers &handlers) {
  handlers["SparseTensorDenseMatMul"] = importProduct;
  handlers["SparseReshape"] = {importReshape, Takes::dynamic};
  handlers["SparseFillEmptyRows"] = {importFillRows, Takes::dynamic};
  handlers["SparseFillEmptyRowsGrad"] = importFillRowsGradient;
  addCtcHandlers(handlers);
  addRaggedHandlers(handlers);
}

} // namespace weir::tensorflow
