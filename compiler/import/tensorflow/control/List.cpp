// Elements of lists, read and written as slices of one tensor.

#include "compiler/import/tensorflow/control/GrowingArray.h"

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {

ElementShape elementShape(ArrayRef<Size> sizes) {
  ElementShape shape(std::in_place);
  for (const Size &size : sizes)
    shape->push_back(size);
  return shape;
}

ElementShape elementShape(ArrayRef<int64_t> numbers) {
  ElementShape shape(std::in_place);
  for (int64_t number : numbers)
    shape->push_back(number < 0 ? std::nullopt
                                : std::optional(Size{number, {}}));
  return shape;
}

ElementShape rowShape(const Traced &tensor) {
  return elementShape(ArrayRef<Size>(sizesOf(tensor)).drop_front());
}

Traced zerosOf(ImplicitLocOpBuilder &b, Type element, ArrayRef<Size> sizes) {
  auto type = RankedTensorType::get(boundsOf(sizes), element);
  return withSizes(splat(b, type, 0), sizes);
}

LogicalResult giveList(TracedNode &node, const List &list) {
  return node.tracedResults({{{}, {}, std::make_shared<List>(list)}});
}

bool isTensor(TracedNode &node, unsigned i, int64_t rank) {
  const Traced &traced = node.traced(i);
  return traced.value && !traced.imaginary && node.rank(i) >= rank;
}

FailureOr<Size> lengthAt(TracedNode &node, unsigned i) {
  if (!isTensor(node, i) || node.rank(i) != 0)
    return node.error() << "operand " << i << " is no number of elements";
  auto scalars = listedScalars(node, i);
  auto sizes =
      failed(scalars) ? FailureOr<Sizes>(failure()) : sizesFrom(node, *scalars);
  return failed(sizes) ? FailureOr<Size>(failure()) : sizes->front();
}

const List *listOf(const Traced &traced) {
  return dynamic_cast<const List *>(traced.object.get());
}

const Traced &tensorOf(const Traced &traced) {
  static const Traced none;
  if (traced.value)
    return traced;
  const List *list = listOf(traced);
  return list ? list->elements : none;
}

Traced withTensor(const Traced &like, Traced tensor) {
  if (like.value)
    return tensor;
  auto list = std::make_shared<List>(*listOf(like));
  list->setElements(std::move(tensor));
  return {{}, {}, list};
}

bool List::flatten(SmallVectorImpl<Value> &values) const {
  return isFilled() && weir::flatten(elements, values);
}

std::shared_ptr<Object> List::rebuild(ArrayRef<Value> &values) const {
  auto copy = std::make_shared<List>(*this);
  copy->setElements(weir::rebuild(elements, values));
  return copy;
}

std::shared_ptr<Object> List::settle(ImplicitLocOpBuilder &b,
                                     const Object &like) const {
  auto *array = dynamic_cast<const GrowingArray *>(&like);
  return array && length == Size{} ? array->emptied(b) : nullptr;
}

void List::setElements(Traced tensor) {
  elements = std::move(tensor);
  length = sizesOf(elements).front();
}

bool List::fill(TracedNode &node, const ElementShape &like) {
  if (isFilled())
    return true;
  bool isShared = shape && like && shape->size() == like->size();
  if (!element || (!shape && !like))
    return false;
  Sizes sizes{length};
  for (size_t i = 0, rank = (shape ? shape : like)->size(); i < rank; ++i) {
    std::optional<Size> size = (shape ? *shape : *like)[i];
    if (isShared && (!size || !size->isKnown()) && (*like)[i])
      size = (*like)[i];
    if (!size)
      return false;
    sizes.push_back(*size);
  }
  if (!length.isKnown()) {
    SmallVector<Value> scalars;
    for (const Size &size : sizes)
      scalars.push_back(exactly(node.b, size).value);
    auto fitting = sizesFrom(node, scalars, boundsOf(sizes));
    if (failed(fitting))
      return false;
    sizes[0] = fitting->front();
  }
  if (!byteSize(boundsOf(sizes), 8))
    return false;
  setElements(zerosOf(node.b, element, sizes));
  return true;
}

Traced List::get(ImplicitLocOpBuilder &b, Value index) const {
  return partAt(b, elements, 0, index);
}

void List::set(ImplicitLocOpBuilder &b, Value index, const Traced &item) {
  Value row = withFront(b, item).value;
  SmallVector<Value> starts(typeOf(elements.value).getRank(),
                            splat(b, typeOf(index), 0));
  starts[0] = index;
  elements.value =
      make<graph::DynamicUpdateSliceOp>(b, elements.value, row, starts);
}

/// Brings the dimensions of a tensor from the first one on to the sizes, which
/// a check sees to.
static LogicalResult bringTo(TracedNode &node, Traced &item, size_t first,
                             ArrayRef<Size> wanted) {
  Sizes sizes = sizesOf(item);
  auto differ = [](const Size &x, const Size &y) {
    return x.isKnown() && y.isKnown() && x.bound != y.bound;
  };
  bool fits = sizes.size() == first + wanted.size();
  for (size_t i = 0; fits && i < wanted.size(); ++i)
    fits = !differ(sizes[first + i], wanted[i]);
  if (!fits)
    return node.unsupported("a list of elements of different types");
  for (auto [i, size] : llvm::enumerate(wanted)) {
    if (failed(agreedSize(node, size, sizes[first + i],
                          "elements along dimension " + Twine(i))))
      return failure();
    sizes[first + i] = size;
  }
  item = withSizes(paddedTo(node.b, item.value, boundsOf(sizes)), sizes);
  return success();
}

LogicalResult List::fit(TracedNode &node, Traced &item) {
  element = typeOf(item.value).getElementType();
  if (!fill(node, elementShape(sizesOf(item))) ||
      typeOf(elements.value).getElementType() != element)
    return node.unsupported("a list of elements of different types");
  return bringTo(node, item, 0, ArrayRef<Size>(sizesOf(elements)).drop_front());
}

LogicalResult List::fitRows(TracedNode &node, Traced &rows) {
  element = typeOf(rows.value).getElementType();
  if (!fill(node, rowShape(rows)) ||
      typeOf(elements.value).getElementType() != element)
    return node.unsupported("a list of elements of different types");
  return bringTo(node, rows, 1, ArrayRef<Size>(sizesOf(elements)).drop_front());
}

void List::resize(ImplicitLocOpBuilder &b, Size size) {
  if (!isFilled()) {
    length = size;
    return;
  }
  Traced whole = elements;
  // What lay beyond the length is no zero.
  if (!length.isKnown())
    whole.value = masked(b, whole, Expr(b, whole.value).like(0), {0}).value;
  Sizes sizes = sizesOf(whole);
  sizes[0] = size;
  setElements(withSizes(paddedTo(b, whole.value, boundsOf(sizes)), sizes));
}

LogicalResult List::append(TracedNode &node, Traced item) {
  ImplicitLocOpBuilder &b = node.b;
  if (length == Size{0, {}} && !isFilled()) {
    element = typeOf(item.value).getElementType();
    setElements(withFront(b, item));
    return success();
  }
  if (failed(fit(node, item)))
    return failure();
  if (length.isKnown()) {
    if (most >= 0 && length.bound >= most)
      return node.error() << "puts an element into a full list of " << most;
    Sizes sizes = sizesOf(elements);
    ++sizes[0].bound;
    Value both = make<graph::ConcatOp>(
        b, ValueRange{elements.value, withFront(b, item).value}, 0);
    setElements(withSizes(both, sizes));
    return success();
  }
  Expr end(b, length.exact);
  Size longer{length.bound + 1, (end + number(b, 1)).value};
  if (most >= 0 && longer.bound > most) {
    longer.bound = most;
    require(node, apply<graph::LessOp>(end, number(b, most)),
            "a list grows beyond " + Twine(most) +
                " elements, which the model was compiled for; --bound sets it");
    longer.exact = minimum(Expr(b, longer.exact), number(b, most)).value;
  }
  Sizes sizes = sizesOf(elements);
  sizes[0] = longer;
  setElements(withSizes(paddedTo(b, elements.value, boundsOf(sizes)), sizes));
  set(b, end.value, item);
  return success();
}

LogicalResult List::checkIndex(TracedNode &node, unsigned i) const {
  if (!isTensor(node, i) || node.rank(i) != 0 ||
      !(node.element(i).isInteger(32) || node.element(i).isInteger(64)))
    return node.error() << "operand " << i << " is no index";
  if (auto known = node.tryConstant(i)) {
    int64_t value = known->getSplatValue<APInt>().getSExtValue();
    if (value < 0 || value >= length.bound)
      return node.error() << "index " << value << " is none of " << length.bound
                          << " elements";
  }
  if (length.bound == 0)
    return node.error() << "takes an element of an empty list";
  if (length.isKnown())
    return success();
  Expr index(node.b, asSize(node.b, node.operand(i)));
  Expr isValid = apply<graph::LogicalAndOp>(
      apply<graph::GreaterEqualOp>(index, number(node.b, 0)),
      apply<graph::LessOp>(index, exactly(node.b, length)));
  if (booleanOf(isValid.value) != true)
    require(node, isValid, "an index is none of a list's elements");
  return success();
}

} // namespace weir::tensorflow
