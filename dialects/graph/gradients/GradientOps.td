// Requested gradients, and ops that keep and stop them, until stage grad.

#ifndef WEIR_DIALECTS_GRAPH_GRADIENT
#define WEIR_DIALECTS_GRAPH_GRADIENT

include "dialects/graph/GraphBase.td"

def Graph_BarrierOp : Graph_Op<"barrier", [SameOperandsAndResultType]> {
  let summary = "The operand; no op folds across it";
  let description = [{
    Keeps a value whose gradient is requested in the program, until stage
    `grad`, which removes it.

    ```mlir
    %y = graph.barrier %x : tensor<4xf32>
    ```
  }];
  let fusion = "none";
  let derivative = "rule";
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

def Graph_StopGradientOp
    : Graph_Op<"stop_gradient", [SameOperandsAndResultType]> {
  let summary = "The operand, a constant for derivatives";
  let description = [{
    With `refusal`, a gradient through it is an error with that message.
    Stage `grad` removes it.

    ```mlir
    %y = graph.stop_gradient %x : tensor<4xf32>
    %z = graph.stop_gradient %x refusal "is not to be differentiated" : tensor<4xf32>
    ```
  }];
  let fusion = "none";
  let derivative = "zero";
  let arguments = (ins Graph_Tensor:$x, OptionalAttr<StrAttr>:$refusal);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x (`refusal` $refusal^)? attr-dict `:` type($result)
  }];
}

def Graph_GradientOp : Graph_Op<"gradient", [InferTypeOpAdaptor]> {
  let summary = "Derivatives of the sum of a tensor by other tensors";
  let description = [{
    There is one result for each of `variables`: the derivative of the sum of
    all elements of `loss` by each element of the variable. It is zeros if the
    loss does not depend on the variable. `weir-differentiate` replaces it by plain ops. The
    loss may depend on other gradients.

    - (C1) `results` have the types of `variables`.

    ```mlir
    %dx, %dy = graph.gradient %c of %x, %y : tensor<f32>, (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let fusion = "none";
  let arguments = (ins Graph_FloatTensor:$loss,
                   Variadic<Graph_FloatTensor>:$variables);
  let results = (outs Variadic<Graph_FloatTensor>:$results);
  let assemblyFormat = [{
    $loss `of` $variables attr-dict `:` type($loss) `,` `(` type($variables) `)`
  }];
}

#endif // WEIR_DIALECTS_GRAPH_GRADIENT
