// Products of matrices, and what can be brought into their form, by tiles.

#ifndef WEIR_PASSES_GPU_KERNELS_PRODUCTS_H
#define WEIR_PASSES_GPU_KERNELS_PRODUCTS_H

#include "passes/gpu/kernels/Stages.h"

#include <memory>

namespace weir::gpu {

/// What multiplies: units for matrices of 16-bit floats or of tf32, or threads.
enum class Multiplier { Halves, Tf32, Threads };

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

  int64_t threads() const { return warpsDown * warpsAcross * warp; }
};

/// Elements along the depth of a slice: 64 bytes.
int64_t depthOfSlice(Multiplier multiplier);
/// The tiles that a GPU of `processors` processors should do the product with
/// in the least time, by an estimate.
Tiling chooseTiling(const ProductSizes &sizes, Multiplier multiplier,
                    int64_t processors);
/// The processors of the oldest GPU that the op is compiled for.
int64_t processorsOf(mlir::Operation *inside);

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
  /// Of how many rows they are, and of which of these sum number `i` is.
  virtual int64_t rows() const = 0;
  virtual int64_t rowOf(int64_t i) const = 0;
  /// How many lanes, neighbours from a multiple of their number on, have the
  /// sums of a row, where one warp is across the tile.
  virtual int64_t lanesOfRow() const = 0;
  /// The sums after the slices at the pointers have been multiplied.
  virtual llvm::SmallVector<Value> multiply(Value left, Value right,
                                            mlir::ValueRange sums) = 0;
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
  /// Hands out the sums in groups of neighbours of a row, each with its row and
  /// first column in the tile, one row after the other. All threads take part.
  /// A group has up to `most` neighbours, a power of two that divides the place
  /// of its first.
  virtual void finish(mlir::ValueRange sums, int64_t most,
                      llvm::function_ref<void(Value row, Value column,
                                              llvm::ArrayRef<Value> sums)>
                          group) = 0;
};

/// Of units, `right` may not have tf32 by depth where the left side is held.
std::unique_ptr<TileThreads>
makeUnitThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                const Slice &right, mlir::Type element, mlir::Value thread);
std::unique_ptr<TileThreads>
makeFloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, mlir::Value thread);

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
