// Scalar functions computed at compile time.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_FOLD_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_FOLD_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace weir::graph {

/// A scalar function: the arith and math ops that `build` creates for arguments
/// of signless `types`. Each call folds them one by one.
class ScalarEvaluator {
public:
  ScalarEvaluator(mlir::Location loc, mlir::TypeRange types,
                  llvm::function_ref<mlir::Value(
                      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                      build);

  /// Null if an op does not fold.
  mlir::Attribute operator()(llvm::ArrayRef<mlir::Attribute> args);

private:
  mlir::Block block;
  mlir::Value result;
};

/// Element `index` as an attribute of the signless type that arith folds.
mlir::Attribute elementAt(mlir::DenseElementsAttr elements, int64_t index);
/// A constant of such attributes, one for each element or one for all.
mlir::DenseElementsAttr constantOf(mlir::RankedTensorType type,
                                   llvm::ArrayRef<mlir::Attribute> elements);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_FOLD_H
