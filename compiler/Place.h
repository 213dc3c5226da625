// Which node of the model a location is of.

#ifndef WEIR_COMPILER_PLACE_H
#define WEIR_COMPILER_PLACE_H

#include "mlir/IR/Location.h"

#include <string>

namespace weir {

/// The node's name as it is, any bytes; empty where the location is of none.
std::string nodeOf(mlir::Location location);

} // namespace weir

#endif // WEIR_COMPILER_PLACE_H
