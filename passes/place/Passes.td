// Passes that divide a model between a GPU and its host.

#ifndef WEIR_PASSES_PLACE
#define WEIR_PASSES_PLACE

include "mlir/Pass/PassBase.td"

def PlaceOps : Pass<"weir-place-ops", "::mlir::ModuleOp"> {
  let summary = "Marks the ops that a GPU's host computes";
  let description = [{
    All ops run on the GPU, unless the model or the user assigns them to the host.
    The module's `weir.devices` has the device constraints of nodes, by their names.
    `place` of `weir.gpu` has rules of the form REGEX:cpu or REGEX:gpu, for all
    nodes with a matching name. A rule has priority over a constraint, and a later
    rule over an earlier one. In nested calls the innermost node with a rule or a
    constraint decides. A rule that matches no remaining node is an error, and so
    is a constraint to a device that is neither a CPU nor a GPU.

    ```mlir
    %y = graph.exp %x : tensor<4xf32> loc("lookup/exp")
    // becomes, with place = ["^lookup/:cpu"]
    %y = graph.exp %x {weir.host} : tensor<4xf32> loc("lookup/exp")
    ```
  }];
}

#endif // WEIR_PASSES_PLACE
