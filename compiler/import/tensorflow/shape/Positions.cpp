// Ops that compute with indices and dimensions themselves.

#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// From places in row-major order to coordinates in a constant shape.
LogicalResult importUnravelIndex(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr x = operand(node, 0);
  auto shape = node.integers(1);
  if (failed(shape))
    return failure();
  auto count = countOrError(node, *shape);
  if (failed(count))
    return failure();
  if (x.rank() > 1 || !isIndexType(x.elementType()))
    return node.error() << "cannot unravel " << x.type();
  if (failed(checkIndices(node, 0, x, *count)))
    return failure();
  if (*count == 0)
    return give(node, filled(node,
                             replaceDims(x.shape(), 0, 0,
                                         {static_cast<int64_t>(shape->size())}),
                             x.elementType(), 0));
  Integers strides = graph::stridesOf(*shape);
  Integers row(x.shape());
  row.insert(row.begin(), 1);
  SmallVector<Expr> coordinates;
  for (auto [size, stride] : llvm::zip_equal(*shape, strides)) {
    Expr along = x / static_cast<double>(stride);
    along = apply<graph::FloorModOp>(along, x.like(static_cast<double>(size)));
    coordinates.push_back(reshape(along, row));
  }
  return give(node, concat(coordinates, 0));
}

/// For each letter of one layout its place in the other; an error where they
/// are not of the same letters.
FailureOr<Integers> positionsOf(Node &node, StringRef from, StringRef to) {
  Integers positions;
  for (char letter : from) {
    size_t at = to.find(letter);
    if (at == StringRef::npos || from.count(letter) != 1 ||
        to.count(letter) != 1 || from.size() != to.size())
      return node.error() << "layouts " << from << " and " << to
                          << " do not correspond";
    positions.push_back(static_cast<int64_t>(at));
  }
  return positions;
}

/// Dimensions of one layout as those of another.
LogicalResult importDimMap(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  auto positions = positionsOf(node, node.stringAttr("src_format", "NHWC"),
                               node.stringAttr("dst_format", "NCHW"));
  if (failed(positions))
    return failure();
  int64_t count = positions->size();
  if (!isa<IntegerType>(x.elementType()) || count == 0)
    return node.error() << x.type() << " holds no dimensions";
  Expr dims = apply<graph::FloorModOp>(x, x.like(static_cast<double>(count)));
  return give(node,
              gather(integers(node, x.elementType(), *positions), dims, 0));
}

/// Numbers for the dimensions of one layout in the order of another; two
/// numbers are for the spatial dimensions.
LogicalResult importVecPermute(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  std::string from = node.stringAttr("src_format", "NHWC").str(),
              to = node.stringAttr("dst_format", "NCHW").str();
  int64_t count = x.rank() ? x.size(0) : 0;
  if (count + 2 == static_cast<int64_t>(from.size()))
    for (std::string *layout : {&from, &to})
      llvm::erase_if(*layout, [](char c) { return c == 'N' || c == 'C'; });
  auto positions = positionsOf(node, to, from);
  if (failed(positions))
    return failure();
  if (x.rank() < 1 || x.rank() > 2 ||
      count != static_cast<int64_t>(positions->size()))
    return node.error() << x.type() << " has not one row for each of " << from;
  return give(node,
              gather(x, integers(node, node.b.getI32Type(), *positions), 0));
}

} // namespace

void addPositionHandlers(Handlers &handlers) {
  handlers["UnravelIndex"] = importUnravelIndex;
  handlers["DataFormatDimMap"] = importDimMap;
  handlers["DataFormatVecPermute"] = importVecPermute;
}

} // namespace weir::tensorflow
