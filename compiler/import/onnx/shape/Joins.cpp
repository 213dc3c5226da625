// Nodes that put tensors together, take them apart, and move blocks between
// dimensions.

#include "compiler/import/rules/Joins.h"
#include "compiler/import/onnx/Operands.h"
#include "compiler/import/onnx/Scalars.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

LogicalResult importConcat(Node &node) {
  if (node.size() == 0)
    return node.error() << "has no operands";
  if (node.opset() >= 4 && !node.hasAttr("axis"))
    return node.missing("axis");
  SmallVector<Traced> parts;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (!node.operand(i))
      return node.error() << "lacks operand " << i;
    parts.push_back(node.traced(i));
  }
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis", 1), node.rank(0));
  return failed(axis) ? failure() : giveJoined(node, parts, *axis);
}

/// The sizes of parts that the model says and only the run knows; it checks
/// them.
FailureOr<std::optional<SmallVector<Value>>> promisedParts(Node &node,
                                                           int64_t axis) {
  SmallVector<Expr> given;
  if (failed(readScalars(node, 1, given)))
    return failure();
  SmallVector<Value> sizes;
  for (unsigned i = 0; i < node.outputs(); ++i) {
    auto shape = node.declaredShape(i);
    if (!shape || static_cast<int64_t>(shape->size()) <= axis ||
        given.size() != node.outputs())
      return node.unsupported("sizes of its parts that are not known at "
                              "compile time");
    Expr size = number(node, (*shape)[axis]);
    if (failed(check(node, equal(given[i], size),
                     "makes parts of other sizes than the model says")))
      return failure();
    sizes.push_back(size.value);
  }
  return std::optional(sizes);
}

/// Parts of the sizes that operand 1 lists, an attribute before opset 13; or as
/// even as can be, of which the last are smaller.
LogicalResult importSplit(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), node.rank(0));
  if (failed(axis))
    return failure();
  Expr whole = exactly(b, sizesOf(node.traced(0))[*axis]);
  auto count = static_cast<int64_t>(node.outputs());
  SmallVector<Value> sizes;
  bool isPromised = node.has(1) && !node.tryConstant(1) && !isForRun(node, 1);
  auto given =
      isPromised ? promisedParts(node, *axis) : scalarsAt(node, "split", 1);
  if (failed(given))
    return failure();
  if (*given && !(*given)->empty()) {
    sizes = **given;
  } else {
    count = node.intAttr("num_outputs", count);
    if (count < 1 || count != static_cast<int64_t>(node.outputs()))
      return node.error() << "makes " << count << " parts and has "
                          << node.outputs() << " results";
    Expr parts = number(node, count), left = whole;
    Expr each =
        apply<graph::FloorDivOp>(whole + number(node, count - 1), parts);
    if (node.opset() < 18)
      require(node, apply<graph::EqualOp>(each * parts, whole),
              "cannot be split into " + Twine(count) + " equal parts");
    for (int64_t i = 0; i + 1 < count; ++i) {
      sizes.push_back(minimum(each, left).value);
      left = left - Expr(b, sizes.back());
    }
    sizes.push_back(left.value);
  }
  if (sizes.size() != node.outputs())
    return node.error() << "makes " << sizes.size() << " parts and has "
                        << node.outputs() << " results";
  auto parts = partsOf(node, node.traced(0), *axis, sizes);
  return failed(parts) ? failure() : node.tracedResults(std::move(*parts));
}

/// Images of channels first, and how large a block is; an error where there is
/// no such.
FailureOr<int64_t> blockOf(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  int64_t block = node.intAttr("blocksize");
  if (node.rank(0) != 4 || block < 1 || block > (1 << 16))
    return node.error() << "has blocks of " << block << " in " << node.type(0);
  return block;
}

LogicalResult importDepthToSpace(Node &node) {
  FailureOr<int64_t> given = blockOf(node);
  if (failed(given))
    return failure();
  Expr x = operand(node, 0);
  int64_t block = *given, n = x.size(0), c = x.size(1), h = x.size(2),
          w = x.size(3);
  if (c % (block * block))
    return node.error() << "has blocks of " << block << " in " << x.type();
  int64_t depth = c / (block * block);
  StringRef mode = node.stringAttr("mode", "DCR");
  if (mode == "DCR")
    x = transpose(reshape(x, {n, block, block, depth, h, w}),
                  {0, 3, 4, 1, 5, 2});
  else if (mode == "CRD")
    x = transpose(reshape(x, {n, depth, block, block, h, w}),
                  {0, 1, 4, 2, 5, 3});
  else
    return node.error() << "has mode '" << escaped(mode, 20)
                        << "', which is neither DCR nor CRD";
  return give(node, reshape(x, {n, depth, h * block, w * block}));
}

LogicalResult importSpaceToDepth(Node &node) {
  FailureOr<int64_t> given = blockOf(node);
  if (failed(given))
    return failure();
  Expr x = operand(node, 0);
  int64_t block = *given, n = x.size(0), c = x.size(1), h = x.size(2),
          w = x.size(3);
  if (h % block || w % block)
    return node.error() << "has blocks of " << block << " in " << x.type();
  x = transpose(reshape(x, {n, c, h / block, block, w / block, block}),
                {0, 3, 5, 1, 2, 4});
  return give(node, reshape(x, {n, c * block * block, h / block, w / block}));
}

} // namespace

void addJoinHandlers(Handlers &handlers) {
  handlers["Concat"] = {importConcat, Takes::dynamic};
  handlers["DepthToSpace"] = importDepthToSpace;
  handlers["SpaceToDepth"] = importSpaceToDepth;
  handlers["Split"] = {importSplit, Takes::dynamic};
}

} // namespace weir::onnx
