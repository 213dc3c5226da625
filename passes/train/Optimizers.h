// The optimizers, their state, and their parameters.

#ifndef WEIR_PASSES_TRAIN_OPTIMIZERS_H
#define WEIR_PASSES_TRAIN_OPTIMIZERS_H

#include "dialects/graph/build/Updates.h"
#include "llvm/ADT/StringMap.h"

namespace weir::train {

/// A number that users may set, such as `momentum=0.9`.
struct Parameter {
  llvm::StringLiteral name;
  double value;
};

/// The inputs of one variable's update.
struct Step {
  graph::build::Expr x, slope;
  /// The learning rate and the number of the step, scalars of the variable's
  /// type.
  graph::build::Expr rate, number;
  graph::build::Expr meanPower, squarePower;
  llvm::SmallVector<graph::build::Expr> kept;
  /// The decoupled weight decay: the fraction subtracted in each step, for a
  /// learning rate of 1.
  double decay = 0;
  const llvm::StringMap<double> *parameters;

  double numberOf(llvm::StringRef name) const {
    return parameters->lookup(name);
  }
  bool has(llvm::StringRef name) const { return numberOf(name) != 0; }
  /// The value of a parameter, in the variable's type.
  graph::build::Expr operator[](llvm::StringRef name) const {
    return x.like(numberOf(name));
  }
  graph::build::Moments moments() const;
};

struct Optimizer {
  /// TensorFlow's name. Optimizer state is named after it: `VAR/NAME`,
  /// `VAR/NAME_1`.
  llvm::StringLiteral name;
  /// The learning rate is the first one.
  llvm::ArrayRef<Parameter> parameters;
  /// The number of state tensors of each variable for these parameters, and
  /// their initial values.
  unsigned (*kept)(const llvm::StringMap<double> &parameters);
  double (*first)(const llvm::StringMap<double> &parameters, unsigned i);
  /// Whether there are global variables for the powers of beta1 and beta2, and
  /// for the number of steps.
  bool powers, steps;
  /// Whether weight decay is decoupled, and not part of the gradient.
  bool decays;
  graph::build::Updated (*update)(const Step &step);
};

llvm::ArrayRef<Optimizer> optimizers();
/// Finds an optimizer by its name, or by `sgd`. Case and underscores do not
/// matter. Null if there is none.
const Optimizer *findOptimizer(llvm::StringRef name);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_OPTIMIZERS_H
