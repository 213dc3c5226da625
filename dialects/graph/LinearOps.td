// Linear algebra: factorizations and solvers on the last two dimensions.

#ifndef WEIR_DIALECTS_GRAPH_LINEAR
#define WEIR_DIALECTS_GRAPH_LINEAR

include "dialects/graph/GraphBase.td"

def Graph_CholeskyOp : Graph_Op<"cholesky", [SameOperandsAndResultType]> {
  let summary = "Lower triangular L with L * transpose(L) = x";
  let description = [{
    Batched over the leading dimensions; reads the lower triangle of each
    matrix and gives zeros above the diagonal.

    - (C1) the last two dimensions have one size.

    ```mlir
    %l = graph.cholesky %x : tensor<3x3xf32>
    ```
  }];
  let tensorflow = ["Cholesky"];
  let arguments = (ins Graph_FloatTensor:$x);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif // WEIR_DIALECTS_GRAPH_LINEAR
