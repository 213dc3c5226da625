// Assigns offsets to buffers with lifetimes in one block of memory.
//
// The problem is two-dimensional packing (time by bytes) with fixed times, and
// NP-hard. No result is below the largest number of live bytes. A greedy
// assignment in a good order is within a few percent of that bound on real
// graphs. The best order differs, so several are tried and the best is kept.
// (Sekiyama et al., "Profile-guided memory optimization for deep neural
// networks", 2018, compares such orders.) If the result is above the bound and
// buffers are few, a local search continues from it.

#ifndef WEIR_DIALECTS_PLAN_ARENA_H
#define WEIR_DIALECTS_PLAN_ARENA_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace weir::plan {

/// Each buffer begins at a multiple of so many bytes: a cache line, and the
/// widest vector.
constexpr int64_t alignment = 64;

/// A buffer of `bytes` bytes, live from time `first` to `last`, both inclusive.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
  /// The result: bytes from the start of the arena, a multiple of `alignment`.
  int64_t offset = 0;
};

/// The largest number of live bytes, with each buffer rounded up to
/// `alignment`.
int64_t maxLiveBytes(llvm::ArrayRef<Lifetime> lifetimes);

/// Sets each offset and returns the size of the arena in bytes.
int64_t placeInArena(llvm::MutableArrayRef<Lifetime> lifetimes);

} // namespace weir::plan

#endif // WEIR_DIALECTS_PLAN_ARENA_H
