// What compiled ops round: which ops are exact, and how many units in the last
// place others may be off.

#ifndef WEIR_COMPILER_REFERENCE_ROUNDING_H
#define WEIR_COMPILER_REFERENCE_ROUNDING_H

#include "mlir/IR/Operation.h"

namespace weir::reference {

/// Units in the last place that a function of an element may be off.
constexpr double elementUnits = 8;
/// Units of the special functions that are computed by series and recurrences.
constexpr double specialUnits = 256;
/// Units for each square root of the number of terms of a sum.
constexpr double termUnits = 4;

/// Whether an op only moves or selects elements.
bool isExactOp(mlir::Operation *op);

/// Whether an op is one of the functions of `specialUnits`. These may be off
/// by so many units of 1 where their result is smaller.
bool isSpecialOp(mlir::Operation *op);

/// The terms of each sum of an op that is no function of an element.
double termsOf(mlir::Operation *op);

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_ROUNDING_H
