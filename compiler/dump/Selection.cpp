// The kernels that --kernel selects.

#include "compiler/dump/Selection.h"

#include "compiler/Diagnostics.h"
#include "compiler/emit/codegen/KernelSymbols.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Phases.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir {

/// The name of a kernel with a body; empty for all other ops.
static StringRef kernelName(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  bool hasBody = op->getNumRegions() == 1 && !op->getRegion(0).empty();
  return name && hasBody && attrs::kernel.isOn(op) ? name.getValue()
                                                   : StringRef();
}

// A name with parentheses may be no regular expression.
Selection::Selection(StringRef wanted)
    : wanted(wanted), wantedKernel(kernelOfSymbol(wanted)),
      pattern(NamePattern::whole(wanted)) {}

bool Selection::matches(StringRef name) const {
  return name == wanted || pattern.matches(name);
}

void Selection::addKernel(StringRef kernel, Operation *op) {
  known.insert(kernel);
  bool isWanted = matches(kernel) || kernel == wantedKernel;
  for (StringRef node : kernel::nodesOf(op)) {
    known.insert(node);
    isWanted |= matches(node);
  }
  if (isWanted)
    selected.insert(kernel);
}

void Selection::add(Operation *root) {
  root->walk([&](Operation *op) {
    if (StringRef name = kernelName(op); !name.empty())
      addKernel(name, op);
    else if (auto task = dyn_cast<plan::TaskOp>(op))
      addKernel(task.getKernel(), op);
    else if (auto run = dyn_cast<plan::RunOp>(op))
      addKernel(run.getKernel(), op);
  });
}

bool Selection::contains(StringRef kernel) const {
  return selected.contains(kernel) ||
         selected.contains(plan::partOf(kernel).kernel);
}

SmallVector<Operation *> Selection::kernelsIn(Operation *root) const {
  SmallVector<Operation *> kernels;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (StringRef name = kernelName(op); !name.empty() && contains(name))
      kernels.push_back(op);
  });
  return kernels;
}

std::string Selection::fault() const {
  std::string fault = NamePattern::fault(wanted);
  if (!fault.empty())
    fault = ", which is no regular expression: " + fault;
  return "--kernel: no kernel, and no node of one, matches '" +
         escaped(wanted) + "'" + fault +
         didYouMean(wanted, known.getArrayRef());
}

} // namespace weir
