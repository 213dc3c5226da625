// Ops that combine elements along dimensions.

#ifndef WEIR_DIALECTS_GRAPH_REDUCE
#define WEIR_DIALECTS_GRAPH_REDUCE

include "dialects/graph/GraphBase.td"

// The reduced dimensions disappear.
class Graph_ReduceOp<string mnemonic, Type type>
    : Graph_Op<mnemonic, [InferTypeOpAdaptor]> {
  let fusion = "reduction";
  let arguments = (ins type:$x, DenseI64ArrayAttr:$dimensions);
  let results = (outs type:$result);
  let assemblyFormat = "$x $dimensions attr-dict `:` type($x)";
}

def Graph_ReduceSumOp : Graph_ReduceOp<"reduce_sum", Graph_NumberTensor> {
  let summary = "Sum along dimensions";
  let description = [{
    - (C1) `dimensions` are dimensions of `x`, ascending and distinct.

    The sum of no elements is 0. Integers wrap.

    ```mlir
    %y = graph.reduce_sum %x [1] : tensor<2x3xf32>
    ```
  }];
}

#endif // WEIR_DIALECTS_GRAPH_REDUCE
