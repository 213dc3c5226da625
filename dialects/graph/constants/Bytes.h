// Reads and builds constants as raw bytes, for passes that fold tensors of any
// size.

#ifndef WEIR_DIALECTS_GRAPH_CONSTANTS_BYTES_H
#define WEIR_DIALECTS_GRAPH_CONSTANTS_BYTES_H

#include "dialects/weir/ElementBytes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace weir::graph {

/// The size of one element in bytes; an i1 takes a byte.
int64_t bytesOf(mlir::Type elementType);
/// The size of a tensor in bytes; no value if it overflows an int64_t.
std::optional<int64_t> bytesOf(mlir::RankedTensorType type);

/// The elements of a constant, with their type.
class Bytes : public ElementBytes {
public:
  /// No value if `value` is not a constant, or its bytes are not available.
  static std::optional<Bytes> of(mlir::Value value);

  mlir::RankedTensorType type() const { return tensorType; }

private:
  Bytes(mlir::RankedTensorType type, ElementBytes elements)
      : ElementBytes(std::move(elements)), tensorType(type) {}

  mlir::RankedTensorType tensorType;
};

/// A constant under construction. The caller writes `size` bytes, then calls
/// `take`.
class NewBytes {
public:
  explicit NewBytes(mlir::RankedTensorType type);
  char *data() { return blob.getMutableData().data(); }
  /// Returns a resource, or an attribute for a small tensor.
  mlir::ElementsAttr take(llvm::StringRef name) &&;

private:
  mlir::RankedTensorType type;
  mlir::AsmResourceBlob blob;
};

/// The resources that the constants of a module use. `release` frees the bytes
/// of those without a user, because folded weights are large.
class NamedResources {
public:
  explicit NamedResources(mlir::Operation *module);
  void release();

private:
  mlir::Operation *module;
  llvm::DenseMap<void *, mlir::DenseResourceElementsHandle> handles;
};

/// Copies elements of `width` bytes along `shape`. Source and destination have
/// their own strides, in bytes.
void copyBox(llvm::ArrayRef<int64_t> shape, int64_t width, char *to,
             llvm::ArrayRef<int64_t> toStrides, const char *from,
             llvm::ArrayRef<int64_t> fromStrides);

/// The row-major strides of a tensor, in bytes.
llvm::SmallVector<int64_t> byteStrides(mlir::RankedTensorType type);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_CONSTANTS_BYTES_H
