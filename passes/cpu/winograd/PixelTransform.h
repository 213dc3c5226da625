// Transforms the input tiles of a Winograd convolution.

#ifndef WEIR_PASSES_CPU_WINOGRAD_PIXELTRANSFORM_H
#define WEIR_PASSES_CPU_WINOGRAD_PIXELTRANSFORM_H

#include "dialects/kernel/schedule/winograd/WinogradShape.h"
#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

struct PixelTransform : kernel::WinogradShape {
  Emitter &e;
  kernel::WinogradOp op;
  mlir::Value x;
  int64_t height, width;
  /// For results of dynamic size, the number of tiles along each axis, and of
  /// all images; else null.
  mlir::Value tilesDown, tilesAcross, actualTiles;
  /// A matrix for each sum, in groups: input tiles x products by channels, with
  /// padding after each row.
  Emitter::Values sums;

  PixelTransform(Emitter &e, kernel::WinogradOp op,
                 const kernel::Target &target);

  /// Reads the run-time size of the results, if it is dynamic. Images then have
  /// fewer tiles, which are still contiguous.
  void readSizes();

  /// Allocates the matrices for `block` tiles.
  void makeSums(int64_t block);
  /// Allocates zeros for tiles that extend past an edge.
  void makeZeros();
  /// Transforms tile `t` of the block, which is tile `input tile` of the
  /// images.
  void transform(mlir::Value t, mlir::Value inputTile);

  /// The image of a tile, and the position of its first result.
  struct Origin {
    mlir::Value image, y, x;
  };
  Origin originOf(mlir::Value inputTile);

  /// Allocates f32 memory, aligned to a cache line.
  mlir::Value scratch(llvm::ArrayRef<int64_t> shape);
  /// Whether `at` is in [0, size).
  mlir::Value isInside(mlir::Value at, int64_t size);

private:
  using Pixel = llvm::function_ref<mlir::Value(int64_t, int64_t)>;

  mlir::Value zeros; // the channels of a pixel outside

  bool isCovered();
  void fetchAhead(mlir::Value image, llvm::ArrayRef<mlir::Value> rows,
                  mlir::Value left);
  void eachChannels(llvm::function_ref<void(mlir::Value, int64_t)> body);
  mlir::Value pixelOrZeros(mlir::Value inside, mlir::Value image,
                           mlir::Value row, mlir::Value column);
  int64_t lanesOf(int64_t valid) const;
  void channelsOfTile(mlir::Value t, mlir::Value channel, Pixel pixel);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_WINOGRAD_PIXELTRANSFORM_H
