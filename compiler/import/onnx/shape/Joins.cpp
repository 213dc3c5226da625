// Nodes that put tensors together, take them apart, and move blocks between
// dimensions.

#include "compiler/import/onnx/Operands.h"
#include "compiler/import/onnx/Scalars.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

LogicalResult importConcat(Node &node) {
  if (node.size() == 0)
    return node.error() << "has no operands";
  if (node.opset() >= 4 && !node.hasAttr("axis"))
    return node.missing("axis");
  SmallVector<Expr> parts;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
    parts.push_back(operand(node, i));
  }
  FailureOr<int64_t> axis =
      node.axis(node.intAttr("axis", 1), parts.front().rank());
  if (failed(axis))
    return failure();
  for (Expr part : parts) {
    Integers a(parts.front().shape()), b(part.shape());
    bool fits = a.size() == b.size() &&
                part.elementType() == parts.front().elementType();
    if (fits)
      a[*axis] = b[*axis] = 0;
    if (!fits || a != b)
      return node.error() << "joins " << parts.front().type() << " and "
                          << part.type() << " along dimension " << *axis;
  }
  return give(node, concat(parts, *axis));
}

/// The sizes of the parts: given, or as even as `count` parts can be, of which
/// the last are smaller.
FailureOr<Integers> partSizes(Node &node, int64_t size, int64_t axis) {
  auto count = static_cast<int64_t>(node.outputs());
  if (node.has(1) && !node.tryConstant(1)) {
    Integers sizes;
    SmallVector<Expr> given;
    if (failed(readScalars(node, 1, given)))
      return failure();
    for (unsigned i = 0; i < node.outputs(); ++i) {
      auto shape = node.declaredShape(i);
      if (!shape || static_cast<int64_t>(shape->size()) <= axis ||
          given.size() != node.outputs())
        return node.unsupported("sizes of its parts that are not known at "
                                "compile time");
      sizes.push_back((*shape)[axis]);
      if (failed(check(node, equal(given[i], number(node, sizes.back())),
                       "makes parts of other sizes than the model says")))
        return failure();
    }
    return sizes;
  }
  auto given = integersAt(node, "split", 1);
  if (failed(given))
    return failure();
  if (*given && !(*given)->empty())
    return **given;
  int64_t parts = node.intAttr("num_outputs", count);
  if (parts < 1 || parts != count)
    return node.error() << "makes " << parts << " parts and has " << count
                        << " results";
  int64_t each = llvm::divideCeil(size, parts);
  Integers sizes;
  for (int64_t i = 0, left = size; i < parts; ++i) {
    sizes.push_back(std::min(each, left));
    left -= sizes.back();
  }
  if (node.opset() < 18 && size % parts)
    return node.error() << "splits " << size << " elements into " << parts;
  return sizes;
}

LogicalResult importSplit(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  FailureOr<Integers> sizes = partSizes(node, x.size(*axis), *axis);
  if (failed(sizes))
    return failure();
  int64_t left = x.size(*axis);
  for (int64_t size : *sizes) {
    if (size < 0 || size > left)
      return node.error() << "splits dimension " << *axis << " of " << x.type()
                          << " into [" << *sizes << "]";
    left -= size;
  }
  if (left || sizes->size() != node.outputs())
    return node.error() << "splits dimension " << *axis << " of " << x.type()
                        << " into [" << *sizes << "] for " << node.outputs()
                        << " results";
  SmallVector<Expr> parts;
  int64_t at = 0;
  for (int64_t size : *sizes) {
    parts.push_back(slice(x, *axis, at, size));
    at += size;
  }
  return give(node, parts);
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
  handlers["Concat"] = importConcat;
  handlers["DepthToSpace"] = importDepthToSpace;
  handlers["SpaceToDepth"] = importSpaceToDepth;
  handlers["Split"] = importSplit;
}

} // namespace weir::onnx
