// Functions that XLA's ops apply to elements.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_COMPUTATION_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_COMPUTATION_H

#include "compiler/import/tensorflow/xla/Xla.h"

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

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_COMPUTATION_H
