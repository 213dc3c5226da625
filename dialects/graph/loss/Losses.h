// What a model is trained to make less: a number of its output and of labels.

#ifndef WEIR_DIALECTS_GRAPH_LOSS_LOSSES_H
#define WEIR_DIALECTS_GRAPH_LOSS_LOSSES_H

#include "dialects/graph/build/Expr.h"

namespace weir::train {

/// A kind of loss, as options call it.
struct Loss {
  llvm::StringLiteral name;
  /// Whether labels are the numbers of classes: i32, without the output's last
  /// dimension.
  bool sparse;
  /// What users may set: the name of a number, its default; empty: nothing.
  llvm::StringLiteral parameter;
  double value;
  /// The terms whose mean is the loss of output and labels: one for each row of
  /// classes, or for each element. Without a value where output and labels do
  /// not fit together.
  graph::build::Expr (*of)(graph::build::Expr output, graph::build::Expr labels,
                           double parameter);
};

llvm::ArrayRef<Loss> losses();
/// Null where there is none of that name.
const Loss *findLoss(llvm::StringRef name);

/// The type of labels for an output; null where the output can have none.
mlir::RankedTensorType labelsType(const Loss &loss,
                                  mlir::RankedTensorType output);
/// What goes into the loss: of a softmax or a sigmoid, what goes into that
/// where the loss is of scores before it.
mlir::Value scoresOf(const Loss &loss, mlir::Value output);

} // namespace weir::train

#endif // WEIR_DIALECTS_GRAPH_LOSS_LOSSES_H
