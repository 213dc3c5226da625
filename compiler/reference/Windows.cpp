// Windows that slide along the spatial dimensions of images.

#include "compiler/reference/Windows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace weir::reference {

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Moves `index` to its successor in row-major order; false after the last.
static bool moveOn(MutableArrayRef<int64_t> index, ArrayRef<int64_t> sizes) {
  for (size_t i = index.size(); i-- > 0; index[i] = 0)
    if (++index[i] < sizes[i])
      return true;
  return false;
}

void Windows::forEachTap(
    function_ref<void(int64_t, int64_t, int64_t)> body) const {
  if (is_contained(results, 0) || is_contained(window, 0))
    return;
  size_t rank = image.size();
  SmallVector<int64_t> at(rank, 0), tap(rank, 0);
  int64_t position = 0;
  do {
    int64_t tapNumber = 0;
    do {
      int64_t pixel = 0;
      bool isInside = true;
      for (size_t i = 0; i < rank && isInside; ++i) {
        int64_t p = at[i] * strides[i] + tap[i] * dilations[i] - padding[i];
        isInside = p >= 0 && p < image[i];
        pixel = pixel * image[i] + p;
      }
      if (isInside)
        body(position, tapNumber, pixel);
      ++tapNumber;
    } while (moveOn(tap, window));
    ++position;
  } while (moveOn(at, results));
}

} // namespace weir::reference
