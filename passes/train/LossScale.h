// The factor that keeps gradients within what few bits can say.

#ifndef WEIR_PASSES_TRAIN_LOSSSCALE_H
#define WEIR_PASSES_TRAIN_LOSSSCALE_H

#include "dialects/graph/loss/Recipe.h"
#include "passes/train/Variables.h"

namespace weir::train {

/// Gradients of a loss that is multiplied by a number, and then divided by it:
/// one that stays, or one that halves where a gradient is not finite and
/// doubles after enough steps where all are (Micikevicius et al.,
/// arXiv:1710.03740).
class LossScale {
public:
  LossScale(const Recipe &recipe, Variables &variables,
            mlir::ImplicitLocOpBuilder &b);

  /// Whether steps whose gradients are not finite are left out.
  bool isDynamic() const { return recipe.has("loss_scale_growth"); }

  graph::build::Expr scaled(graph::build::Expr loss);
  /// The gradient of the loss from that of the scaled one, at least in f32.
  graph::build::Expr unscaled(graph::build::Expr slope);

  /// The scale, and the steps that moved since it changed.
  struct Next {
    graph::build::Expr scale, good;
  };
  /// What becomes of them behind a step that moves, and behind one that is left
  /// out.
  Next grown();
  Next shrunk();
  graph::VariableOp variable() const { return kept; }
  graph::VariableOp goodSteps() const { return good; }

private:
  const Recipe &recipe;
  mlir::ImplicitLocOpBuilder &b;
  graph::VariableOp kept, good;
  graph::build::Expr scale; // without a value where there is none
};

/// Whether every element of all is a finite number.
graph::build::Expr areFinite(llvm::ArrayRef<graph::build::Expr> all);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_LOSSSCALE_H
