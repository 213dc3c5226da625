// Constants as raw bytes, for passes that fold tensors of any size.

#ifndef WEIR_PASSES_GRAPH_BYTES_H
#define WEIR_PASSES_GRAPH_BYTES_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// The bytes of one element: i1 is a byte.
int64_t bytesOf(mlir::Type elementType);
/// The bytes of a tensor; nothing where they are no int64_t.
std::optional<int64_t> bytesOf(mlir::RankedTensorType type);

/// The elements of a constant, in row-major order, as the host stores them.
/// Borrows from the attribute, which must live as long.
class Bytes {
public:
  /// Nothing where `value` is no constant, or one whose bytes are not at hand.
  static std::optional<Bytes> of(mlir::Value value);

  mlir::RankedTensorType type() const { return tensorType; }
  /// Whether `data` is one element that stands for all.
  bool isSplat() const { return splat; }
  llvm::ArrayRef<char> data() const { return owned.empty() ? borrowed : owned; }

private:
  mlir::RankedTensorType tensorType;
  bool splat = false;
  llvm::ArrayRef<char> borrowed;
  llvm::SmallVector<char, 0> owned;
};

/// A constant under construction: `size` bytes to write, then `take`.
class NewBytes {
public:
  explicit NewBytes(mlir::RankedTensorType type);
  char *data() { return blob.getMutableData().data(); }
  /// A resource, or for a small tensor an attribute.
  mlir::ElementsAttr take(llvm::StringRef name) &&;

private:
  mlir::RankedTensorType type;
  mlir::AsmResourceBlob blob;
};

/// The resources that a module's constants name. `release` frees the bytes of
/// those that none names any more: weights that were folded are large.
class NamedResources {
public:
  explicit NamedResources(mlir::Operation *module);
  void release();

private:
  mlir::Operation *module;
  llvm::DenseMap<void *, mlir::DenseResourceElementsHandle> handles;
};

/// Elements of `width` bytes along `shape`, each at its own strides (in bytes)
/// in source and destination.
void copyBox(llvm::ArrayRef<int64_t> shape, int64_t width, char *to,
             llvm::ArrayRef<int64_t> toStrides, const char *from,
             llvm::ArrayRef<int64_t> fromStrides);

/// How many bytes apart neighbours along each dimension are, row-major.
llvm::SmallVector<int64_t> byteStrides(mlir::RankedTensorType type);

} // namespace weir

#endif // WEIR_PASSES_GRAPH_BYTES_H
