// Windows that slide along the spatial dimensions of images.

#ifndef WEIR_COMPILER_REFERENCE_WINDOWS_H
#define WEIR_COMPILER_REFERENCE_WINDOWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace weir::reference {

int64_t product(llvm::ArrayRef<int64_t> sizes);

/// The windows of an op that slides along the spatial dimensions of an image.
/// There is a number for each of them. A window of 1 tap has dilation 1.
struct Windows {
  llvm::ArrayRef<int64_t> image;   // pixels
  llvm::ArrayRef<int64_t> results; // positions of the window
  llvm::ArrayRef<int64_t> window;  // taps
  llvm::ArrayRef<int64_t> strides, padding, dilations;

  /// Calls `body(position, tap, pixel)` for each tap that is inside the image.
  /// The arguments are row-major indices of a result, a tap and a pixel.
  void
  forEachTap(llvm::function_ref<void(int64_t, int64_t, int64_t)> body) const;
};

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_WINDOWS_H
