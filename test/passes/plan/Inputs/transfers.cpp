// Breaks the steps of ranks in one place each and prints what findFault says.

#include "passes/plan/Transfers.h"

#include <cstdio>
#include <functional>

using namespace weir::plan;

static void
check(const char *what, uint32_t kind, uint64_t elements,
      const std::vector<uint32_t> &sizes,
      const std::function<void(std::vector<RankSteps> &)> &breakIt = nullptr) {
  weir_collective c = {};
  c.kind = kind;
  c.axes = (1u << sizes.size()) - 1;
  c.elements = elements;
  c.element_bytes = 4;
  std::vector<RankSteps> ranks = stepsOf(c, 0, sizes);
  if (breakIt)
    breakIt(ranks);
  uint64_t bytes = elements * 4;
  auto size = static_cast<uint32_t>(ranks.size());
  ExchangeRoom room = {bytes, weir_scratch_bytes(&c, size), 4, 0};
  if (kind == WEIR_ALL_GATHER)
    room = {bytes * size, 0, 4, 0};
  std::optional<std::string> fault = findFault(ranks, room);
  std::printf("%s: %s\n", what, fault ? fault->c_str() : "ends");
}

int main() {
  for (uint32_t n = 1; n <= 40; ++n) {
    check(("short " + std::to_string(n)).c_str(), WEIR_ALL_REDUCE, 3, {n});
    check(("long " + std::to_string(n)).c_str(), WEIR_ALL_REDUCE, 5000, {n});
    check(("ring " + std::to_string(n)).c_str(), WEIR_ALL_GATHER, 7, {n});
  }
  check("1024 ranks", WEIR_ALL_REDUCE, 100000, {1024});
  check("two axes", WEIR_ALL_REDUCE, 5000, {3, 4});
  check("size", WEIR_ALL_REDUCE, 3, {2}, [](auto &ranks) {
    ranks[1].moves[1].bytes = 8; // its send
  });
  check("tag", WEIR_ALL_REDUCE, 3, {2},
        [](auto &ranks) { ranks[1].moves[1].tag += 1; });
  check("other", WEIR_ALL_REDUCE, 3, {2},
        [](auto &ranks) { ranks[1].moves[1].tag += WEIR_TAGS; });
  check("missing", WEIR_ALL_REDUCE, 3, {2},
        [](auto &ranks) { ranks[0].steps.clear(); });
  // Both ranks send before they receive, which only a transport with buffers
  // ends.
  check("order", WEIR_ALL_REDUCE, 3, {2}, [](auto &ranks) {
    for (RankSteps &rank : ranks) {
      std::swap(rank.moves[0], rank.moves[1]);
      rank.steps = {{0, 1, 0, 0}, {1, 1, 0, 3}};
    }
  });
  // Each rank sends to the next before it receives from the one before.
  check("blocking ring", WEIR_ALL_GATHER, 3, {4}, [](auto &ranks) {
    for (RankSteps &rank : ranks) {
      std::swap(rank.moves[0], rank.moves[1]);
      rank.steps = {{0, 1, 0, 0}, {1, 1, 0, 0}};
    }
  });
  check("offset", WEIR_ALL_REDUCE, 3, {2},
        [](auto &ranks) { ranks[0].moves[0].offset = 4; });
  check("overlap", WEIR_ALL_GATHER, 7, {2},
        [](auto &ranks) { ranks[0].moves[0].offset = 24; });
  check("whole", WEIR_ALL_REDUCE, 3, {2},
        [](auto &ranks) { ranks[0].steps[0].at = 1; });
  check("peer", WEIR_ALL_REDUCE, 3, {2},
        [](auto &ranks) { ranks[0].moves[0].peer = 2; });
}
