// Assigns offsets greedily in several orders, and keeps the best result.

#include "dialects/plan/Arena.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <random>

using namespace llvm;

namespace weir::plan {

static int64_t rounded(int64_t bytes) { return alignTo(bytes, alignment); }

int64_t maxLiveBytes(ArrayRef<Lifetime> lifetimes) {
  std::map<int64_t, int64_t> changes; // change of live bytes by time
  for (const Lifetime &l : lifetimes) {
    changes[l.first] += rounded(l.bytes);
    changes[l.last + 1] -= rounded(l.bytes);
  }
  int64_t live = 0, most = 0;
  for (auto [moment, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return most;
}

namespace {

/// Whether the first buffer gets its offset before the second.
using Order = function_ref<bool(const Lifetime &, const Lifetime &)>;

/// Assigns offsets in the given order, each the lowest one or, for `bestFit`,
/// in the smallest gap that has room. Returns a total above `limit` as soon as
/// such a total is inevitable.
int64_t placeInOrder(MutableArrayRef<Lifetime> lifetimes,
                     ArrayRef<unsigned> order, bool bestFit,
                     int64_t limit = INT64_MAX) {
  SmallVector<const Lifetime *> placed; // by offset
  int64_t total = 0;
  for (unsigned index : order) {
    Lifetime &l = lifetimes[index];
    int64_t bytes = rounded(l.bytes);
    int64_t end = 0, best = -1, bestGap = INT64_MAX;
    for (const Lifetime *p : placed) {
      if (p->last < l.first || l.last < p->first)
        continue;
      int64_t gap = p->offset - end;
      if (gap >= bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
        if (!bestFit)
          break;
      }
      end = std::max(end, p->offset + rounded(p->bytes));
    }
    l.offset = best >= 0 ? best : end;
    total = std::max(total, l.offset + bytes);
    if (total > limit)
      return total;
    auto place =
        llvm::upper_bound(placed, &l, [](const Lifetime *a, const Lifetime *b) {
          return a->offset < b->offset;
        });
    placed.insert(place, &l);
  }
  return total;
}

/// Assigning n offsets takes time proportional to n squared. This number of
/// steps bounds the whole search to about a second. A few buffers get the most
/// tries, since good orders are rare among them.
constexpr int64_t searchSteps = int64_t(1) << 28;
constexpr int64_t maxTries = 400'000;
constexpr size_t mostSearched = 256;

/// The search ends if the total exceeds the bound by at most 1 / 64.
constexpr int64_t closeEnough = 64;

/// Moves one element, and shifts those between by one.
void moveTo(MutableArrayRef<unsigned> order, unsigned from, unsigned to) {
  auto begin = order.begin();
  if (from < to)
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  else
    std::rotate(begin + to, begin + from, begin + from + 1);
}

int64_t span(const Lifetime &l) { return l.last - l.first + 1; }

} // namespace

int64_t placeInArena(MutableArrayRef<Lifetime> lifetimes) {
  const std::pair<Order, const char *> orders[] = {
      {[](const Lifetime &a, const Lifetime &b) { return a.bytes > b.bytes; },
       "size"},
      {[](const Lifetime &a, const Lifetime &b) {
         return std::make_pair(span(b), b.bytes) <
                std::make_pair(span(a), a.bytes);
       },
       "span"},
      {[](const Lifetime &a, const Lifetime &b) {
         return double(a.bytes) * span(a) > double(b.bytes) * span(b);
       },
       "area"},
      {[](const Lifetime &a, const Lifetime &b) {
         return std::make_pair(a.first, -a.bytes) <
                std::make_pair(b.first, -b.bytes);
       },
       "start"},
      {[](const Lifetime &a, const Lifetime &b) {
         return std::make_pair(-a.last, -a.bytes) <
                std::make_pair(-b.last, -b.bytes);
       },
       "end"}};
  int64_t bound = maxLiveBytes(lifetimes), bestTotal = INT64_MAX;
  SmallVector<int64_t> best(lifetimes.size());
  SmallVector<unsigned> bestOrder;
  auto tryOrder = [&](ArrayRef<unsigned> order, bool bestFit, int64_t limit) {
    int64_t total = placeInOrder(lifetimes, order, bestFit, limit);
    if (total >= bestTotal)
      return total;
    bestTotal = total;
    bestOrder.assign(order.begin(), order.end());
    for (auto [offset, l] : zip_equal(best, lifetimes))
      offset = l.offset;
    return total;
  };
  SmallVector<unsigned> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  for (auto &[before, name] : orders)
    for (bool bestFit : {false, true}) {
      if (bestTotal == bound)
        break;
      sort(order, [&, less = before](unsigned a, unsigned b) {
        if (less(lifetimes[a], lifetimes[b]))
          return true;
        return !less(lifetimes[b], lifetimes[a]) && a < b;
      });
      tryOrder(order, bestFit, INT64_MAX);
    }
  // If buffers are few, a local search continues: a few buffers move in the
  // order, or all are assigned from the bottom up. A new order is kept if it is
  // not worse. The random seed is fixed, so that each compilation finds the
  // same plan.
  int64_t count = lifetimes.size();
  int64_t tries = count && lifetimes.size() <= mostSearched
                      ? std::min(maxTries, searchSteps / (count * count))
                      : 0;
  std::mt19937 random(1);
  order = bestOrder;
  int64_t current = INT64_MAX;
  for (; tries > 0 && bestTotal > bound + bound / closeEnough; --tries) {
    SmallVector<unsigned> next = order;
    if (tries % 50 == 0) {
      placeInOrder(lifetimes, order, /*bestFit=*/false);
      llvm::stable_sort(next, [&](unsigned a, unsigned b) {
        return lifetimes[a].offset < lifetimes[b].offset;
      });
    } else {
      for (unsigned moves = 1 + random() % 3; moves; --moves) {
        unsigned from = random() % count;
        moveTo(next, from, random() % count);
      }
    }
    int64_t total = tryOrder(next, /*bestFit=*/false, current);
    if (total <= current) {
      current = total;
      order = next;
    }
  }
  for (auto [offset, l] : zip_equal(best, lifetimes))
    l.offset = offset;
  return lifetimes.empty() ? 0 : bestTotal;
}

} // namespace weir::plan
