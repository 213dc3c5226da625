// How a product of pairs is cut for registers, caches and threads.

#ifndef WEIR_PASSES_CPU_PAIRS_PAIRBLOCKS_H
#define WEIR_PASSES_CPU_PAIRS_PAIRBLOCKS_H

#include "passes/cpu/pairs/PairTile.h"

namespace weir {

struct PairBlocks {
  int64_t rows, columns, depth, panels;
  int64_t slots;      // of threads that share the work
  int64_t weights;    // bytes, as packed
  bool sharesLoads;   // of the left side
  int64_t mostRows;   // of a tile
  EvenSplit tiles;    // of rows
  EvenSplit slabs;    // of tiles: those that go through all panels
  bool toL1, fetches; // of panels before they are used
  bool touchesMuch;   // more results and operands of the epilogue than L2 holds
  Chains chains;
  EvenSplit depths; // of the rounds of chains: parts that all panels see first

  PairBlocks(kernel::KernelOpInterface op, mlir::Value b, int64_t depth,
             const kernel::Target &target);

  /// Lines of a tile.
  int64_t height() const { return tiles.most(); }

  /// Whether each thread has about as many tiles, in slabs of its own, which
  /// are made so: what it reads of the left side and writes is then what it has
  /// of the kernels before and after this one, where all weights come to each
  /// thread anyhow.
  bool splitSlabs();

  /// Whether all rows, and the sums that wait of these, may be in memory at
  /// once.
  bool holdsAllRows() const;

  /// Whether panels are packed one at a time: each thread has about as many.
  bool packsPanels(int64_t threads) const;

  /// Groups of terms of the largest part of the depth.
  int64_t mostGroups() const;

private:
  // Bytes of all threads: of sums that wait, or of rows where all are taken
  // first; and of both in slabs, below what PlanScratch has for threads, of
  // which some would otherwise have none to do.
  static constexpr int64_t mostScratch = 16 << 20, mostOfSlabs = 48 << 20;

  int64_t l2;

  int64_t tilesOf(int64_t elements) const;
  bool fetchesWeights() const;
  void splitDepth();
};

} // namespace weir

#endif // WEIR_PASSES_CPU_PAIRS_PAIRBLOCKS_H
