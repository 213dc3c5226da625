// What every tool registers.

#ifndef WEIR_COMPILER_DIALECTS_H
#define WEIR_COMPILER_DIALECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace weir {

/// The dialects of every stage; ours and, of MLIR's, those in use.
void registerDialects(mlir::DialectRegistry &registry);
/// Our passes, and MLIR's general ones.
void registerPasses();

} // namespace weir

#endif // WEIR_COMPILER_DIALECTS_H
