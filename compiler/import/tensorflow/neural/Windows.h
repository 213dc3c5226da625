// Windows that slide over images, as nodes of convolutions and pools describe
// them.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_WINDOWS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_WINDOWS_H

#include "compiler/import/Build.h"
#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

/// Where a node's images have their channels.
struct Layout {
  bool channelsFirst = false;
  int64_t spatial = 2;

  /// The spatial part of an attribute with a value for every dimension; the
  /// values of batch and channels must be 1.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  spatialAttr(Node &node, llvm::StringRef name, int64_t otherwise) const;

  /// Images with channels last from and to those of the node.
  Expr toLast(Expr x) const;
  Expr fromLast(Expr x) const;
  llvm::SmallVector<int64_t> toLast(llvm::ArrayRef<int64_t> shape) const;
};

/// Read from data_format; unsupported where it is not one of the four.
mlir::FailureOr<Layout> layoutOf(Node &node, int64_t spatial);

/// The windows of `size` over images of `extents`, from the node's strides,
/// dilations and padding; an error where there is no place for them.
mlir::FailureOr<Windows> windowsOf(Node &node, const Layout &layout,
                                   llvm::ArrayRef<int64_t> extents,
                                   llvm::ArrayRef<int64_t> size);

/// Zeros of the shape of `x` with `gradient` added where `places`, of its
/// shape, count in all of `x`.
Expr spread(Expr x, Expr gradient, Expr positions);

void addConvolutionHandlers(Handlers &);
void addEinsumHandlers(Handlers &);
void addPoolHandlers(Handlers &);
void addNormHandlers(Handlers &);
void addRecurrentHandlers(Handlers &);
void addResizeHandlers(Handlers &);
void addDetectionHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_WINDOWS_H
