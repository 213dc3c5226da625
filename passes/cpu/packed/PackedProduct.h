// The common loops of products with weights of few bits.

#ifndef WEIR_PASSES_CPU_PACKED_PACKEDPRODUCT_H
#define WEIR_PASSES_CPU_PACKED_PACKEDPRODUCT_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/kernel/Packed.h"

namespace weir::cpu {

/// Emits the loops, from the outside: work items of some panels, tiles of rows,
/// panels, blocks.
struct PackedProduct {
  Emitter &e;
  kernel::PackedMatmulOp op;
  kernel::PackedWeights layout;
  mlir::Type f32, i32;
  int64_t rows, lanes;
  int64_t vectors; // of a group of columns
  EvenSplit tiles; // of the rows

  /// Tiles have up to `maxRows` rows, and up to `sums` vectors of sums.
  PackedProduct(Emitter &e, kernel::PackedMatmulOp op,
                const kernel::Target &target, int64_t maxRows, int64_t sums);
  virtual ~PackedProduct() = default;

  void run();

  /// Columns that are computed together, from column `first` of the panel on.
  struct Group {
    mlir::Value panel, first;
    int64_t vectors, height;
  };

  /// Allocates memory for a tile of A.
  virtual void allocate(int64_t height) = 0;
  /// Prepares `height` rows of A from row `row` on.
  virtual void prepare(mlir::Value row, int64_t height) = 0;
  /// Adds the scaled products of a block of `count` rows to `totals`, ordered
  /// by row and then vector.
  virtual Emitter::Values addBlock(const Group &group, mlir::Value block,
                                   int64_t count, Emitter::Values totals) = 0;

protected:
  mlir::Value number(float value);
  mlir::Value integers(int32_t value); // a vector of it
  /// The sum, or the maximum, of all lanes.
  mlir::Value
  joined(mlir::Value vector,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> join);

  /// `lanes` elements of `type` of the weights, from `at` of the panel on,
  /// where the group's vector 0 begins: those of vector `v`.
  mlir::Value load(mlir::Value panel, mlir::Value at, int64_t v,
                   mlir::Type type);
  /// Scales and zero points of a block's record, as f32.
  Emitter::Values scales(const Group &group, mlir::Value record);
  Emitter::Values zeros(const Group &group, mlir::Value record);
  /// Word `word` of each column; prefetches later words.
  Emitter::Values words(const Group &group, mlir::Value record,
                        mlir::Value word);

private:
  void panels(mlir::Value first, mlir::Value end, mlir::Value row,
              int64_t height);
  void panel(mlir::Value panel, mlir::Value row, int64_t height, int64_t valid);
  void group(const Group &group, mlir::Value row, int64_t valid);
};

/// Whether A may be quantized, and the target has dot products of bytes.
bool multipliesPackedIntegers(kernel::PackedMatmulOp op,
                              const kernel::Target &target);
void emitPackedIntegers(Emitter &e, kernel::PackedMatmulOp op,
                        const kernel::Target &target);
/// Unpacks to f32.
void emitPackedFloats(Emitter &e, kernel::PackedMatmulOp op,
                      const kernel::Target &target);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PACKED_PACKEDPRODUCT_H
