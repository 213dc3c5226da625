// How a product of matrices is cut for registers and caches.

#ifndef WEIR_PASSES_CPU_KERNELS_MATMULBLOCKS_H
#define WEIR_PASSES_CPU_KERNELS_MATMULBLOCKS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

struct MatmulBlocks {
  bool words; // the depth is of words of four bytes
  int64_t batches, rows, columns, depth;
  int64_t panel; // columns of a panel of B, or 0 where B is plain
  mlir::Type sumElement;
  int64_t lanes, width; // of a vector, of a tile
  bool severalPanels;   // whether a tile is as wide as several panels
  int64_t height;       // most rows of a tile
  int64_t leastSums; // of a tile, which is in several sets where it has fewer
  int64_t mostSums;  // vectors of them in a tile of a matrix of alike rows
  int64_t mostTerms; // of the sums of an iteration of the innermost loop
  int64_t depthBlock, tilesABlock;
  /// The rows that tiles split evenly: all, or those of a grain at a time.
  int64_t splitRows;
  /// Whether threads that share rows have a part each: smaller ones would be
  /// less than a block, and read B for less.
  bool fewParts;
  /// Of the depth, in whole blocks of it: what all panels see before the next
  /// such part; each panel sees all of it at once, block after block.
  int64_t depthSlab;
  /// The cache that what is read next of B comes to: L2 where L1 has a block of
  /// a panel, and what low tiles read of A.
  int fetchLevel;
  /// Whether the result and what its epilogue reads are more than L2 holds.
  bool touchesMuch;
  /// Whether a block of rows is copied before it is read many times, and
  /// whether slab after slab.
  bool copiesRows, copiesSlabs;
  /// Whether parts of panels are copied, for all rows at once.
  bool packsParts;

  /// Whether one tile of rows reads all panels once, each thread more of them
  /// than its L2 holds.
  bool streamsPanels;

  /// Whether a panel is fetched while the one before it, or some of the same,
  /// is used.
  bool fetchesPanels;

  /// Whether runs one after the other gain by going to and fro: of weights that
  /// one tile of rows reads once, and a cache holds in part, a run that begins
  /// where the one before has ended finds that part.
  bool alternates;

  MatmulBlocks(kernel::MatmulOp op, const kernel::Target &target, int64_t chain,
               bool packsParts);

  /// What the product takes, on one core.
  double nanoseconds(kernel::MatmulOp op) const;

  /// Bytes of the part of a panel that is copied to the stack.
  static int64_t partBytes(const kernel::Target &target) {
    return target.l1 / 2;
  }

  /// How many elements of A and B are one of the depth and the columns.
  int64_t unit() const { return words ? 4 : 1; }
  bool isByGrains() const { return splitRows < rows; }
  /// Of all rows, or of those of a grain.
  EvenSplit splitIntoTiles() const { return EvenSplit(splitRows, height); }
  int64_t rowTiles() const { return splitIntoTiles().count; }
  int64_t columnTiles() const { return (columns + width - 1) / width; }
  /// Whether threads, if any, share whole products of the batch.
  bool sharesBatches() const {
    return !isByGrains() &&
           (batches >= 8 || batches >= std::max(rowTiles(), columnTiles()));
  }
  /// Whether they share rows rather than columns: who does reads all of B, so
  /// where there are many, beside panels.
  bool sharesRows() const {
    return isByGrains() ||
           (!sharesBatches() &&
            rows >= (packsParts ? 448
                                : std::min<int64_t>(448, 14 * columnTiles())));
  }
  /// Few sums make short chains of dependent additions: several sets of them
  /// take turns over some of the depth. The tiles at the ends, which are
  /// smaller, add in the same order, so that equal columns have equal sums.
  int64_t setsOver(int64_t count) const {
    int64_t sets = 1;
    while (sets * mostSums < leastSums && sets * 2 <= count)
      sets *= 2;
    return sets;
  }
  int64_t depthBlocks() const {
    return depth > depthBlock ? (depth + depthBlock - 1) / depthBlock : 1;
  }
};

/// `count` of the depth from `first` on, the same of all tiles at hand. What
/// goes before is in the result already, unless the sums begin here.
struct DepthPart {
  mlir::Value first;
  int64_t count;
  mlir::Value begins; // a truth value; null where it holds
  bool ends;          // the sums

  static DepthPart all(Emitter &e, int64_t depth);

  /// Emits `body` for each block of `size` of it, in their order, of which the
  /// last may be smaller.
  void eachBlock(Emitter &e, int64_t size,
                 llvm::function_ref<void(const DepthPart &)> body) const;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_MATMULBLOCKS_H
