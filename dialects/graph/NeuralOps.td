// Matrix products, convolutions, pools, norms: what networks are made of.

#ifndef WEIR_DIALECTS_GRAPH_NEURAL
#define WEIR_DIALECTS_GRAPH_NEURAL

include "dialects/graph/GraphBase.td"

def Graph_MatmulOp : Graph_Op<"matmul", [InferTypeOpAdaptor]> {
  let summary = "Matrix product over the last two dimensions";
  let description = [{
    - (C1) `a` and `b` have one element type, one rank of at least 2, and the
      same leading (batch) dimensions.
    - (C2) the contracted dimensions have one size.

    With `transpose_a`, `a` holds its matrices as `K x M`; with `transpose_b`,
    `b` as `N x K`. f16 and bf16 accumulate in f32.

    ```mlir
    %c = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xf32>
    ```
  }];
  let fusion = "contraction";
  let arguments = (ins Graph_NumberTensor:$a, Graph_NumberTensor:$b,
                   UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b)";
}

#endif // WEIR_DIALECTS_GRAPH_NEURAL
