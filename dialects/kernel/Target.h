// What kernels know of the machine, read from the module's `weir.target`.

#ifndef WEIR_DIALECTS_KERNEL_TARGET_H
#define WEIR_DIALECTS_KERNEL_TARGET_H

#include "mlir/IR/Operation.h"

namespace weir::kernel {

struct Target {
  int64_t vectorBits = 512;
  int64_t panelBits = 512;   // of the vectors that weights are packed for
  bool sharesPanels = false; // with variants for other processors
  int64_t registers = 32;
  int64_t l1 = 32 << 10;
  int64_t l2 = 1 << 20;
  bool fma = true;
  int64_t fmaRate = 1; // vectors of multiply-adds that the core begins a cycle
  bool addsBeside = false; // begins as many additions in the same cycles
  bool avx2 = false;
  bool avx512 = false;
  bool tiles = false;        // Intel AMX, with products of bf16
  bool byteTiles = false;    // and of 8-bit integers
  bool dots = false;         // AVX-512 VNNI: sums of four products of bytes
  bool pairDots = false;     // AVX-512 BF16: sums of two products of bf16
  bool roundsToBf16 = false; // an instruction makes bf16 of f32
  bool gpu = false;          // kernels are for threads of a GPU

  /// The target of the module around `op`, or the GPU that it is for.
  static Target of(mlir::Operation *op);

  /// Whether a tile's sums leave none for what is loaded ahead of its use.
  bool fewRegisters() const { return registers < 32; }

  /// Whether so many of `count` lines, `stride` bytes apart, fall on one set of
  /// L1 that too few of its ways are left for what is read beside them.
  bool linesCollide(int64_t stride, int64_t count) const;

  /// Elements of `type` in a vector register, as sums are kept.
  int64_t lanes(mlir::Type type) const;

  /// The same, or as many fewer as divide `width`: halves, quarters and so on.
  int64_t lanesWithin(mlir::Type type, int64_t width) const;

  /// Columns of a packed panel of a filter with `columns` outputs.
  int64_t panelWidth(mlir::Type type, int64_t columns) const;

  /// Whether panels have three halves of vectors, of which two begin in a cycle
  /// where one whole vector does: the last of up to six vectors of columns is
  /// at most half full.
  bool cutsToHalves(mlir::Type type, int64_t columns) const;

  /// The same of a filter whose windows are summed directly.
  int64_t convolutionPanelWidth(mlir::Type type, int64_t columns) const;

  /// Rows of a tile of `vectors` vectors whose sums, of few registers, leave
  /// one for what is loaded for a single product, and of the other operand one
  /// for each vector, or for each row, whichever are fewer.
  int64_t lowTileHeight(int64_t vectors) const;

  /// The most vectors of such a tile: a product that is not added at once would
  /// need a register of its own, and so would what is widened after its load.
  int64_t widestLowTile(mlir::Type type) const;

  /// Columns of a packed panel of a matrix with `columns` columns: as its tiles
  /// need the fewest instructions beside their products. Of many registers,
  /// tiles of three vectors by nine rows, where two multiply-adds begin in a
  /// cycle and not much of a panel would be padding; or halves of vectors.
  int64_t matrixPanelWidth(mlir::Type type, int64_t columns) const;

  /// Whether what streams from beyond L2 comes sooner where it is fetched by
  /// instructions. Not to cores that begin one wide product a cycle (Zen 4):
  /// they read L3 at 98 GB/s by themselves, and at 75 then.
  bool fetchesStreams() const { return fewRegisters() || fmaRate >= 2; }

  /// Whether a panel that is fetched ahead comes to L1, though that does not
  /// hold it: a Zen 5 casts it out to L2 from there, and what it fetches to L2
  /// comes later (`resnet18` 9.2 and 8.6 ms, `bert_base` 85.7 and 80.3).
  bool fetchesPanelsToL1() const { return addsBeside && fmaRate >= 2; }

  /// Of few registers, columns of a tile that has all of up to six rows: where
  /// tiles of fewer rows are first to read a matrix that L2 does not hold, they
  /// wait for it. As many for three rows as for four, so that the order of sums
  /// is the same. 0 for more rows, of many registers, and where panels are
  /// shared, whose width is that of several rows.
  int64_t fewRowsWidth(mlir::Type type, int64_t rows) const;

  /// The same where such a tile is of several panels of a packed matrix,
  /// `bytes` of elements of `type` without padding, that is read once and from
  /// beyond L2: of several runs more is on its way than of one. 0 where a tile
  /// has one panel, and of three rows and more where L3 holds the matrix.
  int64_t widthOfSeveralPanels(mlir::Type type, int64_t rows, int64_t columns,
                               int64_t bytes) const;
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_TARGET_H
