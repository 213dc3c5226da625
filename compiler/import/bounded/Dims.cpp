// The dimensions of values, and what a reshape makes of them.

#include "compiler/import/bounded/Dims.h"

using namespace mlir;

namespace weir {

Dim knownDim(int64_t size) {
  Factor factor;
  factor.bound = size;
  return {factor};
}

Dim freeDim(int64_t size) {
  Dim dim = knownDim(size);
  dim.front().isFree = true;
  return dim;
}

Dims dimsOf(ArrayRef<Size> sizes) {
  Dims dims;
  for (const Size &size : sizes) {
    Factor factor;
    factor.bound = size.bound;
    factor.exact = size.exact;
    dims.push_back({factor});
  }
  return dims;
}

std::optional<Dims> reshaped(ArrayRef<Dim> dims, ArrayRef<int64_t> shape) {
  SmallVector<Factor> left;
  for (const Dim &dim : dims)
    for (const Factor &factor : dim)
      if (factor.bound != 1 || factor.isDynamic())
        left.push_back(factor);
  size_t at = 0;
  Dims result;
  for (int64_t size : shape) {
    Dim dim;
    int64_t product = 1;
    // One of size 1 may be an open one that has no room for more.
    while (at < left.size() &&
           (product < size || (dim.empty() && left[at].bound == 1))) {
      Factor &next = left[at];
      if (next.bound == 0 || size % product)
        return std::nullopt;
      int64_t wanted = size / product;
      if (next.bound <= wanted) {
        product *= next.bound;
        dim.push_back(next);
        ++at;
        continue;
      }
      // A part of one that is known.
      if (next.isDynamic() || next.bound % wanted)
        return std::nullopt;
      Factor part = next;
      part.bound = wanted;
      next.bound /= wanted;
      product = size;
      dim.push_back(part);
    }
    if (product != size)
      return std::nullopt;
    if (dim.empty())
      dim = knownDim(1);
    result.push_back(std::move(dim));
  }
  return at == left.size() ? std::optional(result) : std::nullopt;
}

} // namespace weir
