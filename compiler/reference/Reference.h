// The f64 reference: what a function of a model computes, op by op, without any
// pass of the compiler.

#ifndef WEIR_COMPILER_REFERENCE_REFERENCE_H
#define WEIR_COMPILER_REFERENCE_REFERENCE_H

#include "compiler/reference/Interpreter.h"

namespace weir::reference {

/// The function of the model with this name, or with this symbol. An empty name
/// means `serving_default`, or else the first function. Null if there is none.
mlir::func::FuncOp findEntry(mlir::ModuleOp module, llvm::StringRef name);

/// Evaluates a function of a module after the stage `import`, on one tensor for
/// each argument, of its type. Variables have their initial values, which the
/// function with `weir.init` assigns. Errors are ReferenceErrors with the
/// node's name.
llvm::Expected<llvm::SmallVector<TensorRef>>
evaluate(mlir::ModuleOp module, llvm::StringRef entry,
         llvm::ArrayRef<TensorRef> inputs, Limits limits = {},
         Observer observe = {}, RandomErrors *errors = nullptr);

/// The root mean square of the deviations of each element of `results` in
/// `runs` runs with random rounding errors, as f64. It is infinite where a run
/// has NaN or an infinity and `results` has another value, or the reverse.
llvm::Expected<llvm::SmallVector<TensorRef>>
estimateErrors(mlir::ModuleOp module, llvm::StringRef entry,
               llvm::ArrayRef<TensorRef> inputs,
               llvm::ArrayRef<TensorRef> results, uint64_t runs,
               Limits limits = {});

/// An op of the graph dialect: whether it is evaluated, or why not.
struct OpCoverage {
  llvm::StringRef op;
  bool isEvaluated;
  /// Empty for an op that is evaluated, or that nobody has considered.
  llvm::StringRef reason;
  /// Several ranks compute the op together, so that one machine cannot.
  bool isOfRanks;
};
/// All ops of the graph dialect, which is loaded, by name.
std::vector<OpCoverage> coverage(mlir::MLIRContext *context);

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_REFERENCE_H
