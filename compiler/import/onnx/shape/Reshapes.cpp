// Nodes that give the same elements another shape, or tell a shape.

#include "compiler/import/onnx/Choice.h"
#include "compiler/import/onnx/Scalars.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::onnx {
namespace {

int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// `x` in a shape of as many elements; an error where there are not.
LogicalResult giveReshaped(Node &node, Expr x, ArrayRef<int64_t> shape) {
  auto count = byteSize(shape, 1);
  if (!count || *count != x.type().getNumElements()) {
    InFlightDiagnostic error = node.error();
    error << "turns " << x.type() << " into the shape [" << shape << "]";
    return error;
  }
  return give(node, reshape(x, shape));
}

/// The sizes that a Reshape asks for, -1 for the one that the others leave and
/// 0 for that of the operand.
FailureOr<Integers> askedShape(Node &node, ArrayRef<int64_t> asked,
                               ArrayRef<int64_t> from) {
  Integers shape(asked);
  std::optional<size_t> rest;
  bool zeroIsZero = node.opset() >= 14 && node.intAttr("allowzero");
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !zeroIsZero) {
      if (i >= from.size())
        return node.error() << "copies size " << i << ", which its operand of "
                            << from.size() << " dimensions has not";
      shape[i] = from[i];
    }
    if (shape[i] < -1 || (shape[i] == -1 && rest))
      return node.error() << "turns its operand into the shape [" << asked
                          << "]";
    if (shape[i] == -1)
      rest = i;
  }
  if (!rest)
    return shape;
  shape[*rest] = 1;
  auto others = byteSize(shape, 1);
  int64_t count = countOf(from);
  if (!others || *others == 0 || count % *others)
    return node.error() << "turns " << count << " elements into the shape ["
                        << asked << "]";
  shape[*rest] = count / *others;
  return shape;
}

/// Each size that the operand asks for must be the promised one, or leave it
/// open.
LogicalResult checkAsked(Node &node, ArrayRef<int64_t> promised,
                         ArrayRef<int64_t> from) {
  SmallVector<Expr> asked;
  if (failed(readScalars(node, 1, asked)))
    return failure();
  if (asked.size() != promised.size())
    return node.error() << "asks for " << asked.size()
                        << " sizes where the model says " << promised.size();
  for (auto [i, size] : llvm::enumerate(promised)) {
    Expr fits = either(equal(asked[i], number(node, size)),
                       equal(asked[i], number(node, -1)));
    if (i < from.size() && from[i] == size)
      fits = either(fits, equal(asked[i], number(node, 0)));
    if (failed(check(node, fits, "asks for another shape than the model says")))
      return failure();
  }
  return success();
}

LogicalResult importReshape(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  Expr x = operand(node, 0);
  if (!node.has(1) || node.tryConstant(1)) {
    auto asked = integersAt(node, "shape", 1);
    if (failed(asked))
      return failure();
    if (!*asked)
      return node.missing("shape");
    FailureOr<Integers> shape = askedShape(node, **asked, x.shape());
    return failed(shape) ? failure() : giveReshaped(node, x, *shape);
  }
  FailureOr<Integers> shape = promisedShape(node, 0, "its shape");
  if (failed(shape) || failed(checkAsked(node, *shape, x.shape())))
    return failure();
  return giveReshaped(node, x, *shape);
}

LogicalResult importFlatten(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Expr x = operand(node, 0);
  int64_t axis = node.intAttr("axis", 1);
  if (axis < -x.rank() || axis > x.rank())
    return node.error() << "axis " << axis << " is none of " << x.type();
  axis += axis < 0 ? x.rank() : 0;
  return give(node, reshape(x, {countOf(x.shape().take_front(axis)),
                                countOf(x.shape().drop_front(axis))}));
}

/// Axes that only the run knows, of dimensions of size 1 of the operand, or of
/// the result where that has `more`: the model says what comes of them, and the
/// run checks that they do name such dimensions.
LogicalResult reshapeAsPromised(Node &node, bool more) {
  Expr x = operand(node, 0);
  FailureOr<Integers> promised = promisedShape(node, 0, "its axes");
  if (failed(promised))
    return failure();
  if (failed(more ? checkAxesOfOnes(node, 1, *promised, x.shape())
                  : checkAxesOfOnes(node, 1, x.shape(), *promised)))
    return failure();
  return giveReshaped(node, x, *promised);
}

LogicalResult importSqueeze(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  if (node.has(1) && !node.tryConstant(1))
    return reshapeAsPromised(node, /*more=*/false);
  Expr x = operand(node, 0);
  auto given = integersAt(node, "axes", 1);
  if (failed(given))
    return failure();
  Integers dims;
  if (*given) {
    auto axes = node.axes(**given, x.rank());
    if (failed(axes))
      return failure();
    dims = *axes;
  }
  Integers shape;
  for (auto [d, size] : llvm::enumerate(x.shape())) {
    bool goes =
        *given ? llvm::is_contained(dims, static_cast<int64_t>(d)) : size == 1;
    if (!goes)
      shape.push_back(size);
    else if (size != 1)
      return node.error() << "squeezes dimension " << d << " of " << x.type();
  }
  return give(node, reshape(x, shape));
}

LogicalResult importUnsqueeze(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  if (node.has(1) && !node.tryConstant(1))
    return reshapeAsPromised(node, /*more=*/true);
  Expr x = operand(node, 0);
  auto given = integersAt(node, "axes", 1);
  if (failed(given))
    return failure();
  if (!*given)
    return node.missing("axes");
  int64_t rank = x.rank() + static_cast<int64_t>((*given)->size());
  if (rank > rankLimit)
    return node.error() << "makes " << rank << " dimensions";
  auto axes = node.axes(**given, rank);
  if (failed(axes))
    return failure();
  Integers shape;
  for (int64_t d = 0, next = 0; d < rank; ++d)
    shape.push_back(llvm::is_contained(*axes, d) ? 1 : x.size(next++));
  return give(node, reshape(x, shape));
}

LogicalResult importShape(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  ArrayRef<int64_t> shape = node.shape(0);
  auto rank = static_cast<int64_t>(shape.size());
  auto place = [&](StringRef name, int64_t otherwise) {
    int64_t at = node.intAttr(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = place("start", 0), end = place("end", rank);
  return give(
      node, list(node, shape.slice(start, std::max<int64_t>(end - start, 0))));
}

LogicalResult importSize(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  return give(node, number(node, countOf(node.shape(0))));
}

LogicalResult importTranspose(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Expr x = operand(node, 0);
  Integers order = node.intsAttr("perm");
  if (!node.hasAttr("perm"))
    order = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, x.rank())));
  auto axes = node.axes(order, x.rank());
  if (failed(axes))
    return failure();
  if (static_cast<int64_t>(axes->size()) != x.rank())
    return node.error() << "orders " << axes->size() << " dimensions of "
                        << x.type();
  return give(node, transpose(x, *axes));
}

/// The shape that an Expand asks for, from the right.
FailureOr<Integers> askedShape(Node &node) {
  if (node.tryConstant(1))
    return node.integers(1);
  FailureOr<Integers> promised = promisedShape(node, 0, "its shape");
  if (failed(promised))
    return failure();
  // What is asked for may be shorter, or 1 where the operand has more.
  SmallVector<Expr> sizes;
  if (failed(readScalars(node, 1, sizes)))
    return failure();
  if (sizes.size() > promised->size())
    return node.error() << "asks for " << sizes.size()
                        << " sizes where the model says " << promised->size();
  for (auto [given, size] :
       llvm::zip(llvm::reverse(sizes), llvm::reverse(*promised)))
    if (failed(check(node,
                     either(equal(given, number(node, size)),
                            equal(given, number(node, 1))),
                     "asks for another shape than the model says")))
      return failure();
  return promised;
}

LogicalResult importExpand(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<Integers> asked = askedShape(node);
  if (failed(asked))
    return failure();
  if (!byteSize(*asked, 1) || static_cast<int64_t>(asked->size()) > rankLimit)
    return node.error() << "expands to the shape [" << *asked << "]";
  auto shape = broadcastShapes(x.shape(), *asked);
  if (failed(shape) || !byteSize(*shape, 1))
    return node.error() << "expands " << x.type() << " to the shape [" << *asked
                        << "]";
  return give(node, broadcast(x, *shape));
}

/// Before opset 6 a Tile repeats one dimension: operands x, how often, which.
LogicalResult tileAlongAxis(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<int64_t> times = node.integer(1), given = node.integer(2);
  if (failed(times) || failed(given))
    return failure();
  FailureOr<int64_t> axis = node.axis(*given, x.rank());
  if (failed(axis))
    return failure();
  constexpr int64_t most = 1 << 16;
  if (*times < 0 || *times > most)
    return node.error() << "repeats " << *times << " times";
  if (*times == 0)
    return give(node, slice(x, *axis, 0, 0));
  return give(node, concat(SmallVector<Expr>(*times, x), *axis));
}

/// How often a Tile repeats each dimension.
FailureOr<Integers> repeatsOf(Node &node, Expr x) {
  if (node.tryConstant(1))
    return node.integers(1);
  FailureOr<Integers> promised = promisedShape(node, 0, "its repeats");
  if (failed(promised))
    return failure();
  SmallVector<Expr> given;
  if (failed(readScalars(node, 1, given)))
    return failure();
  if (promised->size() != x.shape().size() || given.size() != promised->size())
    return node.error() << "makes [" << *promised << "] of " << x.type();
  Integers repeats;
  for (auto [size, whole, times] : llvm::zip(x.shape(), *promised, given)) {
    repeats.push_back(size ? whole / size : 0);
    if (size && failed(check(node, equal(times, number(node, repeats.back())),
                             "repeats another number of times than the "
                             "model says")))
      return failure();
  }
  return repeats;
}

LogicalResult importTile(Node &node) {
  if (node.opset() < 6)
    return tileAlongAxis(node);
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<Integers> given = repeatsOf(node, x);
  if (failed(given))
    return failure();
  ArrayRef<int64_t> repeats = *given;
  if (static_cast<int64_t>(repeats.size()) != x.rank())
    return node.error() << "has " << repeats.size() << " repeats for "
                        << x.type();
  Integers split, wide, shape;
  for (auto [size, times] : llvm::zip(x.shape(), repeats)) {
    int64_t product = 0;
    if (times < 0 || llvm::MulOverflow(size, times, product))
      return node.error() << "repeats " << x.type() << " by [" << repeats
                          << "]";
    split.append({1, size});
    wide.append({times, size});
    shape.push_back(product);
  }
  if (!byteSize(shape, 1) || !byteSize(wide, 1))
    return node.error() << "repeats " << x.type() << " by [" << repeats << "]";
  return give(node, reshape(broadcast(reshape(x, split), wide), shape));
}

LogicalResult importConstantOfShape(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Integers shape;
  if (node.type(0).getNumElements() == 0) {
    shape = {};
  } else if (node.tryConstant(0)) {
    FailureOr<Integers> given = node.integers(0);
    if (failed(given))
      return failure();
    shape = *given;
  } else {
    FailureOr<Integers> promised = promisedShape(node, 0, "its shape");
    SmallVector<Expr> asked;
    if (failed(readScalars(node, 0, asked)))
      return failure();
    if (failed(promised))
      return failure();
    if (promised->size() != asked.size())
      return node.error() << "asks for " << asked.size()
                          << " sizes where the model says " << promised->size();
    for (auto [given, size] : llvm::zip(asked, *promised))
      if (failed(check(node, equal(given, number(node, size)),
                       "asks for another shape than the model says")))
        return failure();
    shape = *promised;
  }
  if (!byteSize(shape, 8) || static_cast<int64_t>(shape.size()) > rankLimit)
    return node.error() << "makes a tensor of the shape [" << shape << "]";
  auto *value = node.attr("value");
  if (!value)
    return give(node, filled(node, shape, node.b.getF32Type(), 0));
  if (!value->has_t())
    return node.error() << "its value is no tensor";
  FailureOr<Constant> constant =
      node.tracer.constant(node.b.getLoc(), *value->mutable_t(), node.name());
  if (failed(constant))
    return failure();
  if (!constant->value || constant->value.getNumElements() != 1)
    return node.error() << "its value is not one number";
  Expr one(node.b, node.b.create<graph::ConstantOp>(constant->value));
  return give(node, broadcast(reshape(one, {}), shape));
}

} // namespace

void addReshapeHandlers(Handlers &handlers) {
  handlers["ConstantOfShape"] = importConstantOfShape;
  handlers["Expand"] = importExpand;
  handlers["Flatten"] = importFlatten;
  handlers["Reshape"] = importReshape;
  handlers["Shape"] = importShape;
  handlers["Size"] = importSize;
  handlers["Squeeze"] = importSqueeze;
  handlers["Tile"] = importTile;
  handlers["Transpose"] = importTranspose;
  handlers["Unsqueeze"] = importUnsqueeze;
}

} // namespace weir::onnx
