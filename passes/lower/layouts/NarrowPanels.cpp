// Narrows the panels of constants that a row or a few are multiplied by.
//
// Wide panels save instructions if several rows meet each of their rows. A
// single row waits for the weights instead, of which threads can share narrow
// panels more evenly, with less padding. Of a few rows tiles are as wide as the
// registers have sums for all of them, with several panels if the weights come
// from memory. A constant that other products read too keeps its width: one
// packing is for all.

#include "passes/lower/layouts/PanelWidths.h"

#include "dialects/graph/Graph.h"
#include "dialects/kernel/Target.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::lower {
namespace {

/// Panels that a product of few rows reads, and what they could be.
struct Panels {
  kernel::PackOp pack;
  int64_t width;

  static std::optional<Panels> of(Value argument) {
    if (!argument.hasOneUse())
      return std::nullopt;
    auto pack = dyn_cast<kernel::PackOp>(*argument.user_begin());
    if (!pack || pack.getB() != argument || pack->getNumResults() != 1 ||
        !pack.getLayout().isPanels())
      return std::nullopt;
    kernel::MatmulOp product = productOf(pack);
    auto type = dyn_cast<RankedTensorType>(pack->getResult(0).getType());
    if (!product || !type || product.getB() != pack->getResult(0))
      return std::nullopt;
    auto out = cast<ShapedType>(product.getOut().getType());
    int64_t columns = out.getShape().back(), rank = type.getRank();
    if (out.getNumElements() == 0)
      return std::nullopt;
    int64_t rows = out.getNumElements() / columns;
    auto target = kernel::Target::of(pack);
    // Of the sums, as panels are packed for.
    Type element = sumOf(product);
    int64_t width = target.panelWidth(element, columns);
    // Of a batch of matrices each has rows of its own.
    if (rows > 1 && rank > 3)
      return std::nullopt;
    if (rows > 1) {
      Type stored = type.getElementType();
      int64_t depth = type.getDimSize(rank - 2);
      int64_t bytes = depth * columns * stored.getIntOrFloatBitWidth() / 8;
      bool several = target.widthOfSeveralPanels(stored, rows, columns, bytes);
      width =
          several ? target.lanes(stored) : target.fewRowsWidth(stored, rows);
    }
    if (type.getShape().back() != target.matrixPanelWidth(element, columns) ||
        width == 0 || width >= type.getShape().back())
      return std::nullopt;
    return Panels{pack, width};
  }

  kernel::LayoutAttr layout() {
    return kernel::LayoutAttr::panels(pack.getContext(), width);
  }
  Type type() {
    return RankedTensorType::get(
        layout().getFormat().shapeOf(layout(), pack.getSource()),
        pack.getSource().element);
  }
};

struct Candidate {
  Panels panels;
  SmallVector<Attribute> constants; // of the tasks
};

/// Constants only: what else is given is packed by the run.
SmallVector<Attribute> given(BlockArgument argument,
                             ArrayRef<plan::TaskOp> callers) {
  SmallVector<Attribute> constants;
  unsigned index = argument.getArgNumber();
  for (plan::TaskOp task : callers)
    if (index < task->getNumOperands())
      if (auto constant =
              task->getOperand(index).getDefiningOp<graph::ConstantOp>())
        constants.push_back(constant.getValue());
  return constants;
}

bool isPacked(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    return isa<kernel::PackOp, kernel::PackFilterOp>(user);
  });
}

} // namespace

void narrowPanels(ModuleOp module) {
  SmallVector<Candidate> candidates;
  llvm::DenseSet<Attribute> wide; // constants
  for (auto &[name, callers] : plan::tasksOfKernels(module))
    if (auto kernel = module.lookupSymbol<func::FuncOp>(name))
      for (BlockArgument argument : kernel.getArguments()) {
        SmallVector<Attribute> constants = given(argument, callers);
        auto panels = Panels::of(argument);
        if (panels && constants.size() == callers.size())
          candidates.push_back({*panels, constants});
        else if (isPacked(argument))
          wide.insert(constants.begin(), constants.end());
      }
  // One packing is for all that a constant is given to.
  llvm::DenseMap<Attribute, Type> types;
  for (Candidate &candidate : candidates)
    for (Attribute constant : candidate.constants)
      if (Type type = candidate.panels.type();
          types.try_emplace(constant, type).first->second != type)
        wide.insert(constant);
  // A kernel that stays as it is has all that it runs with stay so.
  for (bool more = true; std::exchange(more, false);)
    llvm::erase_if(candidates, [&](const Candidate &candidate) {
      if (llvm::none_of(candidate.constants,
                        [&](Attribute a) { return wide.contains(a); }))
        return false;
      wide.insert(candidate.constants.begin(), candidate.constants.end());
      return more = true;
    });
  for (Candidate &candidate : candidates)
    repack(candidate.panels.pack, candidate.panels.layout());
}

} // namespace weir::lower
