// Shapes as values, and ops that keep every element.

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Gathers.h"
#include "compiler/import/rules/Repeats.h"
#include "compiler/import/rules/Reshapes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Shape and ShapeN.
LogicalResult importShape(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Type type = typeAttrOr(node, "out_type", node.b.getI32Type());
  if (!isIndexType(type))
    return node.error() << "cannot give sizes as " << type;
  SmallVector<Expr> shapes;
  for (unsigned i = 0; i < node.size(); ++i)
    shapes.push_back(
        Expr(node.b, listOf(node.b, sizesOf(node.traced(i)), type)));
  return give(node, shapes);
}

/// Size and Rank.
LogicalResult importCount(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Type type = typeAttrOr(node, "out_type", node.b.getI32Type());
  Sizes sizes = sizesOf(node.traced(0));
  Expr count = node.op() == "Rank" ? number(node.b, node.rank(0))
                                   : product(node.b, sizes, 0, sizes.size());
  return give(node, cast(count, type));
}

LogicalResult importReshape(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto wanted = listedScalars(node, 1);
  return failed(wanted) ? failure() : giveReshaped(node, *wanted);
}

LogicalResult importExpandDims(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto axis = node.axisAt(1, node.rank(0) + 1);
  if (failed(axis))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  sizes.insert(sizes.begin() + *axis, Size{1, {}});
  return node.tracedResults({reshapeBounded(node.b, node.traced(0), sizes)});
}

LogicalResult importSqueeze(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  SmallVector<int64_t> dims = node.intsAttr("squeeze_dims");
  if (dims.empty())
    dims = node.intsAttr("axis");
  int64_t rank = node.rank(0);
  for (int64_t &dim : dims) {
    if (dim < -rank || dim >= rank)
      return node.error() << "dimension " << dim << " is none of " << rank;
    dim = dim < 0 ? dim + rank : dim;
  }
  Sizes sizes;
  Expr one = number(node.b, 1);
  for (auto [i, size] : llvm::enumerate(sizesOf(node.traced(0)))) {
    bool isNamed = llvm::is_contained(dims, static_cast<int64_t>(i));
    if (size.isKnown()) {
      if (isNamed && size.bound != 1)
        return node.error() << "dimension " << i << " of size " << size.bound
                            << " cannot be left out";
      if (isNamed || (dims.empty() && size.bound == 1))
        continue;
    } else if (isNamed) {
      require(node, apply<graph::EqualOp>(exactly(node.b, size), one),
              "dimension " + Twine(i) + " is not of size 1");
      continue;
    } else if (dims.empty()) {
      // The rank of the result must not depend on the run.
      require(node, apply<graph::NotEqualOp>(exactly(node.b, size), one),
              "dimension " + Twine(i) + " has become one of size 1");
    }
    sizes.push_back(size);
  }
  return node.tracedResults({reshapeBounded(node.b, node.traced(0), sizes)});
}

LogicalResult importTranspose(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto permutation = node.integers(1);
  if (failed(permutation))
    return failure();
  int64_t rank = node.rank(0);
  SmallVector<bool> seen(rank);
  for (int64_t &dim : *permutation) {
    dim = dim < 0 ? dim + rank : dim;
    if (dim < 0 || dim >= rank || seen[dim])
      return node.error() << "[" << *permutation
                          << "] is no order of the dimensions of "
                          << node.type(0);
    seen[dim] = true;
  }
  if (static_cast<int64_t>(permutation->size()) != rank)
    return node.error() << "[" << *permutation
                        << "] is no order of the dimensions of "
                        << node.type(0);
  Sizes from = sizesOf(node.traced(0)), to;
  for (int64_t dim : *permutation)
    to.push_back(from[dim]);
  Expr x = transpose(operand(node, 0), *permutation);
  return node.tracedResults({withSizes(x.value, to)});
}

LogicalResult importTile(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto multiples = listedScalars(node, 1);
  return failed(multiples) ? failure() : giveTiled(node, *multiples);
}

LogicalResult importBroadcastTo(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto sizes = sizesAt(node, 1);
  return failed(sizes) ? failure() : giveBroadcast(node, *sizes);
}

/// Two shapes; how many dimensions they have is known.
LogicalResult importBroadcastArgs(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto x = listedScalars(node, 0), y = listedScalars(node, 1);
  if (failed(x) || failed(y))
    return failure();
  size_t rank = std::max(x->size(), y->size());
  Expr one = number(b, 1);
  SmallVector<Value> sizes;
  for (size_t i = 0; i < rank; ++i) {
    auto at = [&](ArrayRef<Value> list) {
      return i + list.size() < rank ? one
                                    : Expr(b, list[i + list.size() - rank]);
    };
    Expr p = at(*x), q = at(*y), isOne = apply<graph::EqualOp>(p, one);
    Expr fits = apply<graph::LogicalOrOp>(
        apply<graph::EqualOp>(p, q),
        apply<graph::LogicalOrOp>(isOne, apply<graph::EqualOp>(q, one)));
    require(node, fits, "the shapes do not broadcast");
    sizes.push_back(
        reshape(cast(select(isOne, q, p), node.type(0).getElementType()), {1})
            .value);
  }
  SmallVector<Expr> parts;
  for (Value size : sizes)
    parts.push_back(Expr(b, size));
  return give(node, parts.empty() ? operand(node, 0) : concat(parts, 0));
}

/// The dimensions along which each of two operands was repeated. One whose size
/// only the run knows counts as larger than 1: were it 1, the sum along it that
/// is then left out would change nothing.
LogicalResult importBroadcastGradientArgs(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto x = listedScalars(node, 0), y = listedScalars(node, 1);
  if (failed(x) || failed(y))
    return failure();
  size_t rank = std::max(x->size(), y->size());
  Integers reduced[2];
  for (size_t i = 0; i < rank; ++i) {
    auto at = [&](ArrayRef<Value> list) {
      return i + list.size() < rank ? number(node.b, 1).value
                                    : list[i + list.size() - rank];
    };
    Value sizes[2] = {at(*x), at(*y)};
    bool isOne[2] = {knownNumber(sizes[0]) == 1, knownNumber(sizes[1]) == 1};
    for (int k : {0, 1})
      if (isOne[k])
        reduced[k].push_back(static_cast<int64_t>(i));
    if (!isOne[0] && !isOne[1] && sizes[0] != sizes[1])
      require(
          node,
          apply<graph::EqualOp>(Expr(node.b, sizes[0]), Expr(node.b, sizes[1])),
          "the shapes do not broadcast");
  }
  // Where the shapes are the same nothing was repeated.
  auto known = knownNumbers(*x), other = knownNumbers(*y);
  if (known && known == other)
    reduced[0] = reduced[1] = {};
  Type type = node.type(0).getElementType();
  return give(node, {integers(node, type, reduced[0]),
                     integers(node, type, reduced[1])});
}

/// ReverseV2 names dimensions, Reverse says yes or no for each.
LogicalResult importReverse(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto given = node.integers(1);
  if (failed(given))
    return failure();
  int64_t rank = node.rank(0);
  Integers dims;
  for (auto [i, number] : llvm::enumerate(*given)) {
    if (node.op() == "Reverse") {
      if (number)
        dims.push_back(i);
      continue;
    }
    dims.push_back(number < 0 ? number + rank : number);
  }
  llvm::sort(dims);
  if ((!dims.empty() && (dims.front() < 0 || dims.back() >= rank)) ||
      std::adjacent_find(dims.begin(), dims.end()) != dims.end())
    return node.error() << "cannot reverse dimensions [" << *given << "] of "
                        << node.type(0);
  return give(node, reverse(operand(node, 0), dims));
}

LogicalResult importRoll(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto shifts = node.integers(1), axes = node.integers(2);
  if (failed(shifts) || failed(axes))
    return failure();
  if (shifts->size() != axes->size())
    return node.error() << "has " << shifts->size() << " shifts of "
                        << axes->size() << " dimensions";
  Expr x = operand(node, 0);
  for (auto [shift, axis] : llvm::zip_equal(*shifts, *axes)) {
    auto dim = node.axis(axis, x.rank());
    if (failed(dim))
      return failure();
    int64_t size = x.size(*dim);
    int64_t by = size ? (shift % size + size) % size : 0;
    if (by)
      x = concat({slice(x, *dim, size - by, by), slice(x, *dim, 0, size - by)},
                 *dim);
  }
  return give(node, x);
}

/// Reverses the first elements of each row, as many as an operand says.
LogicalResult importReverseSequence(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr x = operand(node, 0), lengths = operand(node, 1);
  int64_t along = node.intAttr("seq_dim"), batch = node.intAttr("batch_dim");
  if (along < 0 || along >= x.rank() || batch < 0 || batch >= x.rank() ||
      along == batch || lengths.rank() != 1 || lengths.size(0) != x.size(batch))
    return node.error() << "cannot reverse dimension " << along << " of "
                        << x.type() << " by " << lengths.type()
                        << " of dimension " << batch;
  if (x.type().getNumElements() == 0)
    return give(node, x);
  if (failed(checkIndices(node, 1, lengths, x.size(along) + 1)))
    return failure();
  // Where each element comes from.
  ImplicitLocOpBuilder &b = node.b;
  auto type = RankedTensorType::get({x.size(along)}, lengths.elementType());
  Expr positions(b, make<graph::IotaOp>(b, type, 0));
  Expr ends = reshape(lengths, {lengths.size(0), 1});
  Expr mirrored = ends - 1.0 - positions;
  Expr places2 = positions, ends2 = ends;
  if (!align(places2, ends2))
    return give(node, Expr());
  Expr within(b, make<graph::LessOp>(b, places2.value, ends2.value));
  Expr indices = select(within, mirrored, positions);
  // The batch and then the row lead, and then return.
  Integers order{batch, along}, back(x.rank());
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != batch && i != along)
      order.push_back(i);
  for (auto [i, dim] : llvm::enumerate(order))
    back[dim] = i;
  x = transpose(x, order);
  x.value = make<graph::GatherOp>(b, x.value, indices.value, 1, 1);
  return give(node, transpose(x, back));
}

} // namespace

void addShapeHandlers(Handlers &handlers) {
  handlers["Shape"] = {importShape, Takes::dynamic};
  handlers["ShapeN"] = {importShape, Takes::dynamic};
  handlers["Size"] = {importCount, Takes::dynamic};
  handlers["Rank"] = {importCount, Takes::dynamic};
  handlers["Reshape"] = {importReshape, Takes::dynamic};
  handlers["ExpandDims"] = {importExpandDims, Takes::dynamic};
  handlers["Squeeze"] = {importSqueeze, Takes::dynamic};
  handlers["Transpose"] = {importTranspose, Takes::dynamic};
  handlers["ConjugateTranspose"] = {importTranspose, Takes::dynamic};
  handlers["Tile"] = {importTile, Takes::dynamic};
  handlers["BroadcastTo"] = {importBroadcastTo, Takes::dynamic};
  handlers["BroadcastArgs"] = {importBroadcastArgs, Takes::dynamic};
  handlers["BroadcastGradientArgs"] = {importBroadcastGradientArgs,
                                       Takes::dynamic};
  handlers["Reverse"] = importReverse;
  handlers["ReverseV2"] = importReverse;
  handlers["ReverseSequence"] = importReverseSequence;
  handlers["Roll"] = importRoll;
  addBlockHandlers(handlers);
  addDiagonalHandlers(handlers);
  addJoinHandlers(handlers);
  addPadHandlers(handlers);
  addRangeHandlers(handlers);
  addSliceHandlers(handlers);
  addSliceUpdateHandlers(handlers);
}

} // namespace weir::tensorflow
