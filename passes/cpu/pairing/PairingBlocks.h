// The blocking of a product by inner-product pairing, for registers, caches and
// threads.

#ifndef WEIR_PASSES_CPU_PAIRING_PAIRINGBLOCKS_H
#define WEIR_PASSES_CPU_PAIRING_PAIRINGBLOCKS_H

#include "passes/cpu/pairing/PairingTile.h"

namespace weir {

struct PairingBlocks {
  int64_t rows, columns, depth, panels;
  int64_t slots;      // of threads that share the work
  int64_t weights;    // the packed weights in bytes
  bool sharesLoads;   // of the left side
  int64_t maxRows;    // of a tile
  EvenSplit tiles;    // of rows
  EvenSplit slabs;    // of tiles, which are multiplied by all panels in turn
  bool toL1, fetches; // of panels before their use
  bool touchesMuch;   // whether results and operands of the epilogue exceed L2
  Chains chains;
  // of the rounds of chains: parts of the depth that all panels use first
  EvenSplit depths;

  PairingBlocks(kernel::KernelOpInterface op, mlir::Value b, int64_t depth,
                const kernel::Target &target);

  /// The rows of the largest tile.
  int64_t height() const { return tiles.most(); }

  /// Whether each thread gets about equally many tiles, in slabs of its own;
  /// sets the slabs so. A thread then reads and writes the rows that it has in
  /// the kernels before and after this one. All threads read all weights
  /// anyway.
  bool splitSlabs();

  /// Whether all rows, and their spilled partial sums, may be in memory at
  /// once.
  bool holdsAllRows() const;

  /// Whether panels are packed one at a time, because each thread gets about
  /// equally many.
  bool packsPanels(int64_t threads) const;

  /// The number of groups of terms in the largest part of the depth.
  int64_t maxGroups() const;

private:
  // In bytes, for all threads: spilled partial sums, or all rows if they are
  // prepared first; and both for slabs. The limit leaves scratch memory in
  // PlanScratch for all threads.
  static constexpr int64_t maxScratch = 16 << 20, maxOfSlabs = 48 << 20;

  int64_t l2;

  int64_t tilesOf(int64_t elements) const;
  bool fetchesWeights() const;
  void splitDepth();
};

} // namespace weir

#endif // WEIR_PASSES_CPU_PAIRING_PAIRINGBLOCKS_H
