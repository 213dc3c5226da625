// Ranges of values and Booleans, by what computes them and by cases.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_RANGES_CASES_H
#define WEIR_COMPILER_IMPORT_BOUNDED_RANGES_CASES_H

#include "compiler/import/bounded/ranges/Intervals.h"

namespace weir {

Interval intervalOf(mlir::Value value);
/// The value of a scalar Boolean, if intervals determine it.
std::optional<bool> booleanOf(mlir::Value condition);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_RANGES_CASES_H
