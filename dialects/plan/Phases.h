// The names of the functions that a kernel with barriers becomes.

#ifndef WEIR_DIALECTS_PLAN_PHASES_H
#define WEIR_DIALECTS_PLAN_PHASES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace weir::plan {

/// The kernel and the phase that a function is of.
struct KernelPart {
  llvm::StringRef kernel;
  /// Null for a function with the whole kernel.
  std::optional<unsigned> phase;
};

/// The name of the function of a phase, as kernel_3_phase_0.
std::string phaseName(llvm::StringRef kernel, unsigned phase);

/// The inverse of `phaseName`.
KernelPart partOf(llvm::StringRef function);

} // namespace weir::plan

#endif // WEIR_DIALECTS_PLAN_PHASES_H
