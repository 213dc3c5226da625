// A product by tiles: its sizes, its scratch, and what is done to one block, by
// the tiles of Intel AMX or by the dot products of AVX-512 VNNI and BF16.

#ifndef WEIR_PASSES_CPU_KERNELS_TILES_H
#define WEIR_PASSES_CPU_KERNELS_TILES_H

#include "passes/cpu/kernels/TileRegisters.h"

namespace weir {

struct TileProduct {
  static constexpr int64_t side = 32; // columns of a block, and most rows
  static constexpr int64_t half = 16; // columns of a tile's sums, and most rows
  /// Blocks of the depth for dot products where a block of rows is alone.
  static constexpr int64_t fewDepths = 3;

  Emitter &e;
  TileRegisters registers{e};
  kernel::MatmulOp op;
  mlir::Value a, b, out;
  bool bytes; // tiles are of i8 and sums of i32, or of bf16 and f32
  bool dots;  // without tile registers
  mlir::Type sumType;
  int64_t rows = 1, columns, depth, parts;
  int64_t tall, height;          // tiles of rows a block, and rows of each
  int64_t stepDepth;             // of one product of tiles
  int64_t steps, panels, blocks; // of the depth, the columns, the rows
  int64_t grains = 1;            // of whole blocks, in a wave by rows
  int64_t stepsABlock, depthBlocks;
  // The parts of a slab of A, for each of its blocks whether they are its
  // whole, and sums: of all blocks where those of the depth are several, else
  // of one block and the one before it.
  mlir::Value split, fits, sums;
  mlir::Value slot; // of the two, that of the block at hand
  // Of a block for dot products of bytes, what these are the distances from.
  mlir::Value least;

  struct Depth {
    mlir::Value first; // step
    int64_t count;     // of steps
    bool begins, ends;
  };

  /// What comes into L2 meanwhile: the next panel, from step `first` on, by
  /// `turns` blocks or more, of which this is block `turn`.
  struct Ahead {
    mlir::Value panel, first, turn;
    int64_t turns;
  };

  /// Calls back for so many rows of a block, from the first argument to before
  /// the second: in each step for some, so that vector registers are at work
  /// while tiles are multiplied.
  using Rows = llvm::function_ref<void(mlir::Value, mlir::Value)>;

  TileProduct(Emitter &e, kernel::MatmulOp op, const kernel::Target &target,
              bool dots);

  /// Takes block `block` of the slab that begins with block `first` apart, at
  /// this depth.
  void splitBlock(mlir::Value first, mlir::Value block, const Depth &depth);
  /// The sums of one block of rows against one panel, by tiles, or in vector
  /// registers by weights put together again.
  void byTiles(mlir::Value block, mlir::Value panel, const Depth &depth,
               const Ahead &ahead, Rows meanwhile);
  void byDots(mlir::Value block, mlir::Value panel, const Depth &depth);
  void byVectors(mlir::Value first, mlir::Value block, mlir::Value panel,
                 const Depth &depth);

  mlir::Value word(int64_t value);
  int64_t blockRows() const { return tall * height; }
  Emitter::Values sumsOf(mlir::Value block, mlir::Value panel);
  /// All indices but the last of a row.
  Emitter::Values place(mlir::Value row);
  /// How many rows there are in the block that begins with row `row`.
  mlir::Value validRows(mlir::Value row);

private:
  void splitRows(int64_t threads);
  mlir::Value words(int64_t value) { return e.splat(word(value), half); }
  void fetchAhead(const Ahead &ahead, mlir::Value step, const Depth &depth,
                  int64_t made, int64_t all);
  void shiftBlock(mlir::Value first, mlir::Value block, const Depth &depth);
  void splitLine(mlir::Value row, mlir::Value step, int64_t valid,
                 Emitter::Values to, Emitter::Values &range);
  mlir::Value nextPart(mlir::MutableArrayRef<mlir::Value> halves, int64_t i);
  mlir::Value wordsOf(mlir::Value panel, mlir::Value step, mlir::Value line,
                      int64_t columnHalf);
  Emitter::Values timesLeast(mlir::Value block, mlir::Value panel,
                             const Depth &depth);
  using Line = llvm::function_ref<void(mlir::Value, mlir::Value, int64_t,
                                       Emitter::Values &)>;
  Emitter::Values overLines(const Depth &depth, int64_t unroll,
                            Emitter::Values carried, Line line);
  Emitter::Values linesOf(mlir::Value step, int64_t unroll,
                          mlir::ValueRange carried, Line line);
  void dotRows(mlir::Value block, mlir::Value panel, const Depth &depth,
               mlir::ValueRange base, int64_t firstRow, int64_t height);
  void fetchLine(mlir::Value panel, mlir::Value step, mlir::Value line);
  Emitter::Values weights(mlir::Value panel, mlir::Value line,
                          int64_t columnHalf);
  /// How many rows of the matrix lie in one line of a tile.
  int64_t rowsALine() const { return bytes ? 4 : 2; }
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_TILES_H
