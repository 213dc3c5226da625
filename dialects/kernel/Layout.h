// The layouts of weights (#kernel.layout): the interface that each kind
// implements in a file of layouts/.

#ifndef WEIR_DIALECTS_KERNEL_LAYOUT_H
#define WEIR_DIALECTS_KERNEL_LAYOUT_H

#include "dialects/kernel/Attributes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace weir::kernel {

/// Weights without a layout: for each index of `batches`, each group and each
/// tap a matrix of `depth` rows and `columns` columns. A product has no taps.
struct WeightsShape {
  llvm::SmallVector<int64_t> batches;
  int64_t groups = 1;
  llvm::SmallVector<int64_t> taps;
  int64_t depth = 0, columns = 0;
};

/// Weights in memory, as a model has them. Of each batch, taps follow each
/// other and each has its rows, `depthStride` elements apart. Columns, of one
/// group after the other, are `columnStride` elements apart.
struct WeightsSource : WeightsShape {
  int64_t depthStride = 0, columnStride = 1;
  mlir::Type element;
  const char *data = nullptr;

  /// Rows of all taps.
  int64_t rows() const {
    return mlir::ShapedType::getNumElements(taps) * depth;
  }
};

/// A kernel that reads weights, or a pack that writes them.
struct LayoutUser {
  enum Kind { Matmul, Convolution, Winograd, Depthwise, Pack, Transform };
  Kind kind;
  WeightsShape weights;
  mlir::Type stored;              // elements of the weights, as packed
  mlir::Type left = {}, sum = {}; // null for a pack
  bool isUnsigned = false, transposesLeft = false;

  bool isProduct() const { return kind == Matmul || kind == Convolution; }
};

/// A memory format of weights. A new layout is a subclass in a file of
/// layouts/, and a line of Layouts.def.
class LayoutFormat {
public:
  virtual ~LayoutFormat() = default;

  /// Whether an attribute of this layout may have these numbers.
  virtual bool acceptsNumbers(llvm::ArrayRef<int64_t> numbers) const {
    return numbers.empty();
  }
  /// Whether such a kernel reads the layout, or such a pack writes it.
  virtual bool serves(LayoutAttr layout, const LayoutUser &user) const = 0;
  /// The shape of packed weights. It is empty if a size overflows.
  virtual llvm::SmallVector<int64_t>
  shapeOf(LayoutAttr layout, const WeightsShape &weights) const = 0;
  /// The type of packed elements, where those of a model are `element`.
  virtual mlir::Type elementOf(LayoutAttr, mlir::Type element) const {
    return element;
  }
  /// Writes the packed weights. The memory at `to` is zero before.
  virtual void pack(LayoutAttr layout, const WeightsSource &from,
                    char *to) const = 0;
};

/// Checks that `user`, which is `op`, can use weights of this type in the
/// layout.
mlir::LogicalResult verifyLayout(mlir::Operation *op, LayoutAttr layout,
                                 mlir::ShapedType packed,
                                 const LayoutUser &user);

#define WEIR_LAYOUT(kind, name) const LayoutFormat &formatOf##kind();
#include "dialects/kernel/Layouts.def"

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_LAYOUT_H
