// Makes the program of one rank of a function, op by op.

#ifndef WEIR_PASSES_SHARD_SPLITTER_H
#define WEIR_PASSES_SHARD_SPLITTER_H

#include "dialects/graph/state/State.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/shard/Shardings.h"

namespace weir::shard {

class Splitter {
public:
  Splitter(mlir::func::FuncOp function, MeshAttr mesh)
      : function(function), mesh(mesh) {}

  /// Replaces the body and the types of the function. Fails, with a diagnostic,
  /// at an op that no mesh supports.
  mlir::LogicalResult run();

private:
  /// One form of a value of the original function.
  struct Form {
    Sharding sharding;
    mlir::Value value;
  };

  void splitArguments();
  mlir::LogicalResult split(mlir::Operation &op);
  /// Each rank computes the op on whole operands.
  void computeWhole(mlir::Operation &op);
  void computeParts(mlir::Operation &op, Division &division);
  /// Reads or assigns the part of a variable that this rank has.
  void read(graph::ReadVariableOp op, llvm::ArrayRef<int64_t> sharding);
  void write(graph::WriteVariableOp op, llvm::ArrayRef<int64_t> sharding);
  void splitReturn(mlir::func::ReturnOp op);

  /// The value in this form; makes it if it does not exist yet.
  mlir::Value formOf(mlir::Value value, llvm::ArrayRef<int64_t> sharding);
  /// Computes the op of a value again, for smaller parts of its result:
  /// broadcasts, reshapes and elementwise ops. That needs no communication, and
  /// parts of gradients are then the only use of their sums. Otherwise null.
  mlir::Value recompute(mlir::Value value, llvm::ArrayRef<int64_t> sharding);
  /// This rank's part of a constant, or null if the value is none.
  mlir::Value cut(mlir::Value value, llvm::ArrayRef<int64_t> sharding);
  /// Converts a form by collectives.
  mlir::Value convert(const Form &from, llvm::ArrayRef<int64_t> sharding);

  /// A copy of the op with these operands, whose results are parts.
  mlir::Operation *copy(mlir::Operation *op, mlir::ValueRange operands,
                        const Division &division);
  /// The sharding in which the value was computed.
  llvm::ArrayRef<int64_t> shardingOf(mlir::Value value) {
    return forms.find(value)->second.front().sharding;
  }
  void define(mlir::Value value, llvm::ArrayRef<int64_t> sharding,
              mlir::Value form) {
    forms[value].push_back({Sharding(sharding), form});
  }

  mlir::func::FuncOp function;
  MeshAttr mesh;
  llvm::SmallVector<mlir::BlockArgument> originals;
  // The first form is the one in which the value was computed.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Form, 2>> forms;
  mlir::OpBuilder b{function.getContext()};
  unsigned depth = 0; // of operands that are computed again
};

} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_SPLITTER_H
