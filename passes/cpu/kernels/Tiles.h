// A product by tiles: its sizes, its scratch, and the code of one block, by
// tile registers or by dot products of vector registers.

#ifndef WEIR_PASSES_CPU_KERNELS_TILES_H
#define WEIR_PASSES_CPU_KERNELS_TILES_H

#include "passes/cpu/kernels/TileLoops.h"

namespace weir::cpu {

struct TileProduct : TileLoops {
  kernel::MatmulOp product;
  mlir::Value a;
  int64_t rows, depth;
  // Of a block for dot products of bytes, what these are the distances from.
  mlir::Value least;

  TileProduct(Emitter &e, kernel::MatmulOp op, const kernel::Target &target);

  /// Splits block `block` after block `first` to bf16, at this part of the
  /// depth.
  void splitBlock(mlir::Value first, mlir::Value block, const Depth &depth);

protected:
  void loadLeft(int tile, const Unit &unit, const Depth &depth,
                mlir::Value step, int part, int i) override;
  void byVectors(const Unit &unit, const Depth &depth) override;
  void byDots(const Unit &unit, const Depth &depth) override;
  mlir::Value weightRow(mlir::Value step) override {
    return e.times(step, stepDepth);
  }
  bool hasWholeSteps() const override { return depth % stepDepth == 0; }
  mlir::Value fitOf(const Unit &unit) override { return unit.block; }
  mlir::Value validRows(const Unit &unit) override {
    return rowsFrom(firstRowOf(unit));
  }
  void
  atResult(const Unit &unit, mlir::Value i,
           llvm::function_ref<void(const Emitter::Values &)> body) override;

private:
  /// All indices but the last of a row.
  Emitter::Values position(mlir::Value row);
  mlir::Value firstRowOf(const Unit &unit);
  /// The number of rows of the block that begins at row `row`.
  mlir::Value rowsFrom(mlir::Value row);
  void shiftBlock(mlir::Value first, mlir::Value block, const Depth &depth);
  void splitLine(mlir::Value row, mlir::Value step, int64_t valid,
                 Emitter::Values to, Emitter::Values &range);
  mlir::Value wordsOf(mlir::Value panel, mlir::Value step, mlir::Value line,
                      int64_t columnHalf);
  Emitter::Values timesLeast(const Unit &unit, const Depth &depth);
  using Line = llvm::function_ref<void(mlir::Value, mlir::Value, int64_t,
                                       Emitter::Values &)>;
  Emitter::Values overLines(const Depth &depth, int64_t unroll,
                            Emitter::Values carried, Line line);
  Emitter::Values linesOf(mlir::Value step, int64_t unroll,
                          mlir::ValueRange carried, Line line);
  void dotRows(const Unit &unit, const Depth &depth, mlir::ValueRange base,
               int64_t firstRow, int64_t height);
  void fetchLine(mlir::Value panel, mlir::Value step, mlir::Value line);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_TILES_H
