// Describes a planned entry for the stage emit.

#include "passes/plan/Signature.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::plan {

EntryAttr describeEntry(func::FuncOp entry, StringAttr name,
                        plan::ProgramOp program) {
  Builder b(entry.getContext());
  SmallVector<Attribute> inputs, outputs;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    inputs.push_back(
        TensorAttr::of(entry.getArgAttrDict(i), cast<RankedTensorType>(type)));
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    outputs.push_back(TensorAttr::of(entry.getResultAttrDict(i),
                                     cast<RankedTensorType>(type)));
  bool usesState = !program.getBody().front().getOps<plan::StateOp>().empty();
  return EntryAttr::get(b.getContext(), name, program.getSymName(),
                        b.getArrayAttr(inputs), b.getArrayAttr(outputs),
                        usesState, attrs::init.isOn(entry),
                        /*capturable=*/false);
}

} // namespace weir::plan
