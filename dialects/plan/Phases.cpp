// The names of the functions that a kernel with barriers becomes.

#include "dialects/plan/Phases.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace weir::plan {

static constexpr StringLiteral infix = "_phase_";

std::string phaseName(StringRef kernel, unsigned phase) {
  return (kernel + infix + Twine(phase)).str();
}

KernelPart partOf(StringRef function) {
  size_t at = function.rfind(infix);
  unsigned phase;
  // The kernels of IR may have any names.
  if (at == StringRef::npos ||
      function.drop_front(at + infix.size()).getAsInteger(10, phase))
    return {function, std::nullopt};
  return {function.take_front(at), phase};
}

} // namespace weir::plan
