// Checks whose messages name an element.

#ifndef WEIR_DIALECTS_GRAPH_BUILD_ELEMENTCHECK_H
#define WEIR_DIALECTS_GRAPH_BUILD_ELEMENTCHECK_H

#include "dialects/graph/build/Expr.h"

namespace weir::graph::build {

/// Whether all elements are true, as a scalar.
Expr allOf(Expr condition);

/// Adds a check of the scalar `holds`. If it fails, the message names the first
/// element of `value` that is not `finite`: its index in row-major order, and
/// whether it is NaN or infinite.
void checkElements(mlir::ImplicitLocOpBuilder &b, Expr holds, Expr value,
                   Expr finite, llvm::StringRef message);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_ELEMENTCHECK_H
