// Which ops of a program an ONNX file needs.

#include "compiler/export/onnx/Liveness.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace weir::to_onnx {

bool Liveness::isLive(Operation *op) const {
  // Kernels may compute padded buffers beyond the sizes that symbols number.
  if (isa<graph::CheckOp, graph::ConstantOp, graph::SymbolOp>(op))
    return false;
  if (isa<graph::WriteVariableOp, graph::KeepOp>(op))
    return true;
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return used.contains(result); });
}

void Liveness::visit(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isLive(&op))
      continue;
    used.insert(op.operand_begin(), op.operand_end());
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
  }
}

} // namespace weir::to_onnx
