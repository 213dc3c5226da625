// The plan dialect: where every buffer lies and in which order kernels run.

#ifndef WEIR_DIALECTS_PLAN_BASE
#define WEIR_DIALECTS_PLAN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::weir::plan";
  let summary = "The outer program: buffers at offsets, tasks in order";
  let description = [{
    A `plan.program` is one entry point of the product. Its buffers are places
    in the arena, in the blocks of weights and state, or the caller's own; its tasks run in
    the order in which they stand.
  }];
}

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

#endif // WEIR_DIALECTS_PLAN_BASE
