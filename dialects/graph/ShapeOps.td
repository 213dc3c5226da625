// Ops that rearrange, select or make elements.

#ifndef WEIR_DIALECTS_GRAPH_SHAPE
#define WEIR_DIALECTS_GRAPH_SHAPE

include "dialects/graph/GraphBase.td"

def Graph_ReshapeOp : Graph_Op<"reshape"> {
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    - (C1) operand and result have as many elements.

    ```mlir
    %y = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // WEIR_DIALECTS_GRAPH_SHAPE
