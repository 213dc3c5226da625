// Discrete Fourier transforms of pairs of real and imaginary parts.

#ifndef WEIR_COMPILER_IMPORT_BUILD_FOURIER_H
#define WEIR_COMPILER_IMPORT_BUILD_FOURIER_H

#include "compiler/import/Build.h"

namespace weir {

/// A complex tensor; without an imaginary part where that is zero.
struct Complex {
  Expr re, im;
};

/// The longest prime factor of a length that is transformed.
constexpr int64_t longestFactor = 1024;
bool canTransform(int64_t length);

/// The transform of the last dimension, not scaled; `sign` is -1, or 1 for the
/// inverse. Lengths of many factors are split into products with small
/// constant matrices.
Complex transform(Complex x, int sign);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_FOURIER_H
