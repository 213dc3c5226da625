// The arithmetic of shapes and of orders of dimensions.

#include "compiler/export/onnx/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;

namespace weir::to_onnx {

bool Tensor::isSingle() const {
  return all_of(shape, [](int64_t size) { return size == 1; });
}

Sizes countUp(int64_t rank) { return to_vector(seq<int64_t>(0, rank)); }

bool isCountUp(ArrayRef<int64_t> order) {
  return order == ArrayRef<int64_t>(countUp(order.size()));
}

Sizes inverseOf(ArrayRef<int64_t> order) {
  Sizes inverse(order.size());
  for (auto [i, dim] : enumerate(order))
    inverse[dim] = i;
  return inverse;
}

Sizes pick(ArrayRef<int64_t> list, ArrayRef<int64_t> indices) {
  return map_to_vector(indices, [&](int64_t i) { return list[i]; });
}

Sizes channelsFirst(int64_t rank) {
  Sizes order = {0, rank - 1};
  for (int64_t d = 1; d + 1 < rank; ++d)
    order.push_back(d);
  return order;
}

Sizes channelsLast(int64_t rank) { return inverseOf(channelsFirst(rank)); }

Sizes broadcastOf(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Sizes shape(a);
  size_t before = a.size() - b.size();
  for (auto [i, size] : enumerate(b))
    if (shape[before + i] == 1)
      shape[before + i] = size;
  return shape;
}

} // namespace weir::to_onnx
