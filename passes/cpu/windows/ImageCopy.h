// Copies the images of a convolution to a buffer with a border of zeros.

#ifndef WEIR_PASSES_CPU_WINDOWS_IMAGECOPY_H
#define WEIR_PASSES_CPU_WINDOWS_IMAGECOPY_H

#include "passes/cpu/kernels/Emitter.h"
#include "passes/cpu/windows/ConvolutionBlocks.h"

namespace weir::cpu {

struct ImageCopy {
  Emitter &e;
  const ConvolutionBlocks &blocks;
  kernel::ConvolutionOp op;
  /// Of `blocks.copyType`; null before `make`.
  mlir::Value buffer;

  /// Allocates the copy, if the convolution needs one.
  void make();
  /// Fills the border of these rows with zeros.
  void clear(mlir::Value firstRow, mlir::Value endRow);
  /// Copies pixels of the image to these rows.
  void fill(mlir::Value image, mlir::Value firstRow, mlir::Value endRow);
  /// Does both for a copy of one row; threads share its pixels.
  void fillLine(mlir::Value image);

private:
  void fill(mlir::Value image, mlir::Value firstRow, mlir::Value endRow,
            mlir::Value firstColumn, mlir::Value endColumn);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_WINDOWS_IMAGECOPY_H
