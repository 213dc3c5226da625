// Passes that turn gradients that are asked for into plain ops.

#ifndef WEIR_PASSES_GRAD
#define WEIR_PASSES_GRAD

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"weir-differentiate", "::mlir::func::FuncOp"> {
  let summary = "Replaces graph.gradient by the ops that compute it";
  let description = [{
    Reverse mode: walks from the loss back, and only over ops that lie between
    a wanted variable and the loss. Each op builds the gradients of its operands
    (`DifferentiableOpInterface`), in ops with its location, under the name
    `gradients/NODE`; those of a value that several ops use are added. A
    gradient of a gradient is computed once the inner one is plain ops. Regions
    of `graph.if` are computed again, and loops run backwards, over states that
    the loop saves where its number of steps has a bound, and computes again
    where it has none. An op without a derivative is an error that names the
    path on which it lies.

    Barriers and stopped gradients are gone afterwards, and the function has the
    attribute `weir.differentiated` where it had gradients.

    ```mlir
    %y = graph.mul %x, %x : tensor<4xf32>
    %c = graph.reduce_sum %y [0] : tensor<4xf32>
    %dx = graph.gradient %c of %x : tensor<f32>, (tensor<4xf32>)
    // becomes
    %one = graph.constant dense<1.0> : tensor<f32>
    %g = graph.broadcast %one [] : tensor<f32> to tensor<4xf32>
    %a = graph.mul %g, %x : tensor<4xf32>
    %b = graph.mul %g, %x : tensor<4xf32>
    %dx = graph.add %a, %b : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def SimplifyGradients
    : Pass<"weir-simplify-gradients", "::mlir::func::FuncOp"> {
  let summary = "Plain algebra on what derivative rules have built";
  let description = [{
    Of functions with the attribute `weir.differentiated`: factors of one go,
    signs meet, constants of one value pass through what only moves elements,
    equal ops become one, and what nothing uses goes.

    ```mlir
    %one = graph.constant dense<1.0> : tensor<4xf32>
    %dx = graph.mul %one, %y : tensor<4xf32>
    // becomes
    %y
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

#endif // WEIR_PASSES_GRAD
