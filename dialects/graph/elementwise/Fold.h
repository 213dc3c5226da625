// Scalar functions computed at compile time.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_FOLD_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_FOLD_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace weir::graph {

/// A scalar function as the arith and math ops that `build` makes of arguments
/// of `types` (signless), folded one by one for each call.
class ScalarEvaluator {
public:
  ScalarEvaluator(mlir::Location loc, mlir::TypeRange types,
                  llvm::function_ref<mlir::Value(
                      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                      build);

  /// Null where an op does not fold.
  mlir::Attribute operator()(llvm::ArrayRef<mlir::Attribute> args);

private:
  mlir::Block block;
  mlir::Value result;
};

/// Element `index` as the attribute, of a signless type, that arith folds.
mlir::Attribute elementAt(mlir::DenseElementsAttr elements, int64_t index);
/// A constant of such attributes: one an element, or one for all.
mlir::DenseElementsAttr constantOf(mlir::RankedTensorType type,
                                   llvm::ArrayRef<mlir::Attribute> elements);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_FOLD_H
