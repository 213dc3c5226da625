// Nodes that give the same elements another shape, or tell a shape.

#include "compiler/import/rules/Reshapes.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/onnx/Choice.h"
#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/rules/Repeats.h"

#include "dialects/graph/Elementwise.h"
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

/// Whether the model says the shape that operand `i` lists only at run time.
bool isPromised(Node &node, unsigned i) {
  return node.has(i) && !node.tryConstant(i) && !isForRun(node, i);
}

SmallVector<Value> scalarsOf(Node &node, ArrayRef<int64_t> values) {
  SmallVector<Value> scalars;
  for (int64_t value : values)
    scalars.push_back(number(node, value).value);
  return scalars;
}

/// Operand 0 in a shape of as many elements.
LogicalResult giveShape(Node &node, ArrayRef<int64_t> shape) {
  return giveReshaped(node, scalarsOf(node, shape));
}

/// Each size that the operand asks for must be the promised one, or leave it
/// open.
LogicalResult checkRequested(Node &node, ArrayRef<int64_t> promised,
                             ArrayRef<int64_t> from) {
  SmallVector<Expr> requested;
  if (failed(readScalars(node, 1, requested)))
    return failure();
  if (requested.size() != promised.size())
    return node.error() << "asks for " << requested.size()
                        << " sizes where the model says " << promised.size();
  for (auto [i, size] : llvm::enumerate(promised)) {
    Expr fits = either(equal(requested[i], number(node, size)),
                       equal(requested[i], number(node, -1)));
    if (i < from.size() && from[i] == size)
      fits = either(fits, equal(requested[i], number(node, 0)));
    if (failed(check(node, fits, "asks for another shape than the model says")))
      return failure();
  }
  return success();
}

/// The sizes that are wanted: -1 for the one that the others leave, and 0 for
/// that of the operand.
LogicalResult importReshape(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  if (isPromised(node, 1)) {
    FailureOr<Integers> shape = promisedShape(node, 0, "its shape");
    return failed(shape) || failed(checkRequested(node, *shape, node.shape(0)))
               ? failure()
               : giveShape(node, *shape);
  }
  ImplicitLocOpBuilder &b = node.b;
  SmallVector<Value> requested;
  if (node.has(1)) {
    auto given = listedScalars(node, 1);
    if (failed(given))
      return failure();
    requested = *given;
  } else {
    if (!node.hasAttr("shape"))
      return node.missing("shape");
    for (int64_t size : node.intsAttr("shape"))
      requested.push_back(weir::number(b, size).value);
  }
  Sizes from = sizesOf(node.traced(0));
  bool zeroIsZero = node.opset() >= 14 && node.intAttr("allowzero");
  for (auto [i, size] : llvm::enumerate(requested)) {
    auto known = knownNumber(size);
    if (known && *known < -1)
      return node.error() << "asks for a size of " << *known;
    if (zeroIsZero || intervalOf(size).low > 0 || (known && *known < 0))
      continue;
    if (known && i >= from.size())
      return node.error() << "copies size " << i << ", which its operand of "
                          << from.size() << " dimensions has not";
    if (i >= from.size())
      continue;
    Expr own = exactly(b, from[i]), asks(b, size);
    if (known)
      size = own.value;
    else if (!isSame(size, own.value))
      size = select(equal(asks, weir::number(b, 0)), own, asks).value;
  }
  return giveReshaped(node, requested);
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
  return giveShape(node, *promised);
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
  Sizes sizes = sizesOf(node.traced(0));
  auto rank = static_cast<int64_t>(sizes.size());
  auto position = [&](StringRef name, int64_t otherwise) {
    int64_t at = node.intAttr(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = position("start", 0), end = position("end", rank);
  auto part = ArrayRef(sizes).slice(start, std::max<int64_t>(end - start, 0));
  if (part.empty())
    return give(node, list(node, {}));
  return node.result(listOf(node.b, part, node.b.getI64Type()));
}

LogicalResult importSize(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  return give(node, product(node.b, sizes, 0, sizes.size()));
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

/// The sizes that an Expand asks for, of the last dimensions.
FailureOr<SmallVector<Value>> expandedShape(Node &node) {
  if (!isPromised(node, 1))
    return listedScalars(node, 1);
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
  return scalarsOf(node, *promised);
}

/// The sizes that are wanted stand for the last dimensions; where one is 1, the
/// operand's stays.
LogicalResult importExpand(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto requested = expandedShape(node);
  if (failed(requested))
    return failure();
  if (static_cast<int64_t>(requested->size()) > rankLimit)
    return node.error() << "expands to " << requested->size() << " dimensions";
  Sizes from = sizesOf(node.traced(0));
  size_t rank = std::max(from.size(), requested->size());
  from.insert(from.begin(), rank - from.size(), Size{1, {}});
  requested->insert(requested->begin(), rank - requested->size(),
                    weir::number(b, 1).value);
  SmallVector<Value> wanted;
  for (auto [size, value] : llvm::zip_equal(from, *requested)) {
    bool isOne = size.isKnown() && size.bound == 1;
    bool stays = knownNumber(value) == 1 ||
                 (!isOne && isSame(value, exactly(b, size).value));
    if (stays || isOne) {
      wanted.push_back(stays ? exactly(b, size).value : value);
      continue;
    }
    Expr asks(b, value), has = exactly(b, size), one = weir::number(b, 1);
    wanted.push_back(select(apply<graph::EqualOp>(asks, one), has, asks).value);
  }
  auto sizes = sizesFrom(node, wanted);
  return failed(sizes) ? failure() : giveBroadcast(node, *sizes);
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
FailureOr<SmallVector<Value>> repeatsOf(Node &node) {
  if (!isPromised(node, 1))
    return listedScalars(node, 1);
  Expr x = operand(node, 0);
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
  return scalarsOf(node, repeats);
}

LogicalResult importTile(Node &node) {
  if (node.opset() < 6 && node.traced(0).isBounded())
    return node.unsupported("repeats along one axis of sizes known only at run "
                            "time");
  if (node.opset() < 6)
    return tileAlongAxis(node);
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  auto repeats = repeatsOf(node);
  return failed(repeats) ? failure() : giveTiled(node, *repeats);
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
    SmallVector<Expr> requested;
    if (failed(readScalars(node, 0, requested)))
      return failure();
    if (failed(promised))
      return failure();
    if (promised->size() != requested.size())
      return node.error() << "asks for " << requested.size()
                          << " sizes where the model says " << promised->size();
    for (auto [given, size] : llvm::zip(requested, *promised))
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
  handlers["Expand"] = {importExpand, Takes::dynamic};
  handlers["Flatten"] = importFlatten;
  handlers["Reshape"] = {importReshape, Takes::dynamic};
  handlers["Shape"] = {importShape, Takes::dynamic};
  handlers["Size"] = {importSize, Takes::dynamic};
  handlers["Squeeze"] = importSqueeze;
  handlers["Tile"] = {importTile, Takes::dynamic};
  handlers["Transpose"] = importTranspose;
  handlers["Unsqueeze"] = importUnsqueeze;
}

} // namespace weir::onnx
