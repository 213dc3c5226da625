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

/// What the threads of a block do with a slice of both sides.
class TileThreads {
public:
  virtual ~TileThreads() = default;
  /// How many sums, of f32, a thread keeps.
  virtual int64_t sums() const = 0;
  /// The sums after the slices at the pointers have been multiplied.
  virtual llvm::SmallVector<mlir::Value>
  multiply(mlir::Value left, mlir::Value right, mlir::ValueRange sums) = 0;
  /// Hands out the sums in groups of neighbours of a row, each with its row and
  /// first column in the tile. All threads take part. A group has up to `most`
  /// neighbours, a power of two that divides the place of its first.
  virtual void
  finish(mlir::ValueRange sums, int64_t most,
         llvm::function_ref<void(mlir::Value row, mlir::Value column,
                                 llvm::ArrayRef<mlir::Value> sums)>
             group) = 0;
};

std::unique_ptr<TileThreads>
makeUnitThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                const Slice &right, mlir::Type element, mlir::Value thread);
std::unique_ptr<TileThreads>
makeFloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, mlir::Value thread);

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
