// Choices that leave all but one part of a tensor as it is.

#ifndef WEIR_COMPILER_IMPORT_BUILD_REPLACED_H
#define WEIR_COMPILER_IMPORT_BUILD_REPLACED_H

#include "compiler/import/Build.h"

namespace weir {

/// What `condition ? x : y` is where the condition, `iota == index`, holds at
/// one index of a dimension at most, and `y`, of the result's shape, is an
/// argument or a variable, such as a cache: `y` with that part replaced, which
/// can be done in its place. Without a value where that is not so.
Expr replacedPart(Expr condition, Expr x, Expr y);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_REPLACED_H
