// Products of matrices, and what can be brought into their form, by tiles.

#ifndef WEIR_PASSES_GPU_KERNELS_PRODUCTS_H
#define WEIR_PASSES_GPU_KERNELS_PRODUCTS_H

#include "passes/gpu/kernels/Stages.h"

#include <memory>

namespace weir::gpu {

/// What multiplies: units for matrices of 16-bit floats, which a warp waits for
/// (mma.sync) or groups of four warps do not (wgmma), or of tf32; or threads.
enum class Multiplier { Halves, GroupHalves, Tf32, Threads };

/// The sizes of a product, and how it is shared.
struct ProductSizes {
  int64_t batches, rows, columns, depth;
};

/// A block's part of a product.
struct Tiling {
  int64_t rows, columns;
  /// Warps along each side of the tile.
  int64_t warpsDown, warpsAcross;
  /// Blocks that share the depth of a tile, each of which does `steps` slices.
  int64_t splits, steps;
  Multiplier multiplier = Multiplier::Threads;
  /// The slices that are in shared memory at once.
  int64_t stages = usualStages;

  int64_t threads() const { return warpsDown * warpsAcross * warp; }
};

/// Elements along the depth of a slice: 64 bytes, for groups of warps 128.
int64_t depthOfSlice(Multiplier multiplier);

/// The GPU that tiles are made for.
struct Gpu {
  int64_t processors;
  /// Whether it has units that groups of warps do not wait for.
  bool hasGroups;
};
/// The oldest GPU that the op is compiled for.
Gpu gpuOf(mlir::Operation *inside);
/// The tiles that a GPU should do the product with in the least time, by an
/// estimate. Of 16-bit floats groups of warps may multiply instead. `byChunks`
/// says whether all of both sides is copied by whole chunks.
Tiling chooseTiling(const ProductSizes &sizes, Multiplier multiplier,
                    const Gpu &gpu, bool byChunks);

/// A value of a tile.
struct Placed {
  mlir::Value value, row, column;
};

/// What the threads of a block do with a slice of both sides.
class TileThreads {
public:
  using Value = mlir::Value;

  virtual ~TileThreads() = default;
  /// How many sums, of f32, a thread keeps.
  virtual int64_t sums() const = 0;
  /// Makes what the thread has copied known to what multiplies, before the
  /// threads meet.
  virtual void publish() {}
  /// The sums after the slices at the pointers have been multiplied; where
  /// `isAsync` nothing may be done with them, but this again, before `wait`.
  virtual llvm::SmallVector<Value> multiply(Value left, Value right,
                                            mlir::ValueRange sums) = 0;
  virtual bool isAsync() const { return false; }
  /// Waits until no more than the last slice is still multiplied.
  virtual void waitForOthers() {}
  /// The sums once all slices have been multiplied.
  virtual llvm::SmallVector<Value> wait(mlir::ValueRange sums) {
    return llvm::SmallVector<Value>(sums);
  }
  /// Hands out the sums in groups of neighbours of a row, each with its row and
  /// first column in the tile, one row after the other. All threads take part.
  /// A group has up to `most` neighbours, a power of two that divides the place
  /// of its first.
  virtual void finish(mlir::ValueRange sums, int64_t most,
                      llvm::function_ref<void(Value row, Value column,
                                              llvm::ArrayRef<Value> sums)>
                          group) = 0;
};

/// Threads whose sums can be a side of another product.
class HoldingThreads : public TileThreads {
public:
  /// Of how many rows a thread's sums are, and of which of these number `i` is.
  virtual int64_t rows() const = 0;
  virtual int64_t rowOf(int64_t i) const = 0;
  /// How many lanes, neighbours from a multiple of their number on, have the
  /// sums of a row, where one warp is across the tile.
  virtual int64_t lanesOfRow() const = 0;
  /// Makes values at a thread's sums of another tile with the same rows, as
  /// `finish` hands them out, this product's left side. `scratch` is shared
  /// memory for the left slice.
  virtual llvm::SmallVector<Value> hold(llvm::ArrayRef<Placed> values,
                                        Value scratch) = 0;
  /// The sums after what is held, from depth `begin` on, has been multiplied by
  /// the right slice, once the threads have met.
  virtual llvm::SmallVector<Value> multiplyHeld(mlir::ValueRange held,
                                                int64_t begin, Value right,
                                                mlir::ValueRange sums) = 0;
};

/// Of units, `right` may not have tf32 by depth where the left side is held.
std::unique_ptr<HoldingThreads>
makeUnitThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                const Slice &right, mlir::Type element, mlir::Value thread);
std::unique_ptr<HoldingThreads>
makeFloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, mlir::Value thread);
/// Groups of four warps, one above the other, whose slices are in parts.
std::unique_ptr<TileThreads>
makeGroupThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, mlir::Type element, mlir::Value thread);

/// A matrix of the last two dimensions, as a side of a product.
Side sideOf(
    mlir::Value memory, bool depthIsLast,
    llvm::function_ref<Place(mlir::Value, mlir::Value, mlir::Value)> place);

/// A product of matrices whose elements are found where they are needed.
struct TiledProduct {
  ProductSizes sizes;
  mlir::Type sumType;
  Side left, right;
  /// Takes sums of neighbours in a row, from the column on.
  llvm::function_ref<void(mlir::Value batch, mlir::Value row,
                          mlir::Value column, llvm::ArrayRef<mlir::Value> sums)>
      finish;

  /// Whether blocks have enough to do.
  bool isWorthTiles() const;
  /// A block of threads for each tile of the result, which keeps its part of
  /// both sides in shared memory.
  void share(ThreadBuilder &b) const;

private:
  /// Slices are on their way while others are multiplied; sums are of f32.
  void shareStages(ThreadBuilder &b, Multiplier multiplier) const;
  /// A slice after the other, of elements and sums of any types.
  void shareSlices(ThreadBuilder &b) const;
  /// Adds up what the blocks that share a tile's depth have left.
  void addSplits(ThreadBuilder &b, mlir::Value parts, int64_t splits) const;
};

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_PRODUCTS_H
