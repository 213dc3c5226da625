// Finds the elements in row-major order, and divides their indices.

#include "compiler/import/rules/Coordinates.h"

#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir {

LogicalResult giveCoordinates(TracedNode &node, Vectors rows) {
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0);
  Sizes sizes = sizesOf(node.traced(0));
  Expr mask =
      x.elementType().isInteger(1) ? x : apply<graph::NotEqualOp>(x, x.like(0));
  mask = apply<graph::LogicalAndOp>(mask, inside(b, sizes, sizes.size()));
  Choice chosen = choose(b, reshape(mask, {x.type().getNumElements()}));
  bool byElement = rows == Vectors::ofElements;
  // One coordinate of all elements; without dimensions there are none.
  SmallVector<int64_t> one{chosen.count.bound, 1}, none{chosen.count.bound, 0};
  Sizes whole{chosen.count, Size{x.rank(), {}}};
  if (!byElement) {
    std::swap(one[0], one[1]);
    std::swap(none[0], none[1]);
    std::swap(whole[0], whole[1]);
  }
  SmallVector<Expr> coordinates;
  for (auto [size, stride] :
       llvm::zip_equal(x.shape(), graph::stridesOf(x.shape()))) {
    // Nothing is divided by 0 where there is nothing.
    Expr along = apply<graph::FloorModOp>(
        apply<graph::FloorDivOp>(chosen.positions,
                                 number(b, std::max<int64_t>(stride, 1))),
        number(b, std::max<int64_t>(size, 1)));
    coordinates.push_back(reshape(along, one));
  }
  auto empty = RankedTensorType::get(none, b.getI64Type());
  Expr result = coordinates.empty() ? Expr(b, splat(b, empty, 0))
                                    : concat(coordinates, byElement ? 1 : 0);
  if (!result)
    return give(node, result);
  return node.tracedResults({withSizes(result.value, whole)});
}

} // namespace weir
