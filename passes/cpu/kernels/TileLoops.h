// Multiplies blocks of rows by panels of weights with tile registers, and
// finishes sums meanwhile.

#ifndef WEIR_PASSES_CPU_KERNELS_TILELOOPS_H
#define WEIR_PASSES_CPU_KERNELS_TILELOOPS_H

#include "dialects/isa/Isa.h"
#include "dialects/isa/TileRegisters.h"
#include "dialects/kernel/schedule/tiles/TilesShape.h"
#include "passes/cpu/kernels/Epilogue.h"

namespace weir::cpu {

/// Multiplies blocks of up to two tiles of rows by panels of 32 columns.
/// Derived classes define the source of rows, the destination of results, and
/// the computation without tiles.
struct TileLoops {
  static constexpr int64_t half = kernel::TilesShape::half;
  static constexpr int64_t side = kernel::TilesShape::side;
  static_assert(half == TileRegisters::columns && half == TileRegisters::rows);

  Emitter &e;
  std::unique_ptr<Isa> isa;
  std::unique_ptr<TileRegisters> registers;
  kernel::KernelOpInterface op;
  const kernel::Target &target;
  const kernel::TilesShape shape;
  const kernel::TilesSchedule schedule;
  mlir::Value b, out;
  bool bytes; // tiles are i8 and sums i32, or bf16 and f32
  bool dots;  // without tile registers
  mlir::Type sumType;
  int64_t columns, parts;
  int64_t stepDepth;     // of one product of tiles
  int64_t steps, panels; // of the depth, of the columns
  int64_t tall, height;  // tiles of rows in a block, and rows of each
  int64_t stepsABlock, depthBlocks; // of the depth
  int64_t blocks;                   // of rows, in a product or an image
  EvenSplit slabs = {1, 1};         // of blocks
  // f32 weights are split into bf16 tiles while the panel before them is used.
  // This buffer has the tiles of this panel and of the next one, at one part of
  // the depth.
  mlir::Value ready;
  // The parts of the left side, for some blocks of rows whether they are its
  // whole, and sums: of all blocks where those of the depth are several, else
  // of one block and the one before it.
  mlir::Value split, fits, sums;
  mlir::Value
      partial; // the sums of a block of the depth, before they are added

  struct Depth {
    mlir::Value first; // step
    int64_t count;     // of steps
    bool begins, ends;
  };

  /// Block `block` after block `first`, a panel, and where their sums are if
  /// not those of all blocks wait.
  struct Unit {
    mlir::Value first, block, panel, slot;
  };

  /// The panels from `first` to before `end`. Each is multiplied by `count`
  /// blocks, at least `fewest`.
  struct Panels {
    mlir::Value first, end, count;
    int64_t fewest;
  };

  /// `op` has a schedule. `b` is in tiles, or of f32 in panels.
  TileLoops(Emitter &e, kernel::KernelOpInterface op, mlir::Value b,
            mlir::Value out, const kernel::TilesShape &shape,
            const kernel::Target &target);
  virtual ~TileLoops() = default;

  int64_t blockRows() const { return tall * height; }
  /// Allocates sums for so many blocks, and tiles of weights.
  void allocateScratch(int64_t blocks);
  /// Emits `body` with the tile registers configured.
  void configured(llvm::function_ref<void()> body);
  /// Calls `body` for each block of the depth.
  void eachDepth(llvm::function_ref<void(const Depth &)> body);
  /// Multiplies the blocks from `first` on by some panels, at one part of the
  /// depth.
  void multiply(mlir::Value first, const Panels &panels, const Depth &depth);
  /// Finishes the sums that the last `multiply` has left.
  void finishLast(mlir::Value first, const Panels &panels);
  /// Shares the slabs of all images, or the panels, as the schedule has it.
  /// `body` computes slabs with some panels, both from a first to before an
  /// end.
  void eachShare(int64_t images,
                 llvm::function_ref<void(mlir::Value, mlir::Value, mlir::Value,
                                         mlir::Value)>
                     body);

protected:
  /// Loads row tile `i` of part `part` of the left side to a register.
  virtual void loadLeft(int tile, const Unit &unit, const Depth &depth,
                        mlir::Value step, int part, int i) = 0;
  /// Computes the sums of a block in vector registers, from recombined weights.
  virtual void byVectors(const Unit &unit, const Depth &depth) = 0;
  virtual void byDots(const Unit &unit, const Depth &depth) = 0;
  /// The row of a panel of f32 at which a step begins. Rows after those of the
  /// step are multiplied by zeros.
  virtual mlir::Value weightRow(mlir::Value step) = 0;
  /// Whether all steps have equally many rows.
  virtual bool hasWholeSteps() const = 0;
  /// An index into `fits`.
  virtual mlir::Value fitOf(const Unit &unit) = 0;
  /// The number of rows of the block.
  virtual mlir::Value validRows(const Unit &unit) = 0;
  /// Calls `body` with all indices but the last of the result of row `i` of the
  /// block, unless the row is padding.
  virtual void
  atResult(const Unit &unit, mlir::Value i,
           llvm::function_ref<void(const Emitter::Values &)> body) = 0;

  mlir::Value word(int64_t value);
  mlir::Value words(int64_t value) { return e.splat(word(value), half); }
  Emitter::Values sumsOf(const Unit &unit);
  /// The least and the largest magnitude but 0 of elements, as bits, with those
  /// of `x`; of integers their values.
  void addToRange(Emitter::Values &range, mlir::Value x);
  Emitter::Values emptyRange();
  /// Stores whether all magnitudes are within `bounds`.
  void storeFit(mlir::ValueRange range, llvm::ArrayRef<int32_t> bounds,
                mlir::Value at);
  /// Calls `body` with each bf16 part of 32 f32 elements of the left side, as a
  /// row of a tile.
  void eachPartOfRow(mlir::Value left, mlir::Value right,
                     llvm::function_ref<void(int64_t, mlir::Value)> body);
  /// Stores a step of a row of the left side to `split` at `to`, as rows of
  /// tiles: its bf16 parts, at index `part` of `to`, or its elements if they
  /// need no split.
  void storeApart(llvm::ArrayRef<mlir::Value> halves, Emitter::Values to,
                  unsigned part);
  /// Calls `body` with each bf16 part of 16 columns of two rows of weights.
  void eachPartOfRows(mlir::Value even, mlir::Value odd,
                      llvm::function_ref<void(int64_t, mlir::Value)> body);
  /// For 16 columns of the weights, the rows of a step that share a row of a
  /// tile. For f32 it returns as many rows of the panel.
  Emitter::Values weights(mlir::Value panel, mlir::Value step, mlir::Value line,
                          int64_t columnHalf);
  /// Whether weights are split before their use.
  bool takesApart() const { return shape.splitsWeights; }
  /// The number of matrix rows in one row of a tile.
  int64_t rowsALine() const { return bytes ? 4 : 2; }

private:
  struct Ahead {
    mlir::Value panel, first, turn;
    int64_t turns;
    // the indices of this panel and the next one in `ready`
    mlir::Value here, there;
  };
  /// Rows of weights to prefetch, from one on.
  struct Far {
    mlir::Value panel, row;
  };
  using Rows = llvm::function_ref<void(mlir::Value, mlir::Value)>;

  Unit unitOf(mlir::Value first, mlir::Value block, mlir::Value panel,
              mlir::Value count);
  Ahead aheadOf(const Unit &unit, const Panels &panels, const Depth &depth);
  void multiplyBlock(const Unit &unit, const Depth &depth, const Panels &panels,
                     const Unit &previous, mlir::Value before);
  void byTiles(const Unit &unit, const Depth &depth, const Panels &panels,
               Rows meanwhile);
  void fetchAhead(const Ahead &ahead, mlir::Value step, const Depth &depth,
                  int64_t made, int64_t all);
  void takeParts(mlir::Value x, mlir::Value y, bool rounds,
                 llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> join,
                 llvm::function_ref<void(int64_t, mlir::Value)> body);
  Far farFrom(const Ahead &ahead, const Panels &panels, mlir::Value step,
              const Depth &depth);
  void takeLine(const Ahead &ahead, const Far &far, mlir::Value step,
                mlir::Value line, int64_t columnHalf);
  void takeAhead(const Ahead &ahead, const Far &far, mlir::Value step,
                 int64_t made, int64_t all);
  void takeAll(const Ahead &ahead, const Panels &panels, const Depth &depth);
  void addPartial(const Unit &unit);
  void eachRow(const Unit &unit, mlir::Value low, mlir::Value high,
               int64_t valid,
               llvm::function_ref<void(mlir::Value, const Tile &)> body);
  void finish(const Unit &unit, mlir::Value low, mlir::Value high,
              int64_t valid);
  void finish(const Unit &unit, mlir::Value low, mlir::Value high);
  void fetchResults(const Unit &unit, mlir::Value low, mlir::Value high);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_TILELOOPS_H
