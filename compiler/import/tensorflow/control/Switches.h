// Conditionals of the first version's control flow: both sides of a Switch are
// traced, and a Merge chooses between them. What is behind a Switch whose
// predicate is known to go the other way is not traced at all.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_SWITCHES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_SWITCHES_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// What an edge carries that is known to carry nothing, being on the side of a
/// Switch that is not taken.
Traced deadValue();
bool isDead(const Traced &traced);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_SWITCHES_H
