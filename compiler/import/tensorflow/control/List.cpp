// Elements of lists, read and written as slices of one tensor.

#include "compiler/import/tensorflow/control/GrowingArray.h"

#include "compiler/import/Build.h"

#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::tensorflow {

bool List::flatten(SmallVectorImpl<Value> &values) const {
  if (tensor)
    values.push_back(tensor);
  return bool(tensor);
}

std::shared_ptr<Object> List::rebuild(ArrayRef<Value> &values) const {
  auto copy = std::make_shared<List>(*this);
  copy->tensor = values.front();
  values = values.drop_front();
  return copy;
}

std::shared_ptr<Object> List::settle(ImplicitLocOpBuilder &b,
                                     const Object &like) const {
  if (auto *array = dynamic_cast<const GrowingArray *>(&like); array && !count)
    return array->emptied(b);
  auto *other = dynamic_cast<const List *>(&like);
  if (!other || !other->tensor || other->count != count)
    return nullptr;
  auto copy = std::make_shared<List>(*this);
  copy->tensor = splat(b, typeOf(other->tensor), 0);
  copy->element = other->element;
  return copy;
}

bool List::fill(ImplicitLocOpBuilder &b,
                const std::optional<SmallVector<int64_t>> &like) {
  if (tensor)
    return true;
  for (const std::optional<SmallVector<int64_t>> *known :
       {&std::as_const(shape), &like}) {
    if (!*known || ShapedType::isDynamicShape(**known) || !element)
      continue;
    SmallVector<int64_t> whole{count};
    whole.append(**known);
    if (!byteSize(whole, 8))
      return false;
    tensor = splat(b, RankedTensorType::get(whole, element), 0);
    return true;
  }
  return false;
}

static SmallVector<Value> startsAt(ImplicitLocOpBuilder &b, Value first,
                                   int64_t rank) {
  SmallVector<Value> starts(rank, splat(b, typeOf(first), 0));
  starts[0] = first;
  return starts;
}

Value List::get(ImplicitLocOpBuilder &b, Value index) const {
  SmallVector<int64_t> sizes(typeOf(tensor).getShape());
  sizes[0] = 1;
  Value item = make<graph::DynamicSliceOp>(
      b, tensor, startsAt(b, index, sizes.size()), sizes);
  return reshapeTo(b, item, elementShape(tensor));
}

void List::set(ImplicitLocOpBuilder &b, Value index, Value element) {
  tensor = make<graph::DynamicUpdateSliceOp>(
      b, tensor, withFront(b, element),
      startsAt(b, index, typeOf(tensor).getRank()));
}

SmallVector<int64_t> elementShape(Value tensor) {
  return SmallVector<int64_t>(typeOf(tensor).getShape().drop_front());
}

Value withFront(ImplicitLocOpBuilder &b, Value item) {
  SmallVector<int64_t> shape{1};
  shape.append(typeOf(item).getShape().begin(), typeOf(item).getShape().end());
  return reshapeTo(b, item, shape);
}

} // namespace weir::tensorflow
