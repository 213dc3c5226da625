// Places buffers with lifetimes in one block of memory.
//
// The problem is two-dimensional packing (time by bytes) with fixed times, and
// NP-hard; no placement is below the most bytes that live at one moment. Greedy
// placement in a good order comes within a few percent of that bound on real
// graphs, and which order is good differs, so several are tried and the best
// kept. (Sekiyama et al., "Profile-guided memory optimization for deep neural
// networks", 2018, compares such orders.) Where that is above the bound and the
// buffers are few, a search goes on from there.

#ifndef WEIR_DIALECTS_PLAN_ARENA_H
#define WEIR_DIALECTS_PLAN_ARENA_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace weir::plan {

/// Every buffer starts at a multiple of this many bytes: a cache line, and the
/// widest vector.
constexpr int64_t alignment = 64;

/// `bytes` live in the moments `first` to `last`, both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
  /// The result: bytes from the start, a multiple of `alignment`.
  int64_t offset = 0;
};

/// The most bytes, each buffer rounded up to `alignment`, that live at once.
int64_t maxLiveBytes(llvm::ArrayRef<Lifetime> lifetimes);

/// Sets each offset; gives the size of the block.
int64_t placeInArena(llvm::MutableArrayRef<Lifetime> lifetimes);

} // namespace weir::plan

#endif // WEIR_DIALECTS_PLAN_ARENA_H
