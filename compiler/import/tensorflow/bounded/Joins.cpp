// Concat, pack, split and unpack of tensors of sizes known only at run time.

#include "compiler/import/rules/Joins.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importConcat(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  unsigned last = node.size() - 1;
  bool axisFirst = node.op() == "Concat";
  unsigned first = axisFirst ? 1 : 0;
  auto axis = node.axisAt(axisFirst ? 0 : last, node.rank(first));
  if (failed(axis))
    return failure();
  SmallVector<Traced> parts;
  for (unsigned i = 0; i < last; ++i)
    parts.push_back(node.traced(first + i));
  return giveJoined(node, parts, *axis);
}

LogicalResult importPack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  SmallVector<Traced> parts;
  for (unsigned i = 0; i < node.size(); ++i)
    parts.push_back(node.traced(i));
  Sizes sizes;
  auto places = sameBounds(node, parts, -1, sizes);
  if (failed(places) || failed(runOnPlaces(node, *places)))
    return failure();
  int64_t rank = node.rank(0) + 1, axis = node.intAttr("axis");
  axis = axis < 0 ? axis + rank : axis;
  sizes.insert(sizes.begin() + axis,
               Size{static_cast<int64_t>(node.size()), {}});
  return giveSizes(node, 0, sizes);
}

/// Runs the node's own handler on the places, whose dimension `axis` it takes
/// apart; the others keep their sizes.
LogicalResult takeApart(Node &node, unsigned operand, int64_t axis,
                        bool dropsAxis) {
  Sizes sizes = sizesOf(node.traced(operand));
  if (!sizes[axis].isKnown())
    return node.unsupported("takes apart a dimension whose size is known only "
                            "at run time");
  if (failed(runOnPlaces(node, {})))
    return failure();
  for (unsigned i = 0; i < node.given.size(); ++i) {
    Sizes own = sizes;
    if (dropsAxis)
      own.erase(own.begin() + axis);
    else
      own[axis].bound = typeOf(node.given[i].value).getDimSize(axis);
    if (failed(giveSizes(node, i, own)))
      return failure();
  }
  return success();
}

LogicalResult importUnpack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto axis = node.axis(node.intAttr("axis"), node.rank(0));
  return failed(axis) ? failure() : takeApart(node, 0, *axis, true);
}

LogicalResult importSplit(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto axis = node.axisAt(0, node.rank(1));
  return failed(axis) ? failure() : takeApart(node, 1, *axis, false);
}

LogicalResult importSplitV(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto axis = node.axisAt(2, node.rank(0));
  return failed(axis) ? failure() : takeApart(node, 0, *axis, false);
}

} // namespace

void addBoundedJoinHandlers(BoundedHandlers &handlers) {
  handlers["Concat"] = importConcat;
  handlers["ConcatV2"] = importConcat;
  handlers["Pack"] = importPack;
  handlers["Unpack"] = importUnpack;
  handlers["Split"] = importSplit;
  handlers["SplitV"] = importSplitV;
}

} // namespace weir::tensorflow
