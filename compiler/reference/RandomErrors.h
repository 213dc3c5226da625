// Random rounding errors: what compiled arithmetic may do to each op.

#ifndef WEIR_COMPILER_REFERENCE_RANDOMERRORS_H
#define WEIR_COMPILER_REFERENCE_RANDOMERRORS_H

#include "compiler/reference/Families.h"

namespace weir::reference {

/// Changes the values of a run by random rounding errors, as stochastic
/// arithmetic does. The deviations of several runs show how rounding errors
/// grow on their way to each element of a result.
///
/// - A use of a value of f16 or bf16 has the error of a rounding to that type:
/// the
///   value may be rounded or stay wide between ops. Errors of ops are those of
///   f32.
/// - Ops that only move or select elements have no error.
/// - Results of arithmetic that IEEE 754 rounds correctly have none either if
///   their type represents them; else they have an error of one unit.
/// - Other functions of an element have one of `elementUnits` units.
/// - Sums have the error of their operands: `termUnits` units for each square
///   root of the number of terms. A scatter rounds each update. They have none
///   if the operands are multiples of one power of two so that each partial sum
///   is represented.
/// - Numbers beyond the range of their type may become infinite, and subnormal
///   numbers zero.
class RandomErrors {
public:
  /// The run of seed 0 has each infinity and zero that may be.
  explicit RandomErrors(uint64_t seed) : takesChances(seed == 0), state(seed) {}

  /// The results of an op. `evaluate` computes them without errors.
  Results
  evaluate(mlir::Operation *op, Operands values,
           llvm::function_ref<Results(mlir::Operation *, Operands)> evaluate);

private:
  /// Between -1 and 1.
  double uniform();
  bool coin();
  /// A number with an error of up to `amount`.
  double changed(double number, double amount,
                 const llvm::fltSemantics &semantics);
  /// Changes each element by up to `units` units in the last place of a type.
  void change(Tensor &tensor, double units,
              const llvm::fltSemantics &semantics);
  /// Changes each element by up to `amount`.
  void changeBy(Tensor &tensor, double amount,
                const llvm::fltSemantics &semantics);
  void changeElementwise(mlir::Operation *op, Tensor &result);
  llvm::SmallVector<TensorRef> changeTerms(mlir::Operation *op,
                                           Operands operands);
  void changeRounded(Tensor &result);
  /// The operands as an op may read them.
  llvm::SmallVector<TensorRef> readNarrow(Operands operands);

  const bool takesChances;
  uint64_t state;
};

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_RANDOMERRORS_H
