// Which node of the model a location is of.

#ifndef WEIR_COMPILER_PLACE_H
#define WEIR_COMPILER_PLACE_H

#include "mlir/IR/Location.h"

#include <string>

namespace weir {

/// What a location says: the file, and the nodes from the inside out.
struct Place {
  llvm::StringRef file;
  unsigned line = 0, column = 0;
  llvm::SmallVector<llvm::StringRef, 4> nodes;
};
Place placeOf(mlir::Location location);

/// The node's name as it is, any bytes; empty where the location is of none.
std::string nodeOf(mlir::Location location);

/// As above with the calls of functions around the node, from the outside in:
/// `call/conv1`. `--keep` has such names.
std::string pathOf(mlir::LocationAttr location);

} // namespace weir

#endif // WEIR_COMPILER_PLACE_H
