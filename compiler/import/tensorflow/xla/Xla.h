// The handlers of XLA's own ops, which programs converted to graphs consist of.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_XLA_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_XLA_H

#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// An attribute that holds a serialized message.
template <typename Message>
mlir::FailureOr<Message> messageAttr(Node &node, llvm::StringRef name) {
  Message message;
  llvm::StringRef bytes = node.stringAttr(name);
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return node.error() << "attribute '" << name << "' is damaged";
  return message;
}

/// A list of a message's.
template <typename List>
llvm::SmallVector<int64_t> integersOf(const List &list) {
  return llvm::SmallVector<int64_t>(list.begin(), list.end());
}

/// Whether all of `dims` are dimensions below `rank`, each at most once.
template <typename Dims>
bool areDims(const Dims &dims, int64_t rank) {
  llvm::SmallVector<bool> seen(std::max<int64_t>(rank, 0));
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank || seen[dim])
      return false;
    seen[dim] = true;
  }
  return true;
}

void addXlaHandlers(Handlers &);
void addXlaMoveHandlers(Handlers &);
void addXlaPositionHandlers(Handlers &);
void addXlaProductHandlers(Handlers &);
void addXlaReduceHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_XLA_H
