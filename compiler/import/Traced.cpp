// What edges carry as tensors, for regions.

#include "compiler/import/Traced.h"

using namespace mlir;

namespace weir {

bool flatten(const Traced &traced, SmallVectorImpl<Value> &values) {
  if (!traced.value)
    return traced.object && traced.object->flatten(values);
  values.push_back(traced.value);
  if (traced.imaginary)
    values.push_back(traced.imaginary);
  for (Value extent : traced.extents)
    if (extent)
      values.push_back(extent);
  return true;
}

Traced rebuild(const Traced &like, ArrayRef<Value> &values) {
  auto take = [&](Value present) {
    if (!present)
      return Value();
    Value first = values.front();
    values = values.drop_front();
    return first;
  };
  Traced result;
  result.value = take(like.value);
  result.imaginary = take(like.imaginary);
  for (Value extent : like.extents)
    result.extents.push_back(take(extent));
  if (like.object && !like.value)
    result.object = like.object->rebuild(values);
  return result;
}

} // namespace weir
