// Parameters of schedules that the user has fixed.

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir::kernel {

SmallVector<StringRef> nodesOf(Operation *op) {
  llvm::SetVector<StringRef> nodes;
  op->getLoc()->walk([&](Location location) {
    if (auto name = dyn_cast<NameLoc>(location))
      nodes.insert(name.getName());
    return WalkResult::advance();
  });
  return nodes.takeVector();
}

llvm::SetVector<StringRef> namesOf(Operation *kernel) {
  llvm::SetVector<StringRef> names, others;
  for (StringRef node : nodesOf(kernel))
    names.insert(node);
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  if (!function)
    return names;
  function->walk([&](Operation *op) {
    if (op != kernel && isa_and_nonnull<KernelDialect>(op->getDialect()))
      for (StringRef node : nodesOf(op))
        others.insert(node);
  });
  for (StringRef node : nodesOf(function))
    if (!others.contains(node))
      names.insert(node);
  return names;
}

LogicalResult
ScheduleOverrideAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             StringRef node, StringRef algorithm,
                             DictionaryAttr) {
  if (std::string fault = NamePattern::fault(node); !fault.empty())
    return emitError() << "node '" << node
                       << "' is no regular expression: " << fault;
  if (!algorithm.empty() &&
      !llvm::is_contained(scheduledAlgorithms(), algorithm))
    return emitError() << "no kernel has the algorithm '" << algorithm << "'";
  return success();
}

LogicalResult KernelDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute named) {
  if (named.getName() != overridesName)
    return success();
  auto overrides = dyn_cast<ArrayAttr>(named.getValue());
  if (!overrides || !isa<ModuleOp>(op) ||
      !llvm::all_of(overrides, llvm::IsaPred<ScheduleOverrideAttr>))
    return op->emitError(overridesName)
           << " is for modules and is an array of #kernel.schedule_override";
  return success();
}

Override::Override(ScheduleOverrideAttr attr)
    : attr(attr), node(NamePattern::whole(attr.getNode())) {}

bool Override::appliesTo(Operation *kernel, Algorithm algorithm) const {
  if (!attr.getAlgorithm().empty() && attr.getAlgorithm() != nameOf(algorithm))
    return false;
  return llvm::any_of(namesOf(kernel),
                      [&](StringRef name) { return node.matches(name); });
}

std::vector<Override> overridesOf(Operation *op) {
  ArrayAttr attrs;
  for (; op && !attrs; op = op->getParentOp())
    attrs = op->getAttrOfType<ArrayAttr>(overridesName);
  std::vector<Override> overrides;
  if (attrs)
    for (auto attr : attrs.getAsRange<ScheduleOverrideAttr>())
      overrides.emplace_back(attr);
  return overrides;
}

DictionaryAttr fixedParameters(ArrayRef<Override> overrides, Operation *kernel,
                               Algorithm algorithm) {
  NamedAttrList fixed;
  for (const Override &override : overrides)
    if (override.appliesTo(kernel, algorithm))
      for (NamedAttribute parameter : override.attr.getParameters())
        fixed.set(parameter.getName(), parameter.getValue());
  return fixed.empty() ? DictionaryAttr()
                       : fixed.getDictionary(kernel->getContext());
}

} // namespace weir::kernel
