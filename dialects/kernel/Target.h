// The target as kernels see it, read from the module's `weir.target`.

#ifndef WEIR_DIALECTS_KERNEL_TARGET_H
#define WEIR_DIALECTS_KERNEL_TARGET_H

#include "dialects/target/Instructions.h"

#include "mlir/IR/Operation.h"

namespace weir::kernel {

/// The sizes, rates and instructions of one core. Decisions ask for these, not
/// for a processor. `Isa` (dialects/isa) emits the instructions.
struct Target : Instructions {
  int64_t vectorBits = 512;
  int64_t panelBits = 512;   // of the vectors that weights are packed for
  bool sharesPanels = false; // with variants for other processors
  int64_t registers = 32;    // vector registers
  int64_t l1 = 32 << 10;     // bytes of the caches of a core
  int64_t l2 = 1 << 20;
  bool fma = true;
  int64_t fmaRate = 1;     // multiply-adds of vectors that begin in a cycle
  bool addsBeside = false; // as many additions begin in the same cycles
  bool gpu = false;        // kernels are for threads of a GPU

  /// The target of the module around `op`, or the GPU that it is for.
  static Target of(mlir::Operation *op);

  /// Whether the sums of a tile fill the vector registers. Then operands are
  /// loaded at their use, and partial sums are spilled. Otherwise registers
  /// remain for both.
  bool sumsFillRegisters() const { return registers < 32; }

  /// Whether `count` cache lines, `stride` bytes apart, leave too few ways of a
  /// set of L1 for other data.
  bool linesCollide(int64_t stride, int64_t count) const;

  /// The number of sums of products of `type` in a vector register.
  int64_t lanes(mlir::Type type) const;

  /// The largest power of two that divides `width` and is at most `lanes`.
  int64_t lanesWithin(mlir::Type type, int64_t width) const;

  /// Columns of a packed panel of a filter with `columns` outputs.
  int64_t panelWidth(mlir::Type type, int64_t columns) const;

  /// Whether panels have one and a half vectors. The last of up to six vectors
  /// of columns is then at most half full, and two halves begin in a cycle
  /// where one whole vector does.
  bool cutsToHalves(mlir::Type type, int64_t columns) const;

  /// Columns of a packed panel of a filter of a direct convolution.
  int64_t convolutionPanelWidth(mlir::Type type, int64_t columns) const;

  /// With sums that fill the registers: rows of a tile of `vectors` vectors.
  /// Its sums leave one register for a factor of one product. They also leave
  /// one for each vector or for each row, whichever are fewer.
  int64_t lowTileHeight(int64_t vectors) const;

  /// The most vectors of such a tile. A separate product before its addition
  /// needs a register of its own, and so does an operand that is widened.
  int64_t widestLowTile(mlir::Type type) const;

  /// Columns of a packed panel of a matrix with `columns` columns, so that
  /// tiles need the fewest instructions beside their products. With registers
  /// to spare these are tiles of three vectors by nine rows, if two
  /// multiply-adds begin in a cycle and little of a panel is padding.
  int64_t matrixPanelWidth(mlir::Type type, int64_t columns) const;

  /// Whether prefetch instructions speed up data from beyond L2. They do not on
  /// cores that begin one wide product a cycle: a Zen 4 reads L3 at 98 GB/s
  /// without them, and at 75 GB/s with them.
  bool fetchesStreams() const { return sumsFillRegisters() || fmaRate >= 2; }

  /// Whether prefetch instructions fetch a panel to L1, though it is larger: a
  /// Zen 5 evicts it to L2 from there, and fetches to L2 itself come later
  /// (`resnet18` 9.2 and 8.6 ms, `bert_base` 85.7 and 80.3).
  bool fetchesPanelsToL1() const { return addsBeside && fmaRate >= 2; }

  /// With sums that fill the registers: columns of a tile of all of up to six
  /// rows. Narrow tiles would wait for a matrix that is not in L2. Three rows
  /// have as many columns as four, so that the order of sums is the same.
  /// Returns 0 for more rows, with registers to spare, and for shared panels of
  /// several rows.
  int64_t fewRowsWidth(mlir::Type type, int64_t rows) const;

  /// The same for a tile of several panels of a packed matrix that is read once
  /// and from beyond L2: more of several streams than of one is on its way. The
  /// matrix has `bytes` of elements of `type` without padding. Returns 0 for
  /// tiles of one panel, and for three rows and more if L3 holds the matrix.
  int64_t widthOfSeveralPanels(mlir::Type type, int64_t rows, int64_t columns,
                               int64_t bytes) const;
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_TARGET_H
