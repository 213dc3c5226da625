// The plan dialect: the offsets of buffers and the order of kernels.

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
    A `plan.program` is one entry point of the product. Its buffers have offsets
    in the arena or in the blocks of weights and state, or are the caller's. Its
    tasks run in their order in the program.
  }];
}

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

#endif // WEIR_DIALECTS_PLAN_BASE
