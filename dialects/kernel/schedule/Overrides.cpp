// Parameters of schedules that the user has fixed.

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> scheduledAlgorithms() {
  static constexpr llvm::StringLiteral names[] = {"matmul", "convolution",
                                                  "line"};
  return names;
}

SmallVector<StringRef> scheduleParameters() {
  llvm::SetVector<StringRef> names;
  auto add = [&](ArrayRef<StringRef> some) {
    names.insert(some.begin(), some.end());
  };
  add(parameterNames<MatmulSchedule>());
  add(parameterNames<ConvolutionSchedule>());
  add(parameterNames<LineSchedule>());
  return names.takeVector();
}

SmallVector<StringRef> nodesOf(Operation *kernel) {
  llvm::SetVector<StringRef> nodes;
  kernel->getLoc()->walk([&](Location location) {
    if (auto name = dyn_cast<NameLoc>(location))
      nodes.insert(name.getName());
    return WalkResult::advance();
  });
  return nodes.takeVector();
}

ArrayAttr overridesOf(Operation *kernel) {
  for (Operation *op = kernel; op; op = op->getParentOp())
    if (auto overrides = op->getAttrOfType<ArrayAttr>(overridesName))
      return overrides;
  return {};
}

bool appliesTo(ScheduleOverrideAttr override, Operation *kernel,
               StringRef algorithm) {
  if (!override.getAlgorithm().empty() && override.getAlgorithm() != algorithm)
    return false;
  llvm::Regex node(("^(" + override.getNode() + ")$").str());
  return llvm::any_of(nodesOf(kernel),
                      [&](StringRef name) { return node.match(name); });
}

DictionaryAttr fixedParameters(Operation *kernel, StringRef algorithm) {
  NamedAttrList fixed;
  if (ArrayAttr overrides = overridesOf(kernel))
    for (auto override : overrides.getAsRange<ScheduleOverrideAttr>())
      if (appliesTo(override, kernel, algorithm))
        for (NamedAttribute parameter : override.getParameters())
          fixed.set(parameter.getName(), parameter.getValue());
  return fixed.empty() ? DictionaryAttr()
                       : fixed.getDictionary(kernel->getContext());
}

} // namespace weir::kernel
