// Checks that the verifiers of several records make.

#ifndef WEIR_DIALECTS_WEIR_CHECKS_H
#define WEIR_DIALECTS_WEIR_CHECKS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace weir {

using Emit = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// A parameter and the range of its value.
struct Range {
  llvm::StringLiteral name;
  int64_t value, least, most;
};

/// Each value is in its range.
inline mlir::LogicalResult verifyRanges(Emit emitError,
                                        std::initializer_list<Range> all) {
  for (const Range &one : all)
    if (one.value < one.least || one.value > one.most)
      return emitError() << one.name << " must be from " << one.least << " to "
                         << one.most << ", not " << one.value;
  return mlir::success();
}

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_CHECKS_H
