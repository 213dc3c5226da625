// The handlers of XLA's own ops, which programs converted to graphs consist of.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_XLA_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_XLA_H

#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// A function that an attribute names, of scalars or, as here, of tensors of
/// one shape element by element.
class Computation {
public:
  static mlir::FailureOr<Computation> of(Node &node, llvm::StringRef attribute);

  /// The op of which the function's only result is made, and which arguments
  /// that op has: the function's, by number. Where a result is an argument, the
  /// op is empty and it is the only one; nothing where it is neither.
  struct Form {
    llvm::StringRef op;
    llvm::SmallVector<unsigned> arguments;
  };
  std::optional<Form> form() const;
  /// The op where it is one of both arguments that commutes.
  llvm::StringRef symmetric() const;

  /// The results for arguments of one shape, which they have too; none after a
  /// diagnostic.
  llvm::SmallVector<Expr> operator()(llvm::ArrayRef<Expr> arguments) const;

private:
  Computation(Node &node, const ::tensorflow::NameAttrList &function,
              const Graph &graph)
      : node(&node), function(&function), graph(&graph) {}

  Node *node;
  const ::tensorflow::NameAttrList *function;
  const Graph *graph;
};

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

/// `x` with what `value`, a scalar, is before, after and between its elements;
/// negative margins cut.
Expr padWith(Expr x, Expr value, llvm::ArrayRef<int64_t> low,
             llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior);

void addXlaHandlers(Handlers &);
void addXlaMoveHandlers(Handlers &);
void addXlaPlaceHandlers(Handlers &);
void addXlaProductHandlers(Handlers &);
void addXlaReduceHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_XLA_H
