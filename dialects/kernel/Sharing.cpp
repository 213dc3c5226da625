// How many threads share work.

#include "dialects/kernel/Sharing.h"

#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {

int64_t slotsOf(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto slots = module ? attrs::slots.of(module) : nullptr;
  return slots ? std::max<int64_t>(1, slots.getInt()) : 1;
}

std::optional<RowBlocks> RowBlocks::of(Operation *op) {
  auto kernel = dyn_cast<func::FuncOp>(op);
  if (!kernel)
    kernel = op->getParentOfType<func::FuncOp>();
  RowBlocksAttr blocks = kernel ? attrs::rowBlocks.of(kernel) : nullptr;
  if (!blocks)
    return std::nullopt;
  return RowBlocks{blocks.getRows(), blocks.getSize()};
}

int64_t evenPart(int64_t whole, int64_t most) {
  int64_t part = std::min(most, whole);
  while (whole % part)
    --part;
  return part;
}

} // namespace weir
