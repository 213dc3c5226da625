// Passes that decide which ops become one kernel.

#ifndef WEIR_PASSES_FUSE
#define WEIR_PASSES_FUSE

include "mlir/Pass/PassBase.td"

def FormGroups : Pass<"weir-form-groups", "::mlir::func::FuncOp"> {
  let summary = "Puts every op that computes into a group, one kernel each";
  let description = [{
    Walks a block from its end. An op begins a group, which takes producers
    that only it uses where they make one loop nest with it: elementwise and
    rearranging ops; a contraction whose epilogue the group then is; reductions
    of rows, with what is computed of their values and of elements with these,
    as loops over the same rows. A product takes transposes that only move rows,
    of its operands and of its result.
    Splat constants are copied into each group that uses them. What is a view of
    memory between groups stays outside: reshapes, slices that are runs of most
    of their operand, and concats of runs.

    ```mlir
    %a = graph.exp %x : tensor<4xf32>
    %b = graph.add %a, %y : tensor<4xf32>
    // becomes
    %b = graph.group(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
      %a = graph.exp %p : tensor<4xf32>
      %c = graph.add %a, %q : tensor<4xf32>
      graph.yield %c : tensor<4xf32>
    }
    ```
  }];
}

def FlattenGroups : Pass<"weir-flatten-groups", "::mlir::func::FuncOp"> {
  let summary = "Merges the dimensions of elementwise groups";
  let description = [{
    Where no broadcast tells two adjacent dimensions apart, they become one:
    loops get longer, which vectorizes better, and more groups become equal.
    The reshapes around the group are views.

    ```mlir
    %y = graph.group(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> { ... }
    // becomes
    %0 = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
    %1 = graph.group(%0) : (tensor<6xf32>) -> tensor<6xf32> { ... }
    %y = graph.reshape %1 : tensor<6xf32> to tensor<2x3xf32>
    ```
  }];
}

def JoinGroups : Pass<"weir-join-groups", "::mlir::func::FuncOp"> {
  let summary = "Makes elementwise groups that feed each other one group";
  let description = [{
    Where an elementwise group uses what another makes of as many elements, and
    nobody needs that earlier, both are one group with the results of both: one
    loop, which reads and writes each element once. So the slots of an optimizer
    and its variable take one pass over memory. It declines where inputs that
    were done with would have to wait, more than results do less.

    ```mlir
    %m = graph.group(%g, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    %y = graph.group(%x, %m) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    // becomes
    %r:2 = graph.group(%g, %n, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) { ... }
    ```
  }];
}

#endif // WEIR_PASSES_FUSE
