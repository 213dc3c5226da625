// Recomputes values that would take much memory for a long time, before their
// late uses.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fuse/Timeline.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-recompute-groups"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_RECOMPUTEGROUPS
#include "passes/fuse/Passes.h.inc"

namespace {

/// The new block, and its peak of live bytes.
struct Choice {
  Timeline::Steps steps;
  int64_t bytes;
};

/// Searches for values to drop after the moment of the peak.
class Search {
public:
  Search(const Timeline &timeline, Peak peak, int64_t limit)
      : timeline(timeline), at(peak.at), limit(limit), best{{}, peak.bytes} {
    timeline.across(at, cheap, others);
  }

  /// The cheapest choice within the limit, else the one with the lowest peak.
  /// Its steps are empty if none is below the present peak.
  Choice run() {
    // Large values come first, so that fewer need to be dropped.
    SmallVector<std::pair<int64_t, size_t>> order;
    for (auto [i, value] : llvm::enumerate(cheap))
      order.push_back({-timeline.bytesOf(value), i});
    llvm::sort(order);
    SmallVector<Value> sorted;
    for (auto [bytes, i] : order)
      sorted.push_back(cheap[i]);
    cheap = std::move(sorted);
    if (attempt(droppedOf(cheap.size(), 1)))
      return fewest();
    // In a chain of contractions each n-th value is kept. A larger n drops more
    // values, and recomputes longer chains at once.
    constexpr size_t maxStrides = 64;
    for (size_t n = 2; n <= std::min(others.size(), maxStrides); ++n)
      if (attempt(droppedOf(cheap.size(), n)))
        return best;
    attempt(droppedOf(cheap.size(), others.size() + 1));
    return best;
  }

private:
  /// The first `count` cheap values, and of the others all but each
  /// `stride`-th.
  DenseSet<Value> droppedOf(size_t count, size_t stride) const {
    DenseSet<Value> dropped(cheap.begin(), cheap.begin() + count);
    for (auto [i, value] : llvm::enumerate(others))
      if ((i + 1) % stride != 0)
        dropped.insert(value);
    return dropped;
  }

  /// Whether the peak is within the limit if these values are dropped.
  bool attempt(const DenseSet<Value> &dropped) {
    Timeline::Steps steps = timeline.recomputed(dropped, at);
    int64_t bytes = timeline.peak(steps).bytes;
    LLVM_DEBUG(llvm::dbgs()
               << "without " << dropped.size() << " of "
               << cheap.size() + others.size() << ": " << bytes << " bytes\n");
    if (bytes < best.bytes)
      best = {std::move(steps), bytes};
    return bytes <= limit;
  }

  /// The smallest number of cheap values that suffices.
  Choice fewest() {
    size_t low = 0, high = cheap.size();
    while (low + 1 < high) {
      size_t middle = (low + high) / 2;
      Timeline::Steps steps = timeline.recomputed(droppedOf(middle, 1), at);
      int64_t bytes = timeline.peak(steps).bytes;
      if (bytes <= limit) {
        best = {std::move(steps), bytes};
        high = middle;
      } else {
        low = middle;
      }
    }
    return best;
  }

  const Timeline &timeline;
  size_t at;
  int64_t limit;
  SmallVector<Value> cheap, others;
  Choice best;
};

struct RecomputeGroups : impl::RecomputeGroupsBase<RecomputeGroups> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto limit = attrs::remat.of(function->getParentOp());
    if (!limit || !attrs::entry.isOn(function))
      return;
    // After one peak is lowered, the new peak may be at another op.
    constexpr int maxRounds = 8;
    int64_t made = 0;
    Block &block = function.getBody().front();
    for (int round = 0; round < maxRounds; ++round) {
      Timeline timeline(block);
      Peak peak = timeline.peak(timeline.steps());
      if (peak.bytes <= limit.getInt())
        return;
      Choice choice = Search(timeline, peak, limit.getInt()).run();
      if (choice.steps.empty())
        return;
      timeline.apply(choice.steps, made);
    }
  }
};

} // namespace
} // namespace weir::fuse
