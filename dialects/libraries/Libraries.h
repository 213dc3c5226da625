// Estimates whether cuBLASLt or cuDNN should compute an operation.

#ifndef WEIR_DIALECTS_LIBRARIES_LIBRARIES_H
#define WEIR_DIALECTS_LIBRARIES_LIBRARIES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace weir::libraries {

/// The largest size of a dimension that libraries support.
constexpr int64_t maxSize = INT32_MAX;

/// Whether libraries compute with elements of this type.
bool isForLibraries(mlir::Type element);

/// Whether the module's `weir.gpu` requests that the library computes all that
/// it supports, or only what should take less time. None: the library is not
/// requested.
std::optional<bool> isForced(mlir::Operation *module, llvm::StringRef library);

/// Whether a library should take less time than weir's kernels for this number
/// of operations (a multiply-add is two) on elements of that type.
bool isWorthCalling(double operations, mlir::Type element,
                    bool isConvolution = false);

} // namespace weir::libraries

#endif // WEIR_DIALECTS_LIBRARIES_LIBRARIES_H
