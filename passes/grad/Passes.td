// Passes that turn requested gradients into plain ops.

#ifndef WEIR_PASSES_GRAD
#define WEIR_PASSES_GRAD

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"weir-differentiate", "::mlir::func::FuncOp"> {
  let summary = "Replaces graph.gradient by the ops that compute it";
  let description = [{
    The pass uses reverse mode: it walks from the loss back, over the ops between
    a requested variable and the loss. Each op builds the gradients of its operands
    (`DifferentiableOpInterface`), in ops with its location, under the name
    `gradients/NODE`. Gradients of a value that several ops use are added. A
    gradient of a gradient is computed once the inner one is plain ops. Regions
    of `graph.if` are computed again, and loops run backwards. A loop saves its
    states if its number of steps has a bound, and recomputes them otherwise. An
    op without a derivative is an error that names the path to it.

    The pass removes barriers and stopped gradients. A function that had gradients
    gets the attribute `weir.differentiated`.

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
  let summary = "Simplifies the algebra of derivative rules";
  let description = [{
    Each `graph.filter_gradient` becomes a convolution, unless cuDNN computes it
    (see `weir-expand-filter-gradients`).

    In functions with the attribute `weir.differentiated` the pass also removes
    factors of one and unused ops, combines signs, moves splat constants through
    ops that only move elements, and merges equal ops.

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
