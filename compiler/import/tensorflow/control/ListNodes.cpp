// Tensor lists: tensors of one shape, kept as one with a dimension more.

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/bounded/ranges/Intervals.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/List.h"
#include "compiler/import/tensorflow/shape/IndexNodes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {

/// The list at operand 0 of a node with so many operands.
static FailureOr<List> listAt(Node &node, unsigned wanted) {
  if (node.size() != wanted)
    return node.error() << "has " << node.size() << " operands instead of "
                        << wanted;
  auto *list = dynamic_cast<List *>(node.traced(0).object.get());
  if (!list)
    return node.error() << "operand 0 is no tensor list";
  return *list;
}

/// The shape that an operand says, as far as it says one.
static ElementShape shapeOperand(Node &node, unsigned i) {
  if (!isTensor(node, i, 1) || node.rank(i) != 1 ||
      node.traced(i).isBounded() || node.type(i).getNumElements() > 254 ||
      !isa<IntegerType>(node.element(i)))
    return std::nullopt;
  ElementShape shape(std::in_place);
  for (int64_t d = 0; d < node.type(i).getNumElements(); ++d) {
    Value size = asSize(node.b, elementOf(node.b, node.operand(i), d));
    Interval values = intervalOf(size);
    std::optional<int64_t> known = knownNumber(size);
    if (known && *known >= 0)
      shape->push_back(Size{*known, {}});
    else if (!known && values.low >= 0 &&
             values.high <= static_cast<double>(node.tracer.boundedElements))
      shape->push_back(Size{static_cast<int64_t>(values.high), size});
    else
      shape->push_back(std::nullopt);
  }
  return shape;
}

/// Fills the list for elements of the shape that an operand says.
static LogicalResult fillBy(Node &node, List &list, unsigned i) {
  if (!list.fill(node, shapeOperand(node, i)))
    return node.unsupported("a list whose elements have no known shape");
  return success();
}

/// EmptyTensorList, and TensorListReserve with a count.
template <bool reserve>
static LogicalResult importNewList(Node &node) {
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  List list;
  list.element = node.typeAttr("element_dtype");
  list.shape = shapeOperand(node, 0);
  if (reserve) {
    auto known = node.tryConstant(1);
    auto integers =
        known ? node.integers(1) : FailureOr<SmallVector<int64_t>>(failure());
    if (succeeded(integers) && integers->size() == 1 && integers->front() < 0)
      return node.error() << "reserves " << integers->front() << " elements";
    auto length = lengthAt(node, 1);
    if (failed(length))
      return failure();
    list.length = *length;
    list.fill(node, std::nullopt);
  } else if (auto most = node.tryConstant(1);
             most && most->getNumElements() == 1 &&
             isa<IntegerType>(most->getElementType())) {
    list.most = most->getValues<APInt>()[0].getSExtValue();
  }
  return giveList(node, list);
}

static LogicalResult importFromTensor(Node &node) {
  if (node.size() != 2 || !isTensor(node, 0, 1))
    return node.error() << "wants a tensor of one dimension or more";
  List list;
  list.element = node.element(0);
  list.shape = rowShape(node.traced(0));
  list.setElements(node.traced(0));
  return giveList(node, list);
}

static LogicalResult importStack(Node &node) {
  FailureOr<List> list = listAt(node, 2);
  if (failed(list) || failed(fillBy(node, *list, 1)))
    return failure();
  int64_t wanted = node.intAttr("num_elements", -1);
  if (wanted >= 0 && failed(agreedSize(node, list->length, Size{wanted, {}},
                                       "a list and num_elements")))
    return failure();
  return node.tracedResults({list->elements});
}

static LogicalResult importGetItem(Node &node) {
  FailureOr<List> list = listAt(node, 3);
  if (failed(list) || failed(list->checkIndex(node, 1)) ||
      failed(fillBy(node, *list, 2)))
    return failure();
  return node.tracedResults({list->get(node.b, node.operand(1))});
}

static LogicalResult importSetItem(Node &node) {
  FailureOr<List> list = listAt(node, 3);
  if (failed(list))
    return failure();
  if (!isTensor(node, 2))
    return node.unsupported("an element that is no tensor");
  Traced item = node.traced(2);
  if (failed(list->checkIndex(node, 1)) || failed(list->fit(node, item)))
    return failure();
  list->set(node.b, node.operand(1), item);
  return giveList(node, *list);
}

static LogicalResult importPushBack(Node &node) {
  FailureOr<List> list = listAt(node, 2);
  if (failed(list))
    return failure();
  if (!isTensor(node, 1))
    return node.unsupported("an element that is no tensor");
  if (failed(list->append(node, node.traced(1))))
    return failure();
  return giveList(node, *list);
}

static LogicalResult importPopBack(Node &node) {
  FailureOr<List> list = listAt(node, 2);
  if (failed(list) || failed(fillBy(node, *list, 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Size &length = list->length;
  if (length.bound == 0)
    return node.error() << "takes an element of an empty list";
  Expr last = exactly(b, length) - number(b, 1);
  Size rest{length.bound - 1, {}};
  if (!length.isKnown()) {
    require(node, apply<graph::GreaterEqualOp>(last, number(b, 0)),
            "takes an element of an empty list");
    last = maximum(last, number(b, 0));
    // In a loop a list keeps its room.
    rest = {length.bound, last.value};
  }
  Traced item = list->get(b, last.value);
  if (rest.isKnown())
    list->resize(b, rest);
  else {
    Sizes sizes = sizesOf(list->elements);
    sizes[0] = rest;
    list->setElements(withSizes(list->elements.value, sizes));
  }
  return node.tracedResults({{{}, {}, std::make_shared<List>(*list)}, item});
}

static LogicalResult importLength(Node &node) {
  FailureOr<List> list = listAt(node, 1);
  if (failed(list))
    return failure();
  Value length = exactly(node.b, list->length).value;
  return node.result(castTo(node.b, length, node.b.getI32Type()));
}

static LogicalResult importElementShape(Node &node) {
  FailureOr<List> list = listAt(node, 1);
  if (failed(list))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Type type = node.typeAttr("shape_type");
  ElementShape shape =
      list->isFilled() ? rowShape(list->elements) : list->shape;
  if (!type || !isa<IntegerType>(type))
    return node.error() << "has no shape type";
  if (!shape)
    return node.result(splat(b, RankedTensorType::get({}, type), -1));
  // What is not known is -1, as TensorFlow says of a list without elements.
  if (llvm::all_of(*shape, [](const auto &size) { return size.has_value(); })) {
    Sizes sizes;
    for (const auto &size : *shape)
      sizes.push_back(*size);
    return node.result(listOf(b, sizes, type));
  }
  SmallVector<Value> parts;
  for (const auto &size : *shape) {
    Value one = size ? exactly(b, *size).value : number(b, -1).value;
    parts.push_back(reshapeTo(b, castTo(b, one, type), {1}));
  }
  return node.result(make<graph::ConcatOp>(b, parts, 0));
}

static LogicalResult importResize(Node &node) {
  FailureOr<List> list = listAt(node, 2);
  if (failed(list))
    return failure();
  auto length = lengthAt(node, 1);
  if (failed(length))
    return failure();
  list->resize(node.b, *length);
  if (list->isFilled() && !byteSize(typeOf(list->elements.value).getShape(), 8))
    return node.error() << "resizes a list to " << length->bound << " elements";
  return giveList(node, *list);
}

static LogicalResult importConcat(Node &node) {
  bool isFirst = node.op() == "TensorListConcat";
  FailureOr<List> list = listAt(node, isFirst ? 1 : 3);
  if (failed(list))
    return failure();
  if (!isFirst)
    list->fill(node, shapeOperand(node, 1));
  auto joined = list->concat(node);
  return failed(joined) ? failure()
                        : node.tracedResults({joined->first, joined->second});
}

static LogicalResult importListGather(Node &node) {
  FailureOr<List> list = listAt(node, 3);
  if (failed(list) || failed(fillBy(node, *list, 2)))
    return failure();
  auto gathered = list->gather(node, 1);
  return failed(gathered) ? failure() : node.tracedResults({*gathered});
}

void addListHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, Handler handler) {
    handlers[op] = {handler, Takes::whole};
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
  add("TensorListGather", importListGather);
  addListRowHandlers(handlers);
}

} // namespace weir::tensorflow
