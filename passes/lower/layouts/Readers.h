// The kernels that read packed weights, and the change of their layout.

#ifndef WEIR_PASSES_LOWER_LAYOUTS_READERS_H
#define WEIR_PASSES_LOWER_LAYOUTS_READERS_H

#include "dialects/kernel/Kernel.h"

namespace weir::lower {

/// The product that alone reads what `pack` writes; null if there is none.
kernel::MatmulOp productOf(mlir::Operation *pack);
/// The same for a convolution.
kernel::ConvolutionOp convolutionOf(mlir::Operation *pack);

/// Rows of a product: results of one channel.
int64_t rowsOf(mlir::Value out);
/// The type of the sums of a kernel.
mlir::Type sumOf(kernel::KernelOpInterface op);
/// The sizes of the windows of a convolution whose filter `pack` packs.
llvm::ArrayRef<int64_t> tapsOf(kernel::PackOpInterface pack);

/// Whether a value is a constant in all tasks that run its kernel.
bool isConstant(mlir::Value value);

/// Has `pack`, and the kernel that reads it, use `layout`. Elements get the
/// type `element`, or that of the layout if it is null. Returns the new pack.
kernel::PackOpInterface repack(kernel::PackOpInterface pack,
                               kernel::LayoutAttr layout,
                               mlir::Type element = {});

/// Has the kernel that reads `pack` read `weights`, which are in `layout`, and
/// erases the pack.
void replacePack(kernel::PackOpInterface pack, mlir::Value weights,
                 kernel::LayoutAttr layout);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LAYOUTS_READERS_H
