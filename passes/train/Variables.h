// The variables of a training step: those of the model, and the optimizer's.

#ifndef WEIR_PASSES_TRAIN_VARIABLES_H
#define WEIR_PASSES_TRAIN_VARIABLES_H

#include "dialects/graph/build/Expr.h"
#include "dialects/graph/state/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace weir::train {

class Variables {
public:
  /// `hasFirstValues`: whether new variables have initial values.
  Variables(mlir::func::FuncOp function, bool hasFirstValues);

  graph::VariableOp of(graph::ReadVariableOp read) {
    return symbols.lookup<graph::VariableOp>(read.getVariable());
  }

  /// Adds a variable with a name that the model does not use.
  graph::VariableOp add(llvm::StringRef name, mlir::RankedTensorType type,
                        double first, mlir::Location at);
  /// Adds an f32 master copy, initialized from a 16-bit variable.
  graph::VariableOp addMaster(graph::VariableOp of);

private:
  /// The function that initializes variables.
  mlir::func::FuncOp initializer();

  mlir::func::FuncOp function;
  mlir::SymbolTable symbols;
  llvm::StringSet<> taken; // names of variables, also in checkpoints
  bool hasFirstValues;
};

/// The value of a variable at the insertion point of `b`.
graph::build::Expr read(mlir::ImplicitLocOpBuilder &b,
                        graph::VariableOp variable);
void write(graph::VariableOp variable, graph::build::Expr value);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_VARIABLES_H
