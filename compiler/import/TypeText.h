// Types as people write them.

#ifndef WEIR_COMPILER_IMPORT_TYPETEXT_H
#define WEIR_COMPILER_IMPORT_TYPETEXT_H

#include "mlir/IR/Types.h"
#include <optional>
#include <string>

namespace weir {

/// `1x?xf32`, and `*xf32` without a shape. `called` stands for the element
/// where weir has no such type.
std::string typeText(std::optional<llvm::ArrayRef<int64_t>> shape,
                     mlir::Type element, llvm::StringRef called);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_TYPETEXT_H
