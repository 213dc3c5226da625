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

def CrossDevices : Pass<"weir-cross-devices", "::mlir::ModuleOp"> {
  let summary = "Copies values that one device computes and the other uses";
  let description = [{
    Operands and results of tasks with `host` are in the host's memory. Arguments,
    results, variables and the conditions of control flow are in the device's. A
    value that the other side uses is copied once, after its task, and a remark
    reports each copy. A reshape between two tasks of the host stays there. Kernels
    of the host move into the module `@weir_host_kernels`, on which the passes for
    a CPU run.

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
