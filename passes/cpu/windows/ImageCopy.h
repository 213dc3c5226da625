// Copies the images of a convolution into a buffer with a border of zeros.

#ifndef WEIR_PASSES_CPU_WINDOWS_IMAGECOPY_H
#define WEIR_PASSES_CPU_WINDOWS_IMAGECOPY_H

#include "passes/cpu/kernels/Emitter.h"
#include "passes/cpu/windows/ConvolutionBlocks.h"

namespace weir {

struct ImageCopy {
  Emitter &e;
  const ConvolutionBlocks &blocks;
  kernel::ConvolutionOp op;
  /// Of `blocks.copyType`; null until it is made.
  mlir::Value buffer;

  /// Makes the copy, where the convolution needs one.
  void make();
  /// Fills these rows of the copy with zeros, but for what an image fills.
  void clear(mlir::Value firstRow, mlir::Value endRow);
  /// Fills these rows of the copy with their pixels of the image.
  void fill(mlir::Value image, mlir::Value firstRow, mlir::Value endRow);
  /// Both for the one row that the copy has; threads share its pixels.
  void fillLine(mlir::Value image);

private:
  void fill(mlir::Value image, mlir::Value firstRow, mlir::Value endRow,
            mlir::Value firstColumn, mlir::Value endColumn);
};

} // namespace weir

#endif // WEIR_PASSES_CPU_WINDOWS_IMAGECOPY_H
