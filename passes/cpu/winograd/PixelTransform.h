// Transforms squares of pixels for the products of minimal filtering.

#ifndef WEIR_PASSES_CPU_WINOGRAD_PIXELTRANSFORM_H
#define WEIR_PASSES_CPU_WINOGRAD_PIXELTRANSFORM_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// Along one axis, the tiles of results that stand `dilation` apart, and the
/// phases, of as many tiles each, with which they begin.
struct TileAxis {
  int64_t results, tile, dilation;
  int64_t phases, tiles; // of a phase

  TileAxis(int64_t results, int64_t tile, int64_t dilation);
  /// How many of its results tiles have inside, each number that occurs, the
  /// largest first.
  llvm::SmallVector<int64_t> counts() const;
};

struct PixelTransform {
  Emitter &e;
  kernel::WinogradOp op;
  kernel::MinimalWindow window;
  mlir::Value x;
  int64_t height, width, channels;
  int64_t lanes; // of a vector, by which panels of the filter are whole vectors
  TileAxis down, across;
  int64_t squaresOfImage;
  /// Of results of dynamic size, how many tiles there are along each axis, and
  /// squares of all images; else null.
  mlir::Value tilesDown, tilesAcross, actualSquares;
  /// A matrix for each sum, of groups of them: squares x products by channels,
  /// then what keeps rows off the same sets of L1.
  Emitter::Values sums;

  PixelTransform(Emitter &e, kernel::WinogradOp op,
                 const kernel::Target &target);

  /// Reads the actual size of the results, where a run has one: all images then
  /// have fewer squares, which still follow each other.
  void readSizes();

  /// Of the matrices' rows of a square.
  int64_t bytesOfSquare() const;
  /// Makes the matrices, for `block` squares.
  void makeSums(int64_t block);
  /// Makes what squares that reach past an edge need.
  void makeZeros();
  /// Transforms square `t` of the block, which is `square` of the images.
  void transform(mlir::Value t, mlir::Value square);

  /// The image of a square, and where its results begin.
  struct Place {
    mlir::Value image, y, x;
  };
  Place placeOf(mlir::Value square);

  /// Memory for elements of f32, from a line on.
  mlir::Value scratch(llvm::ArrayRef<int64_t> shape);
  /// Whether `at` is in [0, size).
  mlir::Value isInside(mlir::Value at, int64_t size);

private:
  using Pixel = llvm::function_ref<mlir::Value(int64_t, int64_t)>;

  mlir::Value zeros; // the channels of a pixel outside

  int64_t rowOf(const kernel::MinimalWindow::Group &group) const;
  bool isCovered();
  void fetchAhead(mlir::Value image, llvm::ArrayRef<mlir::Value> rows,
                  mlir::Value left);
  void eachChannels(llvm::function_ref<void(mlir::Value, int64_t)> body);
  mlir::Value pixelOrZeros(mlir::Value inside, mlir::Value image,
                           mlir::Value row, mlir::Value column);
  int64_t lanesOf(int64_t valid) const;
  void channelsOfSquare(mlir::Value t, mlir::Value channel, Pixel pixel);
};

} // namespace weir

#endif // WEIR_PASSES_CPU_WINOGRAD_PIXELTRANSFORM_H
