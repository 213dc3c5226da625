// Building blocks of every kind of control flow: branches and loops over what
// edges carry.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROL_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROL_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// Appends the tensors that a region must yield for the value; false where it
/// holds what no tensor can be, such as a string.
bool flatten(const Traced &traced, llvm::SmallVectorImpl<mlir::Value> &values);
/// A value like `like` made of the first of `values`, which it takes off.
Traced rebuild(const Traced &like, llvm::ArrayRef<mlir::Value> &values);

/// A scalar truth value by TensorFlow's rules: a number that is not 0, a tensor
/// that is not empty.
mlir::FailureOr<mlir::Value> truth(Node &node, const Traced &condition);
/// The truth value where it is known.
std::optional<bool> knownTruth(mlir::Value condition);

/// Traces something at the builder's place.
using Trace = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<Traced>>()>;

/// A graph.if whose regions are what both trace.
mlir::FailureOr<llvm::SmallVector<Traced>>
buildIf(Node &node, mlir::Value condition, Trace onTrue, Trace onFalse);

struct Loop {
  using Step = std::function<mlir::FailureOr<llvm::SmallVector<Traced>>(
      llvm::ArrayRef<Traced>)>;
  llvm::SmallVector<Traced> inits;
  /// Variables that the body hands on as they are.
  llvm::SmallVector<bool> invariant;
  /// Gives one scalar truth value.
  Step condition;
  /// Gives the variables' next values.
  Step body;
};

/// A graph.while; or, where types change from step to step or the body needs to
/// know its variables, the steps one after the other.
mlir::FailureOr<llvm::SmallVector<Traced>> buildLoop(Node &node, Loop loop);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROL_H
