// The variables of a step: the model's, and what training keeps besides.

#ifndef WEIR_PASSES_TRAIN_VARIABLES_H
#define WEIR_PASSES_TRAIN_VARIABLES_H

#include "dialects/graph/build/Expr.h"
#include "dialects/graph/state/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace weir::train {

class Variables {
public:
  /// Those of the function's module. `hasFirstValues` says whether new ones
  /// have any.
  Variables(mlir::func::FuncOp function, bool hasFirstValues);

  graph::VariableOp of(graph::ReadVariableOp read) {
    return symbols.lookup<graph::VariableOp>(read.getVariable());
  }

  /// A variable besides the model's, of a name that the model has not.
  graph::VariableOp add(llvm::StringRef name, mlir::RankedTensorType type,
                        double first, mlir::Location at);
  /// One of f32 that begins with the value of a variable of fewer bits.
  graph::VariableOp addMaster(graph::VariableOp of);

private:
  /// What gives variables their first values.
  mlir::func::FuncOp initializer();

  mlir::func::FuncOp function;
  mlir::SymbolTable symbols;
  llvm::StringSet<> taken; // names of variables, also in checkpoints
  bool hasFirstValues;
};

/// The value that a variable has where `b` stands.
graph::build::Expr read(mlir::ImplicitLocOpBuilder &b,
                        graph::VariableOp variable);
void write(graph::VariableOp variable, graph::build::Expr value);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_VARIABLES_H
