// Concat, split, pack and unpack.

#include "compiler/import/tensorflow/shape/Moves.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace {

LogicalResult join(Node &node, ArrayRef<Expr> parts, int64_t axis) {
  Integers shape(parts[0].shape());
  for (Expr part : parts.drop_front()) {
    Integers alike(part.shape());
    if (part.rank() == parts[0].rank())
      alike[axis] = parts[0].size(axis);
    if (ArrayRef<int64_t>(alike) != parts[0].shape() ||
        part.elementType() != parts[0].elementType())
      return node.error() << "cannot join " << parts[0].type() << " and "
                          << part.type() << " along dimension " << axis;
    if (llvm::AddOverflow(shape[axis], part.size(axis), shape[axis]))
      return node.error() << "makes too many elements";
  }
  if (failed(countOrError(node, shape)))
    return failure();
  return give(node, concat(parts, axis));
}

/// Concat has its axis first, ConcatV2 last.
LogicalResult importConcat(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  unsigned last = node.size() - 1;
  if (node.intAttr("N", last) != last)
    return node.error() << "joins " << last << " tensors and says "
                        << node.intAttr("N");
  bool axisFirst = node.op() == "Concat";
  unsigned first = axisFirst ? 1 : 0;
  auto axis = node.axisAt(axisFirst ? 0 : last, node.rank(first));
  if (failed(axis))
    return failure();
  SmallVector<Expr> parts;
  for (unsigned i = 0; i < last; ++i)
    parts.push_back(operand(node, first + i));
  return join(node, parts, *axis);
}

/// Where in the result of a concat of tensors of these shapes each begins.
LogicalResult importConcatOffset(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto axis = node.axisAt(0, node.type(1).getNumElements());
  if (failed(axis))
    return failure();
  int64_t offset = 0;
  SmallVector<Expr> offsets;
  for (unsigned i = 1; i < node.size(); ++i) {
    auto shape = node.integers(i);
    if (failed(shape))
      return failure();
    if (*axis >= static_cast<int64_t>(shape->size()))
      return node.error() << "operand " << i << " has " << shape->size()
                          << " dimensions";
    Integers begins(shape->size());
    begins[*axis] = offset;
    offsets.push_back(integers(node, node.type(i).getElementType(), begins));
    if (llvm::AddOverflow(offset, (*shape)[*axis], offset))
      return node.error() << "offsets are too large";
  }
  return give(node, offsets);
}

LogicalResult splitBy(Node &node, Expr x, int64_t axis,
                      ArrayRef<int64_t> sizes) {
  SmallVector<Expr> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(slice(x, axis, start, size));
    start += size;
  }
  return give(node, parts);
}

LogicalResult importSplit(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto axis = node.axisAt(0, node.rank(1));
  if (failed(axis))
    return failure();
  Expr x = operand(node, 1);
  int64_t count = node.intAttr("num_split");
  if (count < 1 || count > (1 << 24) || x.size(*axis) % count != 0)
    return node.error() << "cannot split dimension " << *axis << " of "
                        << x.type() << " into " << count << " parts";
  return splitBy(node, x, *axis, Integers(count, x.size(*axis) / count));
}

/// One of the sizes may be -1: what is left.
LogicalResult importSplitV(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto sizes = node.integers(1);
  auto axis = node.axisAt(2, node.rank(0));
  if (failed(sizes) || failed(axis))
    return failure();
  Expr x = operand(node, 0);
  int64_t left = x.size(*axis), unknown = -1;
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    if (size == -1 && unknown < 0) {
      unknown = static_cast<int64_t>(i);
      continue;
    }
    if (size < 0 || size > left)
      return node.error() << "cannot split dimension " << *axis << " of "
                          << x.type() << " into [" << *sizes << "]";
    left -= size;
  }
  if (unknown >= 0)
    (*sizes)[unknown] = left;
  else if (left)
    return node.error() << "cannot split dimension " << *axis << " of "
                        << x.type() << " into [" << *sizes << "]";
  return splitBy(node, x, *axis, *sizes);
}

LogicalResult importPack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto axis = node.axis(node.intAttr("axis"), node.rank(0) + 1);
  if (failed(axis))
    return failure();
  SmallVector<Expr> parts;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (node.type(i) != node.type(0))
      return node.error() << "cannot pack " << node.type(0) << " and "
                          << node.type(i);
    parts.push_back(
        reshape(operand(node, i), replaceDims(node.shape(i), *axis, 0, {1})));
  }
  return join(node, parts, *axis);
}

LogicalResult importUnpack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  auto axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  int64_t count = node.intAttr("num", x.size(*axis));
  if (count != x.size(*axis))
    return node.error() << "cannot unpack dimension " << *axis << " of "
                        << x.type() << " into " << count;
  if (count > (1 << 24))
    return node.error() << "has too many results";
  SmallVector<Expr> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(
        reshape(slice(x, *axis, i, 1), replaceDims(x.shape(), *axis, 1, {})));
  return give(node, parts);
}

LogicalResult importParallelConcat(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  if (node.rank(0) < 1)
    return node.error() << "cannot join scalars";
  SmallVector<Expr> parts;
  for (unsigned i = 0; i < node.size(); ++i)
    parts.push_back(operand(node, i));
  return join(node, parts, 0);
}

} // namespace

void weir::tensorflow::addJoinHandlers(Handlers &handlers) {
  handlers["Concat"] = importConcat;
  handlers["ConcatV2"] = importConcat;
  handlers["ConcatOffset"] = importConcatOffset;
  handlers["Split"] = importSplit;
  handlers["SplitV"] = importSplitV;
  handlers["Pack"] = importPack;
  handlers["Unpack"] = importUnpack;
  handlers["ParallelConcat"] = importParallelConcat;
}
