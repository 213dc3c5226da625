// Which of a model's variables are to be trained, and their first values where
// the model has none.

#ifndef WEIR_COMPILER_IMPORT_TRAINED_H
#define WEIR_COMPILER_IMPORT_TRAINED_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"

#include "dialects/graph/state/State.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// Whether a variable of this name is trained: those that the options name, or
/// where they name none, all that the model has as `trainable`; and none that
/// they freeze.
bool isTrained(const ImportOptions &options, llvm::StringRef name,
               bool trainable = true);

/// The first value of a variable that has none: numbers that depend on the
/// seed and the variable's name alone, zeros for vectors and scalars. An error
/// where they are too many to be data of a library.
mlir::FailureOr<mlir::ElementsAttr> firstValue(Report &report,
                                               const TrainingRequest &training,
                                               graph::VariableOp variable);

/// Marks the function as what the loss is of; `dynamicDims` are the dimensions
/// of its first result that only the run knows.
void markTraining(mlir::func::FuncOp function,
                  llvm::ArrayRef<int64_t> dynamicDims = {});
void markTrained(graph::VariableOp variable);
bool isMarkedTrained(graph::VariableOp variable);

/// How many steps there have been, a scalar i64, where the builder is in what
/// the loss is of: a variable of its own, which counts; null elsewhere. What is
/// random differs by it from step to step.
mlir::Value stepsSoFar(mlir::OpBuilder &builder, mlir::Location at);
/// Has each step give the variable of the initializer or node `name` another
/// value, where the builder is in what the loss is of and outside of regions,
/// and there is such a variable.
void keepInStep(mlir::OpBuilder &builder, mlir::Location at,
                llvm::StringRef name, mlir::Value value);

/// An error that says what could be trained, where nothing is.
mlir::LogicalResult checkTrained(Report &report, const ImportOptions &options,
                                 size_t trained,
                                 llvm::ArrayRef<std::string> others);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_TRAINED_H
