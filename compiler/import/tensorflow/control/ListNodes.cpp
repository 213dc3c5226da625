// Tensor lists: as many tensors as are known at compile time, kept as one
// tensor with a dimension more.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/List.h"

#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {

namespace {

using Shape = SmallVector<int64_t>;

/// The handler's list at operand 0, and what all handlers do with it.
class ListNode {
public:
  explicit ListNode(Node &node) : node(node), b(node.b) {}

  LogicalResult read(unsigned wanted) {
    if (node.size() != wanted)
      return node.error() << "has " << node.size() << " operands instead of "
                          << wanted;
    list = dynamic_cast<List *>(node.traced(0).object.get());
    return list ? success()
                : LogicalResult(node.error() << "operand 0 is no tensor list");
  }

  /// The shape that an operand says, as far as it says one.
  std::optional<Shape> shapeOperand(unsigned i) {
    auto dense = node.tryConstant(i);
    auto integer =
        dense ? dyn_cast<IntegerType>(dense->getElementType()) : IntegerType();
    if (!integer || dense->getType().getRank() != 1 ||
        dense->getNumElements() > 254)
      return std::nullopt;
    Shape shape;
    for (const APInt &size : dense->getValues<APInt>())
      shape.push_back(size.isNegative() ? ShapedType::kDynamic
                                        : size.getSExtValue());
    return shape;
  }

  /// Gives the list its zeros, where `shape` or its own says how many.
  bool fill(List &list, std::optional<Shape> shape) {
    return list.fill(b, shape);
  }

  /// The operand that holds an index, within the list where it is known.
  LogicalResult index(unsigned i, const List &list) {
    if (!node.operand(i) || node.type(i).getRank() != 0 ||
        !(node.type(i).getElementType().isInteger(32) ||
          node.type(i).getElementType().isInteger(64)))
      return node.error() << "operand " << i << " is no index";
    auto known = node.tryConstant(i);
    if (!known)
      return success();
    int64_t value = known->getSplatValue<APInt>().getSExtValue();
    if (value < 0 || value >= list.count)
      return node.error() << "index " << value << " is none of " << list.count
                          << " elements";
    return success();
  }

  /// A list of its own with these elements.
  LogicalResult give(const List &like, Value tensor) {
    auto result = std::make_shared<List>(like);
    result->tensor = tensor;
    if (tensor)
      result->count = typeOf(tensor).getDimSize(0);
    return node.tracedResults({{{}, {}, result}});
  }

  Node &node;
  ImplicitLocOpBuilder &b;
  List *list = nullptr;
};

} // namespace

/// EmptyTensorList, and TensorListReserve with a count.
template <bool reserve>
static LogicalResult importNewList(Node &node) {
  ListNode at(node);
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  List list;
  list.element = node.typeAttr("element_dtype");
  list.shape = at.shapeOperand(0);
  if (reserve) {
    FailureOr<int64_t> count = node.integer(1);
    if (failed(count))
      return failure();
    if (*count < 0)
      return node.error() << "reserves " << *count << " elements";
    list.count = *count;
    at.fill(list, std::nullopt);
  }
  return at.give(list, list.tensor);
}

static LogicalResult importFromTensor(Node &node) {
  ListNode at(node);
  if (node.size() != 2 || !node.operand(0) || !node.rank(0))
    return node.error() << "wants a tensor of one dimension or more";
  List list;
  list.element = node.type(0).getElementType();
  list.shape = elementShape(node.operand(0));
  return at.give(list, node.operand(0));
}

static LogicalResult importStack(Node &node) {
  ListNode at(node);
  if (failed(at.read(2)))
    return failure();
  List list = *at.list;
  if (!at.fill(list, at.shapeOperand(1)))
    return node.unsupported("a list whose elements have no known shape");
  int64_t wanted = node.intAttr("num_elements", -1);
  if (wanted >= 0 && wanted != list.count)
    return node.error() << "wants " << wanted << " elements of a list of "
                        << list.count;
  return node.result(list.tensor);
}

static LogicalResult importGetItem(Node &node) {
  ListNode at(node);
  if (failed(at.read(3)) || failed(at.index(1, *at.list)))
    return failure();
  List list = *at.list;
  if (!at.fill(list, at.shapeOperand(2)))
    return node.unsupported("a list whose elements have no known shape");
  if (!list.count)
    return node.error() << "takes an element of an empty list";
  return node.result(list.get(node.b, node.operand(1)));
}

static LogicalResult importSetItem(Node &node) {
  ListNode at(node);
  if (failed(at.read(3)) || !node.operand(2))
    return node.unsupported("an element that is no tensor");
  if (failed(at.index(1, *at.list)))
    return failure();
  List list = *at.list;
  list.element = node.type(2).getElementType();
  at.fill(list, Shape(node.shape(2)));
  if (!list.tensor ||
      node.shape(2) != typeOf(list.tensor).getShape().drop_front() ||
      typeOf(list.tensor).getElementType() != list.element)
    return node.unsupported("a list of elements of different types");
  if (!list.count)
    return node.error() << "sets an element of an empty list";
  list.set(node.b, node.operand(1), node.operand(2));
  return at.give(list, list.tensor);
}

static LogicalResult importPushBack(Node &node) {
  ListNode at(node);
  if (failed(at.read(2)))
    return failure();
  if (!node.operand(1))
    return node.unsupported("an element that is no tensor");
  List list = *at.list;
  list.element = node.type(1).getElementType();
  Value item = withFront(node.b, node.operand(1));
  if (!list.count)
    return at.give(list, item);
  at.fill(list, Shape(node.shape(1)));
  if (!list.tensor ||
      node.shape(1) != typeOf(list.tensor).getShape().drop_front() ||
      typeOf(list.tensor).getElementType() != list.element)
    return node.unsupported("a list of elements of different types");
  return at.give(
      list, make<graph::ConcatOp>(node.b, ValueRange{list.tensor, item}, 0));
}

static LogicalResult importPopBack(Node &node) {
  ListNode at(node);
  if (failed(at.read(2)))
    return failure();
  List list = *at.list;
  if (!at.fill(list, at.shapeOperand(1)))
    return node.unsupported("a list whose elements have no known shape");
  if (!list.count)
    return node.error() << "takes an element of an empty list";
  RankedTensorType type = typeOf(list.tensor);
  Shape starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  starts[0] = limits[0] - 1;
  Value item =
      make<graph::SliceOp>(node.b, list.tensor, starts, limits, strides);
  item = reshapeTo(node.b, item, elementShape(list.tensor));
  starts[0] = 0;
  --limits[0];
  auto rest = std::make_shared<List>(list);
  rest->tensor =
      make<graph::SliceOp>(node.b, list.tensor, starts, limits, strides);
  --rest->count;
  return node.tracedResults({{{}, {}, rest}, {item, {}, nullptr}});
}

static LogicalResult importLength(Node &node) {
  ListNode at(node);
  if (failed(at.read(1)))
    return failure();
  return node.result(splat(
      node.b, RankedTensorType::get({}, node.b.getI32Type()), at.list->count));
}

static LogicalResult importElementShape(Node &node) {
  ListNode at(node);
  if (failed(at.read(1)))
    return failure();
  Type type = node.typeAttr("shape_type");
  std::optional<Shape> shape = at.list->shape;
  if (at.list->tensor)
    shape = elementShape(at.list->tensor);
  if (!type || !isa<IntegerType>(type))
    return node.error() << "has no shape type";
  if (!shape)
    return node.result(splat(node.b, RankedTensorType::get({}, type), -1));
  for (int64_t &size : *shape)
    size = ShapedType::isDynamic(size) ? -1 : size;
  return node.result(numbers(node.b, type, *shape));
}

static LogicalResult importResize(Node &node) {
  ListNode at(node);
  if (failed(at.read(2)))
    return failure();
  FailureOr<int64_t> count = node.integer(1);
  if (failed(count))
    return failure();
  List list = *at.list;
  if (*count < 0)
    return node.error() << "resizes a list to " << *count << " elements";
  if (!list.tensor || *count == list.count) {
    if (!list.tensor)
      list.count = *count;
    return at.give(list, list.tensor);
  }
  RankedTensorType type = typeOf(list.tensor);
  if (*count < list.count) {
    Shape starts(type.getRank(), 0), limits(type.getShape()),
        strides(type.getRank(), 1);
    limits[0] = *count;
    return at.give(list, make<graph::SliceOp>(node.b, list.tensor, starts,
                                              limits, strides));
  }
  Shape more(type.getShape());
  more[0] = *count - list.count;
  if (!byteSize(more, 8))
    return node.error() << "resizes a list to " << *count << " elements";
  Value zeros = splat(node.b, type.clone(more), 0);
  return at.give(
      list, make<graph::ConcatOp>(node.b, ValueRange{list.tensor, zeros}, 0));
}

/// Elements one after the other along their first dimension.
static LogicalResult importConcat(Node &node) {
  ListNode at(node);
  if (failed(at.read(node.op() == "TensorListConcat" ? 1 : 3)))
    return failure();
  List list = *at.list;
  if (!list.tensor || typeOf(list.tensor).getRank() < 2)
    return node.unsupported("a list whose elements have no known shape");
  Shape shape = elementShape(list.tensor);
  Shape lengths(list.count, shape[0]);
  shape[0] *= list.count;
  return node.results({reshapeTo(node.b, list.tensor, shape),
                       numbers(node.b, node.b.getI64Type(), lengths)});
}

static LogicalResult importGather(Node &node) {
  ListNode at(node);
  if (failed(at.read(3)))
    return failure();
  List list = *at.list;
  if (!at.fill(list, at.shapeOperand(2)))
    return node.unsupported("a list whose elements have no known shape");
  if (!node.operand(1) || node.rank(1) != 1 || !list.count ||
      !isa<IntegerType>(node.type(1).getElementType()))
    return node.error() << "wants a list of elements and a vector of indices";
  return node.result(
      make<graph::GatherOp>(node.b, list.tensor, node.operand(1), 0, 0));
}

void addListHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, Handler handler) {
    handlers[op] = {handler, Takes::anything};
  };
  add("EmptyTensorList", importNewList<false>);
  add("TensorListReserve", importNewList<true>);
  add("TensorListFromTensor", importFromTensor);
  add("TensorListStack", importStack);
  add("TensorListGetItem", importGetItem);
  add("TensorListSetItem", importSetItem);
  add("TensorListPushBack", importPushBack);
  add("TensorListPopBack", importPopBack);
  add("TensorListLength", importLength);
  add("TensorListElementShape", importElementShape);
  add("TensorListResize", importResize);
  add("TensorListConcat", importConcat);
  add("TensorListConcatV2", importConcat);
  add("TensorListGather", importGather);
  addListRowHandlers(handlers);
}

} // namespace weir::tensorflow
