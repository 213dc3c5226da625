// An even split of a range into groups.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_EVENSPLIT_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_EVENSPLIT_H

#include <algorithm>
#include <cstdint>

namespace weir {

/// `total` elements in as few groups of at most `most` as possible, evenly:
/// `larger` groups of `size + 1`, then the rest of `count` of `size`.
struct EvenSplit {
  int64_t count, size, larger;
  EvenSplit(int64_t total, int64_t most)
      : count(std::max<int64_t>(1, (total + most - 1) / most)),
        size(total / count), larger(total % count) {}
  /// Makes it so many parts.
  void setCount(int64_t total, int64_t parts) {
    count = parts, size = total / parts, larger = total % parts;
  }
  /// The number of elements of the largest group.
  int64_t most() const { return size + (larger != 0); }
  /// Where part `part` begins.
  int64_t beginOf(int64_t part) const {
    return part * size + std::min(part, larger);
  }
  /// The number of elements of part `part`.
  int64_t sizeOf(int64_t part) const { return size + (part < larger); }
};

} // namespace weir

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_EVENSPLIT_H
