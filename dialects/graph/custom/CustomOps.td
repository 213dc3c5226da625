// The op that a function outside of the model computes.

#ifndef WEIR_DIALECTS_GRAPH_CUSTOM
#define WEIR_DIALECTS_GRAPH_CUSTOM

include "dialects/graph/GraphBase.td"

def Graph_CustomOp : Graph_Op<"custom"> {
  let summary = "Calls a C function from outside of the model";
  let description = [{
    Calls the C function `symbol` (`runtime/weir_custom.h`) `parts` times, each
    time with another part number and with `scratch` bytes of its own. Calls may
    run in parallel. The function depends on the inputs only and writes all
    results but the last; the last result holds the return value of each call.
    `dtypes` are the runtime's numbers of the types of inputs and results,
    without the last one.

    - (C1) the last result is a `tensor<PARTSxi32>`.
    - (C2) `parts` is from 1 to 65536, and `scratch` is not negative.
    - (C3) `symbol` is a name in C.
    - (C4) there is one of `dtypes` for each input and each result but the last.

    ```mlir
    %y, %failed = graph.custom "my_swish"(%x) parts 2 scratch 64 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>)
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$symbol,
                   I64Attr:$parts, I64Attr:$scratch, DenseI32ArrayAttr:$dtypes);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let assemblyFormat = [{
    $symbol `(` $inputs `)` `parts` $parts `scratch` $scratch `dtypes` $dtypes
    attr-dict `:` functional-type($inputs, results)
  }];
  let hasVerifier = 1;
}

#endif // WEIR_DIALECTS_GRAPH_CUSTOM
