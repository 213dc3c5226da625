// The layouts of weights (#kernel.layout): their kinds, and the interface that
// each implements in a file of layouts/.

#ifndef WEIR_DIALECTS_KERNEL_LAYOUT_H
#define WEIR_DIALECTS_KERNEL_LAYOUT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpImplementation.h"
#include <array>

namespace weir::kernel {

enum class LayoutKind {
#define WEIR_LAYOUT(kind, name) kind,
#include "dialects/kernel/Layouts.def"
};

class LayoutFormat;

} // namespace weir::kernel

#define GET_ATTRDEF_CLASSES
#include "dialects/kernel/KernelAttrs.h.inc"

namespace weir::kernel {

/// Weights without a layout: for each index of `batches`, each group and each
/// tap a matrix of `depth` rows and `columns` columns. A product has no taps.
struct WeightsShape {
  llvm::SmallVector<int64_t> batches;
  int64_t groups = 1;
  llvm::SmallVector<int64_t> taps;
  int64_t depth = 0, columns = 0;
};

/// A kernel that reads weights, or a pack that writes them.
struct LayoutUser {
  enum Kind { Matmul, Convolution, Depthwise, Pack };
  Kind kind;
  WeightsShape weights;
  mlir::Type stored;              // elements of the weights, as packed
  mlir::Type left = {}, sum = {}; // null for a pack
  bool isUnsigned = false, transposesLeft = false;
};

/// A memory format of weights. A new layout is a subclass in a file of
/// layouts/, and a line of Layouts.def.
class LayoutFormat {
public:
  virtual ~LayoutFormat() = default;

  /// Whether an attribute of this kind may have these numbers.
  virtual bool acceptsNumbers(llvm::ArrayRef<int64_t> numbers) const {
    return numbers.empty();
  }
  /// Whether such a kernel reads the layout, or such a pack writes it.
  virtual bool serves(LayoutAttr layout, const LayoutUser &user) const = 0;
  /// The shape of packed weights. It is empty if a size overflows.
  virtual llvm::SmallVector<int64_t>
  shapeOf(LayoutAttr layout, const WeightsShape &weights) const = 0;
};

/// Checks that `user`, which is `op`, can use weights of this type in the
/// layout.
mlir::LogicalResult verifyLayout(mlir::Operation *op, LayoutAttr layout,
                                 mlir::ShapedType packed,
                                 const LayoutUser &user);

/// The shape of panels of `width` columns.
llvm::SmallVector<int64_t> panelsShape(const WeightsShape &weights,
                                       int64_t width);

#define WEIR_LAYOUT(kind, name) const LayoutFormat &formatOf##kind();
#include "dialects/kernel/Layouts.def"

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_LAYOUT_H
