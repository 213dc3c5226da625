// The values of a region while it runs, and errors at its ops.

#ifndef WEIR_COMPILER_REFERENCE_SCOPE_H
#define WEIR_COMPILER_REFERENCE_SCOPE_H

#include "compiler/reference/Interpreter.h"

namespace weir::reference {

/// An error that names the node of an op.
llvm::Error errorAt(mlir::Operation &op, ReferenceError::Kind kind,
                    const llvm::Twine &text);

/// The values of a region. A lookup also searches the regions around it.
class Scope {
public:
  explicit Scope(Scope *outer = nullptr) : outer(outer) {}

  TensorRef lookup(mlir::Value value) const {
    auto found = values.find(value);
    if (found != values.end())
      return found->second;
    return outer ? outer->lookup(value) : TensorRef();
  }
  llvm::SmallVector<TensorRef> operandsOf(mlir::Operation &op) const {
    llvm::SmallVector<TensorRef> operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    return operands;
  }
  void set(mlir::Value value, TensorRef tensor) {
    values[value] = std::move(tensor);
  }
  void erase(mlir::Value value) { values.erase(value); }

private:
  Scope *outer;
  llvm::DenseMap<mlir::Value, TensorRef> values;
};

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_SCOPE_H
