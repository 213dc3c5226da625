// Concat, split, pack and unpack.

#include "compiler/import/rules/Joins.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The operands from `first` on, `count` of them.
SmallVector<Traced> operandsFrom(Node &node, unsigned first, unsigned count) {
  SmallVector<Traced> parts;
  for (unsigned i = 0; i < count; ++i)
    parts.push_back(node.traced(first + i));
  return parts;
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
  return giveJoined(node, operandsFrom(node, first, last), *axis);
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

/// The size of the dimension along which a tensor is taken apart.
FailureOr<int64_t> sizeAlong(Node &node, const Traced &x, int64_t axis) {
  Size size = sizesOf(x)[axis];
  if (size.isKnown())
    return size.bound;
  return node.unsupported("takes apart a dimension whose size is known only at "
                          "run time");
}

/// Parts of these sizes, one after the other.
LogicalResult giveParts(Node &node, const Traced &x, int64_t axis,
                        ArrayRef<int64_t> sizes) {
  SmallVector<Value> scalars;
  for (int64_t size : sizes)
    scalars.push_back(number(node.b, size).value);
  auto parts = partsOf(node, x, axis, scalars);
  return failed(parts) ? failure() : node.tracedResults(std::move(*parts));
}

LogicalResult importSplit(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto axis = node.axisAt(0, node.rank(1));
  if (failed(axis))
    return failure();
  auto size = sizeAlong(node, node.traced(1), *axis);
  if (failed(size))
    return failure();
  int64_t count = node.intAttr("num_split");
  if (count < 1 || count > (1 << 24) || *size % count != 0)
    return node.error() << "cannot split dimension " << *axis << " of "
                        << node.type(1) << " into " << count << " parts";
  return giveParts(node, node.traced(1), *axis, Integers(count, *size / count));
}

/// One of the sizes may be -1: what is left.
LogicalResult importSplitV(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto sizes = node.integers(1);
  auto axis = node.axisAt(2, node.rank(0));
  if (failed(sizes) || failed(axis))
    return failure();
  auto all = sizeAlong(node, node.traced(0), *axis);
  if (failed(all))
    return failure();
  int64_t left = *all, unknown = -1;
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    if (size == -1 && unknown < 0) {
      unknown = static_cast<int64_t>(i);
      continue;
    }
    if (size < 0 || size > left)
      return node.error() << "cannot split dimension " << *axis << " of "
                          << node.type(0) << " into [" << *sizes << "]";
    left -= size;
  }
  if (unknown >= 0)
    (*sizes)[unknown] = left;
  return giveParts(node, node.traced(0), *axis, *sizes);
}

LogicalResult importPack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto axis = node.axis(node.intAttr("axis"), node.rank(0) + 1);
  if (failed(axis))
    return failure();
  return giveStacked(node, operandsFrom(node, 0, node.size()), *axis);
}

LogicalResult importUnpack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto axis = node.axis(node.intAttr("axis"), node.rank(0));
  if (failed(axis))
    return failure();
  auto size = sizeAlong(node, node.traced(0), *axis);
  if (failed(size))
    return failure();
  int64_t count = node.intAttr("num", *size);
  if (count != *size)
    return node.error() << "cannot unpack dimension " << *axis << " of "
                        << node.type(0) << " into " << count;
  if (count > (1 << 24))
    return node.error() << "has too many results";
  Expr x = operand(node, 0);
  Sizes sizes = sizesOf(node.traced(0));
  sizes.erase(sizes.begin() + *axis);
  SmallVector<Traced> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(withSizes(
        reshape(slice(x, *axis, i, 1), boundsOf(sizes)).value, sizes));
  return node.tracedResults(std::move(parts));
}

LogicalResult importParallelConcat(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  if (node.rank(0) < 1)
    return node.error() << "cannot join scalars";
  return giveJoined(node, operandsFrom(node, 0, node.size()), 0);
}

} // namespace

void addJoinHandlers(Handlers &handlers) {
  handlers["Concat"] = {importConcat, Takes::dynamic};
  handlers["ConcatV2"] = {importConcat, Takes::dynamic};
  handlers["ConcatOffset"] = importConcatOffset;
  handlers["Split"] = {importSplit, Takes::dynamic};
  handlers["SplitV"] = {importSplitV, Takes::dynamic};
  handlers["Pack"] = {importPack, Takes::dynamic};
  handlers["Unpack"] = {importUnpack, Takes::dynamic};
  handlers["ParallelConcat"] = importParallelConcat;
}

} // namespace weir::tensorflow
