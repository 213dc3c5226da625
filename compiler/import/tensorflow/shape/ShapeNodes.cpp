// Shapes as values, and ops that keep every element.

#include "compiler/import/bounded/Places.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

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
  auto shape = node.integers(1);
  if (failed(shape))
    return failure();
  if (node.rank(1) > 1)
    return node.error() << "takes its shape from a vector, not from a tensor "
                           "of rank "
                        << node.rank(1);
  // Beside a size of 0 the open one is what the other sizes leave, as
  // TensorFlow counts: [2, 0] as [2, 0, -1] is [2, 0, 1].
  bool isEmpty = llvm::is_contained(*shape, 0);
  int64_t count = 1, unknown = -1, known = 1;
  for (int64_t size : node.shape(0))
    count *= isEmpty && size == 0 ? 1 : size;
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (size == -1 && unknown < 0)
      unknown = static_cast<int64_t>(i);
    else if (size < 0 || (size && llvm::MulOverflow(known, size, known)))
      return node.error() << "has no shape [" << *shape << "]";
  }
  bool fits = isEmpty        ? node.type(0).getNumElements() == 0
              : unknown >= 0 ? count % known == 0
                             : count == known;
  if (!fits)
    return node.error() << "cannot shape " << node.type(0).getNumElements()
                        << " elements as [" << *shape << "]";
  if (unknown >= 0)
    (*shape)[unknown] = count / known;
  return give(node, reshape(operand(node, 0), *shape));
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
  return give(node, transpose(operand(node, 0), *permutation));
}

LogicalResult importTile(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto multiples = node.integers(1);
  if (failed(multiples))
    return failure();
  int64_t rank = node.rank(0);
  if (static_cast<int64_t>(multiples->size()) != rank)
    return node.error() << "has " << multiples->size() << " multiples for "
                        << node.type(0);
  // Each dimension becomes two, repetitions first, which are then one.
  Integers split, repeated, whole;
  for (auto [size, times] : llvm::zip_equal(node.shape(0), *multiples)) {
    int64_t product;
    if (times < 0 || llvm::MulOverflow(size, times, product))
      return node.error() << "cannot repeat a dimension " << times << " times";
    llvm::append_values(split, 1, size);
    llvm::append_values(repeated, times, size);
    whole.push_back(product);
  }
  if (failed(countOrError(node, whole)) || failed(countOrError(node, repeated)))
    return failure();
  Expr x = reshape(operand(node, 0), split);
  return give(node, reshape(broadcast(x, repeated), whole));
}

LogicalResult importBroadcastTo(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto shape = node.integers(1);
  if (failed(shape) || failed(countOrError(node, *shape)))
    return failure();
  auto common = broadcastShapes(node.shape(0), *shape);
  if (failed(common) || *common != *shape)
    return node.error() << "cannot broadcast " << node.type(0) << " to ["
                        << *shape << "]";
  return give(node, broadcast(operand(node, 0), *shape));
}

LogicalResult importBroadcastArgs(Node &node) {
  auto a = node.integers(0), b = node.integers(1);
  if (failed(a) || failed(b))
    return failure();
  auto shape = broadcastShapes(*a, *b);
  if (failed(shape))
    return node.error() << "[" << *a << "] and [" << *b << "] do not broadcast";
  return give(node, integers(node, node.type(0).getElementType(), *shape));
}

/// The dimensions along which each of two operands was repeated.
LogicalResult importBroadcastGradientArgs(Node &node) {
  auto a = node.integers(0), b = node.integers(1);
  if (failed(a) || failed(b))
    return failure();
  auto shape = broadcastShapes(*a, *b);
  if (failed(shape))
    return node.error() << "[" << *a << "] and [" << *b << "] do not broadcast";
  Integers reduced[2];
  int64_t rank = shape->size();
  for (int64_t i = 0; i < rank; ++i) {
    auto sizeOf = [&](ArrayRef<int64_t> dims) {
      int64_t at = i - rank + static_cast<int64_t>(dims.size());
      return at < 0 ? 1 : dims[at];
    };
    int64_t sizes[2] = {sizeOf(*a), sizeOf(*b)};
    for (int k : {0, 1})
      if (sizes[k] == 1)
        reduced[k].push_back(i);
  }
  // Where the shapes are the same nothing was repeated.
  if (*a == *b)
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
  Expr places(b, make<graph::IotaOp>(b, type, 0));
  Expr ends = reshape(lengths, {lengths.size(0), 1});
  Expr mirrored = ends - 1.0 - places;
  Expr places2 = places, ends2 = ends;
  if (!align(places2, ends2))
    return give(node, Expr());
  Expr within(b, make<graph::LessOp>(b, places2.value, ends2.value));
  Expr indices = select(within, mirrored, places);
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

void weir::tensorflow::addShapeHandlers(Handlers &handlers) {
  handlers["Shape"] = {importShape, Takes::open};
  handlers["ShapeN"] = {importShape, Takes::open};
  handlers["Size"] = {importCount, Takes::open};
  handlers["Rank"] = {importCount, Takes::open};
  handlers["Reshape"] = importReshape;
  handlers["ExpandDims"] = {importExpandDims, Takes::open};
  handlers["Squeeze"] = {importSqueeze, Takes::open};
  handlers["Transpose"] = importTranspose;
  handlers["ConjugateTranspose"] = importTranspose;
  handlers["Tile"] = importTile;
  handlers["BroadcastTo"] = importBroadcastTo;
  handlers["BroadcastArgs"] = importBroadcastArgs;
  handlers["BroadcastGradientArgs"] = importBroadcastGradientArgs;
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
