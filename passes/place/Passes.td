// Passes that divide a model between a GPU and its host.

#ifndef WEIR_PASSES_PLACE
#define WEIR_PASSES_PLACE

include "mlir/Pass/PassBase.td"

def PlaceOps : Pass<"weir-place-ops", "::mlir::ModuleOp"> {
  let summary = "Marks the ops that a GPU's host computes";
  let description = [{
    All is the GPU's, unless the model or the user says otherwise: the module's
    `weir.devices` has the devices that nodes are constrained to, by their names,
    and `place` of `weir.gpu` rules of the form REGEX:cpu or REGEX:gpu, which are
    for all nodes whose name the expression is found in. A rule goes before a
    constraint, and a later rule before an earlier one. Of nested calls the
    innermost node of which anything is said decides. A rule that no node left
    has is an error, and so is a constraint to a device of another kind.

    ```mlir
    %y = graph.exp %x : tensor<4xf32> loc("lookup/exp")
    // becomes, with place = ["^lookup/:cpu"]
    %y = graph.exp %x {weir.host} : tensor<4xf32> loc("lookup/exp")
    ```
  }];
}

def CrossDevices : Pass<"weir-cross-devices", "::mlir::ModuleOp"> {
  let summary = "Copies what one device makes and the other uses";
  let description = [{
    Tasks with `host` take and give tensors in the host's memory; arguments,
    results, variables and all that decides control flow are the device's. A
    value that is used on the other side is copied once, where it is made, and
    each copy is told as a remark. A reshape between two tasks of the host stays
    there. Kernels of the host move into the module `@weir_host_kernels`, on which
    the passes for a CPU run.

    ```mlir
    %h = plan.task @a(%x) {host} : (tensor<4xf32>) -> tensor<4xf32>
    return %h : tensor<4xf32>
    // becomes
    %1 = plan.transfer %x to host : tensor<4xf32>
    %h = plan.task @a(%1) {host} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = plan.transfer %h to device : tensor<4xf32>
    return %2 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect",
                           "::weir::plan::PlanDialect"];
}

#endif // WEIR_PASSES_PLACE
