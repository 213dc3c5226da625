// Blocks of rows against panels of weights by tiles, and what is done with sums
// meanwhile.

#ifndef WEIR_PASSES_CPU_KERNELS_TILELOOPS_H
#define WEIR_PASSES_CPU_KERNELS_TILELOOPS_H

#include "dialects/isa/Isa.h"
#include "dialects/isa/TileRegisters.h"
#include "passes/cpu/kernels/Epilogue.h"

namespace weir {

/// Multiplies blocks of up to two tiles of rows by panels of 32 columns. Where
/// rows come from, where results go, and what is done where tiles cannot
/// multiply, is left to what derives from this.
struct TileLoops {
  /// Columns of a tile's sums, and its most rows.
  static constexpr int64_t half = TileRegisters::columns;
  static_assert(half == TileRegisters::rows);
  static constexpr int64_t side = 2 * half; // columns of a block, and most rows

  Emitter &e;
  std::unique_ptr<Isa> isa;
  std::unique_ptr<TileRegisters> registers;
  kernel::KernelOpInterface op;
  const kernel::Target &target;
  mlir::Value b, out;
  bool bytes; // tiles are of i8 and sums of i32, or of bf16 and f32
  bool dots;  // without tile registers
  mlir::Type sumType;
  int64_t columns, parts;
  int64_t stepDepth;                // of one product of tiles
  int64_t steps, panels;            // of the depth, the columns
  int64_t tall = 2, height = half;  // tiles of rows a block, and rows of each
  int64_t stepsABlock, depthBlocks; // of the depth
  // Weights of f32 come apart into tiles while the panel before them is used:
  // those of a panel, and of the next, at one depth.
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

  /// The panels from `first` to before `end` meet `count` blocks each, at least
  /// `fewest`.
  struct Panels {
    mlir::Value first, end, count;
    int64_t fewest;
  };

  /// `b` is in tiles, or of f32 in panels. `steps` are of the whole depth, and
  /// `parts` those of an element of f32.
  TileLoops(Emitter &e, kernel::KernelOpInterface op, mlir::Value b,
            mlir::Value out, const kernel::Target &target, bool dots,
            int64_t steps, int64_t parts);
  virtual ~TileLoops() = default;

  int64_t blockRows() const { return tall * height; }
  /// So that no block of the depth has more steps than `most`.
  void splitDepth(int64_t most);
  /// For the sums of so many blocks, and for weights.
  void allocateScratch(int64_t blocks);
  /// `body` with the registers as it needs them.
  void configured(llvm::function_ref<void()> body);
  /// Calls `body` for each block of the depth.
  void eachDepth(llvm::function_ref<void(const Depth &)> body);
  /// The blocks after block `first` against some panels at one depth.
  void multiply(mlir::Value first, const Panels &panels, const Depth &depth);
  /// What `multiply` has left of the last depth.
  void finishLast(mlir::Value first, const Panels &panels);
  /// Nanoseconds of so many products on a core.
  double timeOf(double products) const;
  /// Whether L2 keeps all panels, beside what meets them.
  bool panelsStay() const;
  /// Of how many blocks a panel takes no longer to multiply than to come.
  int64_t fewestBlocks() const;

protected:
  /// Loads row tile `i` of a part of the left side to a register.
  virtual void loadLeft(int tile, const Unit &unit, const Depth &depth,
                        mlir::Value step, int part, int i) = 0;
  /// The sums of a block in vector registers, by weights put together again.
  virtual void byVectors(const Unit &unit, const Depth &depth) = 0;
  virtual void byDots(const Unit &unit, const Depth &depth) = 0;
  /// Which row of a panel of f32 is the first of a step. What is past the rows
  /// of a step meets zeros.
  virtual mlir::Value weightRow(mlir::Value step) = 0;
  /// Whether all steps have as many rows.
  virtual bool hasWholeSteps() const = 0;
  /// An index into `fits`.
  virtual mlir::Value fitOf(const Unit &unit) = 0;
  /// How many rows of the block there are.
  virtual mlir::Value validRows(const Unit &unit) = 0;
  /// Calls `body` with all indices but the last of the result of row `i` of the
  /// block, if it has one.
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
  /// Stores whether all elements had magnitudes within `bounds`.
  void storeFit(mlir::ValueRange range, llvm::ArrayRef<int32_t> bounds,
                mlir::Value at);
  /// Calls `body` with each part of 32 f32 of a row of the left side, as a line
  /// of a tile.
  void eachPartOfRow(mlir::Value left, mlir::Value right,
                     llvm::function_ref<void(int64_t, mlir::Value)> body);
  /// Stores a step of a row of the left side to `split` as lines of tiles,
  /// which begin at `to`: its parts, counted by index `part` there, or, where
  /// it has none, its elements.
  void storeApart(llvm::ArrayRef<mlir::Value> halves, Emitter::Values to,
                  unsigned part);
  /// Calls `body` with each part of 16 columns of two rows of weights.
  void eachPartOfRows(mlir::Value even, mlir::Value odd,
                      llvm::function_ref<void(int64_t, mlir::Value)> body);
  /// Of 16 columns of the weights, the rows of a step that a line of its tiles
  /// holds; of f32, as many rows.
  Emitter::Values weights(mlir::Value panel, mlir::Value step, mlir::Value line,
                          int64_t columnHalf);
  /// Whether weights come apart before they are used.
  bool takesApart() const { return e.element(b).isF32(); }
  /// How many rows of the matrix lie in one line of a tile.
  int64_t rowsALine() const { return bytes ? 4 : 2; }

private:
  struct Ahead {
    mlir::Value panel, first, turn;
    int64_t turns;
    mlir::Value here, there; // in `ready`: this panel, and that one
  };
  /// Rows of weights that are fetched, from one on.
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

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_TILELOOPS_H
