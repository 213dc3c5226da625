// Which optimizers there are, what they keep, and what may be set.

#ifndef WEIR_PASSES_TRAIN_OPTIMIZERS_H
#define WEIR_PASSES_TRAIN_OPTIMIZERS_H

#include "dialects/graph/build/Updates.h"
#include "llvm/ADT/StringMap.h"

namespace weir::train {

/// A number that users may set, as `momentum=0.9`.
struct Parameter {
  llvm::StringLiteral name;
  double value;
};

/// One variable's step.
struct Step {
  graph::build::Expr x, slope;
  /// Scalars of the variable's type.
  graph::build::Expr rate, number;
  graph::build::Expr meanPower, squarePower;
  llvm::SmallVector<graph::build::Expr> kept;
  /// How much of the variable goes in each step besides, at a rate of one.
  double decay = 0;
  const llvm::StringMap<double> *parameters;

  double numberOf(llvm::StringRef name) const {
    return parameters->lookup(name);
  }
  bool has(llvm::StringRef name) const { return numberOf(name) != 0; }
  /// A parameter, of the variable's type.
  graph::build::Expr operator[](llvm::StringRef name) const {
    return x.like(numberOf(name));
  }
  graph::build::Moments moments() const;
};

struct Optimizer {
  /// As TensorFlow calls it, and with it what is kept for a variable:
  /// `VAR/NAME`, `VAR/NAME_1`.
  llvm::StringLiteral name;
  /// The rate first.
  llvm::ArrayRef<Parameter> parameters;
  /// How many tensors are kept for a variable, given the parameters, and with
  /// which first value.
  unsigned (*kept)(const llvm::StringMap<double> &parameters);
  double (*first)(const llvm::StringMap<double> &parameters, unsigned i);
  /// Variables besides: the powers of beta1 and beta2, the number of steps.
  bool powers, steps;
  /// Weight decay is the step's own, and not a part of the gradient.
  bool decays;
  graph::build::Updated (*update)(const Step &step);
};

llvm::ArrayRef<Optimizer> optimizers();
/// By its name in any case, with or without underscores, or `sgd`; null where
/// there is none.
const Optimizer *findOptimizer(llvm::StringRef name);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_OPTIMIZERS_H
