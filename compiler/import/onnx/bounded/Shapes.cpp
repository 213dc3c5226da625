// Nodes that tell a shape or are given one, where sizes are known only at run
// time.

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/rules/Counts.h"
#include "compiler/import/rules/Repeats.h"
#include "compiler/import/rules/Reshapes.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

LogicalResult importShape(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  auto rank = static_cast<int64_t>(sizes.size());
  auto place = [&](StringRef name, int64_t otherwise) {
    int64_t at = node.intAttr(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = place("start", 0), end = place("end", rank);
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

/// The sizes that are asked for; -1 for what the others leave, and 0 for that
/// of the operand.
LogicalResult importReshape(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  SmallVector<Value> asked;
  if (node.has(1)) {
    auto given = listedScalars(node, 1);
    if (failed(given))
      return failure();
    asked = *given;
  } else {
    if (!node.hasAttr("shape"))
      return node.missing("shape");
    for (int64_t size : node.intsAttr("shape"))
      asked.push_back(number(b, size).value);
  }
  Sizes from = sizesOf(node.traced(0));
  bool zeroIsZero = node.opset() >= 14 && node.intAttr("allowzero");
  for (auto [i, size] : llvm::enumerate(asked)) {
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
      size = select(equal(asks, number(b, 0)), own, asks).value;
  }
  return giveReshaped(node, asked);
}

/// Sizes are asked for from the last dimension on; where one is 1, the
/// operand's stays.
LogicalResult importExpand(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto asked = listedScalars(node, 1);
  if (failed(asked))
    return failure();
  Sizes from = sizesOf(node.traced(0));
  size_t rank = std::max(from.size(), asked->size());
  from.insert(from.begin(), rank - from.size(), Size{1, {}});
  asked->insert(asked->begin(), rank - asked->size(), number(b, 1).value);
  SmallVector<Value> wanted;
  for (auto [size, value] : llvm::zip_equal(from, *asked)) {
    bool isOne = size.isKnown() && size.bound == 1;
    bool stays = knownNumber(value) == 1 ||
                 (!isOne && isSame(value, exactly(b, size).value));
    if (stays || isOne) {
      wanted.push_back(stays ? exactly(b, size).value : value);
      continue;
    }
    Expr asks(b, value), has = exactly(b, size), one = number(b, 1);
    wanted.push_back(select(apply<graph::EqualOp>(asks, one), has, asks).value);
  }
  auto sizes = sizesFrom(node, wanted);
  return failed(sizes) ? failure() : giveBroadcast(node, *sizes);
}

LogicalResult importTile(Node &node) {
  if (node.opset() < 6)
    return node.unsupported("repeats along one axis of sizes known only at run "
                            "time");
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  auto repeats = listedScalars(node, 1);
  return failed(repeats) ? failure() : giveTiled(node, *repeats);
}

LogicalResult importConstantOfShape(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  // The node's own handler makes one element of it.
  Traced none{list(node, {}).value, {}, nullptr};
  if (failed(node.runOn(none)))
    return failure();
  Value one = node.given.front().value;
  return node.tracedResults(
      {withSizes(broadcastTo(node.b, one, boundsOf(*sizes)), *sizes)});
}

LogicalResult importRange(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  Expr limits[3];
  for (unsigned i = 0; i < 3; ++i) {
    if (node.type(i).getNumElements() != 1 ||
        node.element(i) != node.element(0) || node.element(i).isInteger(1))
      return node.error() << "counts from " << node.type(0) << " by "
                          << node.type(i);
    limits[i] = reshape(operand(node, i), {});
  }
  return giveCounted(node, limits[0], limits[1], limits[2],
                     /*mayBeNone=*/true);
}

} // namespace

void addBoundedShapeHandlers(BoundedHandlers &handlers) {
  handlers["ConstantOfShape"] = {importConstantOfShape, {0}, true};
  handlers["Expand"] = {importExpand, {1}, true};
  handlers["Range"] = {importRange, {0, 1, 2}, true};
  handlers["Reshape"] = {importReshape, {1}, true};
  handlers["Shape"] = importShape;
  handlers["Size"] = importSize;
  handlers["Tile"] = {importTile, {1}, true};
}

} // namespace weir::onnx
