// Many elements of a list at once: scattered, gathered, and one after another.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LISTMOVES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LISTMOVES_H

#include "compiler/import/tensorflow/control/List.h"

namespace weir::tensorflow {

/// Whether the indices at operand `i` are those of all elements, in order.
bool areAll(TracedNode &node, unsigned i, const Size &length);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LISTMOVES_H
