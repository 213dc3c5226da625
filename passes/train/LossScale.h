// Loss scaling, which keeps small f16 gradients from becoming zero.

#ifndef WEIR_PASSES_TRAIN_LOSSSCALE_H
#define WEIR_PASSES_TRAIN_LOSSSCALE_H

#include "dialects/graph/loss/Recipe.h"
#include "passes/train/Variables.h"

namespace weir::train {

/// Multiplies the loss by a scale and divides the gradients by it. The scale is
/// constant or dynamic. A dynamic scale is halved after a gradient that is not
/// finite, and doubled after enough steps with finite ones (Micikevicius et
/// al., arXiv:1710.03740).
class LossScale {
public:
  LossScale(const Recipe &recipe, Variables &variables,
            mlir::ImplicitLocOpBuilder &b);

  /// Whether steps with gradients that are not finite are skipped.
  bool isDynamic() const { return recipe.has("loss_scale_growth"); }

  graph::build::Expr scaled(graph::build::Expr loss);
  /// Divides a gradient of the scaled loss by the scale, at least in f32.
  graph::build::Expr unscaled(graph::build::Expr slope);

  /// The scale, and the number of updates since its last change.
  struct Next {
    graph::build::Expr scale, good;
  };
  /// The values after an update, and after a skipped step.
  Next grown();
  Next shrunk();
  graph::VariableOp variable() const { return kept; }
  graph::VariableOp goodSteps() const { return good; }

private:
  const Recipe &recipe;
  mlir::ImplicitLocOpBuilder &b;
  graph::VariableOp kept, good;
  graph::build::Expr scale; // null for a constant scale
};

/// Whether all elements are finite.
graph::build::Expr areFinite(llvm::ArrayRef<graph::build::Expr> all);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_LOSSSCALE_H
