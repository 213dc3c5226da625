// The loops of a product: sizes that follow from its shape and its schedule.

#ifndef WEIR_PASSES_CPU_KERNELS_MATMULBLOCKS_H
#define WEIR_PASSES_CPU_KERNELS_MATMULBLOCKS_H

#include "dialects/kernel/schedule/MatmulShape.h"
#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

struct MatmulBlocks : kernel::MatmulShape, kernel::MatmulSchedule {
  /// The rows that tiles split evenly: all, or those of a row block.
  int64_t splitRows;

  /// Of an op with a schedule.
  MatmulBlocks(kernel::MatmulOp op, const kernel::Target &target);

  /// How many elements of A and B are one of the depth and the columns.
  int64_t unit() const { return isVnni ? 4 : 1; }
  bool hasSeveralPanels() const { return panel && tileColumns > panel; }
  bool isByRowBlocks() const { return share == kernel::MatmulShare::rowBlocks; }
  bool copiesRows() const { return copy != kernel::MatmulCopy::none; }
  bool copiesSlabs() const { return copy == kernel::MatmulCopy::slab; }
  bool streamsPanels() const {
    return prefetch == kernel::MatmulPrefetch::stream;
  }
  /// Of all rows, or of those of a row block.
  EvenSplit splitIntoTiles() const { return EvenSplit(splitRows, tileRows); }
  int64_t rowTiles() const { return splitIntoTiles().count; }
  int64_t columnTiles() const { return llvm::divideCeil(columns, tileColumns); }
  /// Vectors of sums in a tile. They follow from the alike rows, so that
  /// smaller tiles at the ends have the same loops.
  int64_t tileSums() const;
  /// The sets of sums that take turns over `count` of the depth.
  int64_t setsOver(int64_t count) const;
  int64_t depthBlocks() const {
    return depth > depthBlock ? llvm::divideCeil(depth, depthBlock) : 1;
  }
};

/// `count` of the depth from `first` on, the same of all tiles at hand. What
/// goes before is in the result already, unless the sums begin here.
struct DepthPart {
  mlir::Value first;
  int64_t count;
  mlir::Value begins; // a Boolean; null where it holds
  bool ends;          // the sums

  static DepthPart all(Emitter &e, int64_t depth);

  /// Emits `body` for each block of `size` of it, in their order, of which the
  /// last may be smaller.
  void eachBlock(Emitter &e, int64_t size,
                 llvm::function_ref<void(const DepthPart &)> body) const;
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_MATMULBLOCKS_H
