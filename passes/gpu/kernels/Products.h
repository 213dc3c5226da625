// Computes matrix products, and kernels of that form, by tiles.

#ifndef WEIR_PASSES_GPU_KERNELS_PRODUCTS_H
#define WEIR_PASSES_GPU_KERNELS_PRODUCTS_H

#include "passes/gpu/kernels/Stages.h"

#include <memory>

namespace weir::gpu {

/// The hardware that multiplies: tensor cores for f16 and bf16, synchronous
/// (mma.sync) or asynchronous by four warps (wgmma); tensor cores for tf32; or
/// scalar threads.
enum class Multiplier { Float16, GroupFloat16, Tf32, Threads };

/// The dimensions of a product.
struct ProductSizes {
  int64_t batches, rows, columns, depth;
};

/// The tile of a block, and how its threads share it.
struct Tiling {
  int64_t rows, columns;
  /// Warps along each side of the tile.
  int64_t warpsDown, warpsAcross;
  /// Blocks that share the depth of a tile, each with `steps` slices.
  int64_t splits, steps;
  Multiplier multiplier = Multiplier::Threads;
  /// The slices in shared memory at one time.
  int64_t stages = usualStages;

  int64_t threads() const { return warpsDown * warpsAcross * warp; }
};

/// The depth of a slice in elements: 64 bytes, or 128 for wgmma.
int64_t depthOfSlice(Multiplier multiplier);

/// The properties of the GPU that determine tilings.
struct Gpu {
  int64_t processors;
  /// Whether it has wgmma.
  bool hasGroups;
};
/// The oldest GPU for which the op is compiled.
Gpu gpuOf(mlir::Operation *inside);
/// Chooses the tiling with the lowest estimated time. For 16-bit floats it may
/// change the multiplier to wgmma. `byChunks`: both sides can be copied in
/// whole chunks of 16 bytes.
Tiling chooseTiling(const ProductSizes &sizes, Multiplier multiplier,
                    const Gpu &gpu, bool byChunks);

/// A value of a tile, and its row and column there.
struct Placed {
  mlir::Value value, row, column;
};

/// How the threads of a block multiply a slice of both sides.
class TileThreads {
public:
  using Value = mlir::Value;

  virtual ~TileThreads() = default;
  /// The number of f32 sums of a thread.
  virtual int64_t sums() const = 0;
  /// Makes the thread's copies visible to the tensor cores, before the barrier.
  virtual void publish() {}
  /// Multiplies the slices at the pointers and returns the sums. If `isAsync`,
  /// they may only be passed to this function again until `wait`.
  virtual llvm::SmallVector<Value> multiply(Value left, Value right,
                                            mlir::ValueRange sums) = 0;
  virtual bool isAsync() const { return false; }
  /// Waits until at most the last slice is still being multiplied.
  virtual void waitForOthers() {}
  /// Waits for all slices and returns the sums.
  virtual llvm::SmallVector<Value> wait(mlir::ValueRange sums) {
    return llvm::SmallVector<Value>(sums);
  }
  /// Passes the sums to `group`, in groups of adjacent elements of a row with
  /// the row and first column in the tile, row after row. All threads take
  /// part. A group has up to `most` elements, a power of two that divides its
  /// first column.
  virtual void finish(mlir::ValueRange sums, int64_t most,
                      llvm::function_ref<void(Value row, Value column,
                                              llvm::ArrayRef<Value> sums)>
                          group) = 0;
};

/// Threads whose sums can become the left side of another product.
class HoldingThreads : public TileThreads {
public:
  /// The number of rows that a thread's sums belong to, and the row of sum `i`.
  virtual int64_t rows() const = 0;
  virtual int64_t rowOf(int64_t i) const = 0;
  /// The number of adjacent lanes that have the sums of a row, if one warp
  /// spans the tile. The first lane is a multiple of it.
  virtual int64_t lanesOfRow() const = 0;
  /// Turns values of another tile with the same rows, in the order of `finish`,
  /// into the left side of this product. `scratch` is shared memory for the
  /// left slice.
  virtual llvm::SmallVector<Value> hold(llvm::ArrayRef<Placed> values,
                                        Value scratch) = 0;
  /// Multiplies the left side from `hold`, from depth `begin` on, by the right
  /// slice. The threads have passed a barrier before.
  virtual llvm::SmallVector<Value> multiplyHeld(mlir::ValueRange held,
                                                int64_t begin, Value right,
                                                mlir::ValueRange sums) = 0;
};

/// With tensor cores and a left side from `hold`, `right` may not be tf32 by
/// depth.
std::unique_ptr<HoldingThreads>
makeUnitThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                const Slice &right, mlir::Type element, mlir::Value thread);
std::unique_ptr<HoldingThreads>
makeFloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, mlir::Value thread);
/// Groups of four warps in a column, whose slices are in parts.
std::unique_ptr<TileThreads>
makeGroupThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, mlir::Type element, mlir::Value thread);

/// The last two dimensions of a buffer as a side of a product.
Side sideOf(mlir::Value memory, bool depthIsLast,
            llvm::function_ref<Position(mlir::Value, mlir::Value, mlir::Value)>
                position);

/// A matrix product whose operands are addressed by functions.
struct TiledProduct {
  ProductSizes sizes;
  mlir::Type sumType;
  Side left, right;
  /// Stores adjacent sums of a row, from the given column on.
  llvm::function_ref<void(mlir::Value batch, mlir::Value row,
                          mlir::Value column, llvm::ArrayRef<mlir::Value> sums)>
      finish;

  /// Whether tiles keep the blocks busy.
  bool isWorthTiles() const;
  /// Computes each tile of the result by a block of threads, with slices of
  /// both sides in shared memory.
  void share(ThreadBuilder &b) const;

private:
  /// Copies slices asynchronously while others are multiplied; sums are f32.
  void shareStages(ThreadBuilder &b, Multiplier multiplier) const;
  /// Copies and multiplies one slice at a time, for any types.
  void shareSlices(ThreadBuilder &b) const;
  /// Adds the partial sums of blocks that share the depth of a tile.
  void addSplits(ThreadBuilder &b, mlir::Value parts, int64_t splits) const;
};

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_PRODUCTS_H
