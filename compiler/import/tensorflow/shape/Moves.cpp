// What the handlers of ops that move elements share.

#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::tensorflow {

LogicalResult wantOperands(Node &node, unsigned count) {
  if (node.size() >= count)
    return success();
  return node.error() << "has " << node.size() << " operands where " << count
                      << " are wanted";
}

Type typeAttrOr(Node &node, StringRef name, Type otherwise) {
  Type type = node.typeAttr(name);
  return type ? type : otherwise;
}

FailureOr<int64_t> countOrError(Node &node, ArrayRef<int64_t> shape) {
  if (std::optional<int64_t> count = graph::countElements(shape))
    return *count;
  return node.error() << "cannot make a tensor of shape [" << shape << "]";
}

Expr integers(Node &node, Type elementType, ArrayRef<int64_t> values) {
  return Expr(node.b, numbers(node.b, elementType, values));
}

Expr booleans(Node &node, ArrayRef<int64_t> shape, ArrayRef<bool> values) {
  auto type = RankedTensorType::get(shape, node.b.getI1Type());
  return Expr(node.b, node.b.create<graph::ConstantOp>(
                          DenseElementsAttr::get(type, values)));
}

Expr filled(Node &node, ArrayRef<int64_t> shape, Type elementType,
            double value) {
  return Expr(node.b,
              splat(node.b, RankedTensorType::get(shape, elementType), value));
}

Expr box(Expr x, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits) {
  if (!x)
    return {};
  return Expr(*x.b, make<graph::SliceOp>(*x.b, x.value, starts, limits,
                                         Integers(starts.size(), 1)));
}

Integers replaceDims(ArrayRef<int64_t> shape, int64_t dim, int64_t count,
                     ArrayRef<int64_t> dims) {
  Integers result(shape.take_front(dim));
  llvm::append_range(result, dims);
  llvm::append_range(result, shape.drop_front(dim + count));
  return result;
}

Expr pick(Node &node, Expr x, ArrayRef<int64_t> positions, Expr padding,
          ArrayRef<int64_t> shape) {
  if (!x || x.rank() < 1)
    return {};
  Integers safe;
  SmallVector<bool> isElement;
  for (int64_t position : positions) {
    safe.push_back(std::max<int64_t>(position, 0));
    isElement.push_back(position >= 0);
  }
  int64_t last = x.rank() - 1;
  Integers whole = replaceDims(x.shape(), last, 1, shape);
  if (!llvm::is_contained(isElement, true)) {
    if (failed(countOrError(node, whole)))
      return {};
    return broadcast(padding, whole);
  }
  Type positionType = x.size(last) > std::numeric_limits<int32_t>::max()
                          ? node.b.getI64Type()
                          : node.b.getI32Type();
  Expr result = gather(x, integers(node, positionType, safe), last);
  if (llvm::is_contained(isElement, false))
    result = select(
        booleans(node, {static_cast<int64_t>(positions.size())}, isElement),
        result, padding);
  return reshape(result, whole);
}

std::optional<int64_t> knownElement(Value vector, int64_t index) {
  Attribute value;
  while (vector) {
    if (matchPattern(vector, m_Constant(&value))) {
      std::optional<SmallVector<int64_t>> all = graph::integersOf(value);
      if (!all || index >= static_cast<int64_t>(all->size()))
        return std::nullopt;
      return (*all)[index];
    }
    // The same elements in the same order.
    if (auto reshape = vector.getDefiningOp<graph::ReshapeOp>()) {
      vector = reshape.getX();
      continue;
    }
    auto concat = vector.getDefiningOp<graph::ConcatOp>();
    if (!concat || concat.getType().getRank() != 1)
      return std::nullopt;
    vector = {};
    for (Value input : concat.getInputs()) {
      int64_t size = typeOf(input).getNumElements();
      if (index < size) {
        vector = input;
        break;
      }
      index -= size;
    }
  }
  return std::nullopt;
}

bool isIndexType(Type elementType) {
  return elementType.isSignlessInteger(32) || elementType.isSignlessInteger(64);
}

LogicalResult wantIndices(Node &node, unsigned i) {
  if (isIndexType(node.type(i).getElementType()))
    return success();
  return node.error() << "operand " << i << " holds no indices but "
                      << node.type(i);
}

} // namespace weir::tensorflow
