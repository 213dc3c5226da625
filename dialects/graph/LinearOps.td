// Linear algebra: factorizations and solvers on the last two dimensions.

#ifndef WEIR_DIALECTS_GRAPH_LINEAR
#define WEIR_DIALECTS_GRAPH_LINEAR

include "dialects/graph/GraphBase.td"

// Matrices in the last two dimensions, batched over the others.
def Graph_Matrices : Graph_TensorOf<[F32, F64]>;

def Graph_CholeskyOp : Graph_Op<"cholesky", [SameOperandsAndResultType]> {
  let summary = "Lower triangular L with L * transpose(L) = x";
  let description = [{
    Batched over the leading dimensions. Reads the lower triangle of each matrix
    and returns zeros above the diagonal. If a matrix is not positive definite,
    the result has NaN.

    - (C1) the last two dimensions have one size.

    ```mlir
    %l = graph.cholesky %x : tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Graph_Matrices:$x);
  let results = (outs Graph_Matrices:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
  let derivative = "rule";
}

def Graph_TriangularSolveOp : Graph_Op<"triangular_solve", [InferTypeOpAdaptor]> {
  let summary = "The x with a * x = b, for triangular a";
  let description = [{
    Reads the upper triangle of `a`, or with `lower` the lower one. With
    `adjoint`, `a` is transposed after that. With `unit`, its diagonal counts as
    ones.

    - (C1) the last two dimensions of `a` have one size, which is also that of
      the last but one of `b`; leading dimensions and element types agree.

    ```mlir
    %x = graph.triangular_solve %a, %b lower : tensor<3x3xf32>, tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Graph_Matrices:$a, Graph_Matrices:$b, UnitAttr:$lower,
                   UnitAttr:$adjoint, UnitAttr:$unit);
  let results = (outs Graph_Matrices:$result);
  let assemblyFormat = [{
    $a `,` $b (`lower` $lower^)? (`adjoint` $adjoint^)? (`unit` $unit^)? attr-dict
    `:` type($a) `,` type($b)
  }];
  let derivative = "rule";
}

def Graph_LuOp : Graph_Op<"lu", [InferTypeOpAdaptor]> {
  let summary = "Triangular factors of x with its rows exchanged";
  let description = [{
    `factors` holds U on and above the diagonal and L below it, whose diagonal
    is ones; row i of L * U is row `permutation[i]` of `x`. `sign` is -1 for an
    odd permutation, else 1. A column with a zero pivot does not change.

    - (C1) the last two dimensions have one size.

    ```mlir
    %lu, %p, %s = graph.lu %x : tensor<5x3x3xf32>
    ```
  }];
  let arguments = (ins Graph_Matrices:$x);
  let results = (outs Graph_Matrices:$factors,
                 Graph_TensorOf<[I32]>:$permutation, Graph_Matrices:$sign);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let derivative = "rule";
}

def Graph_QrOp : Graph_Op<"qr", [InferTypeOpAdaptor]> {
  let summary = "Orthogonal Q and upper triangular R with Q * R = x";
  let description = [{
    Uses Householder reflections. For M x N matrices, Q is M x P and R is P x N,
    with P the smaller of M and N, or M with `full`.

    - (C1) `x` has rank 2 or more.

    ```mlir
    %q, %r = graph.qr %x : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_Matrices:$x, UnitAttr:$full);
  let results = (outs Graph_Matrices:$q, Graph_Matrices:$r);
  let assemblyFormat = "$x (`full` $full^)? attr-dict `:` type($x)";
  let derivative = "rule";
}

def Graph_SvdOp : Graph_Op<"svd", [InferTypeOpAdaptor]> {
  let summary = "Singular values and vectors: u * diagonal(s) * transpose(v) = x";
  let description = [{
    Uses one-sided Jacobi rotations; `s` descends. For M x N matrices, with P the
    smaller of M and N, `s` has P elements, `u` is M x P and `v` N x P; with
    `full`, they are M x M and N x N.

    - (C1) `x` has rank 2 or more.

    ```mlir
    %s, %u, %v = graph.svd %x full : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_Matrices:$x, UnitAttr:$full);
  let results = (outs Graph_Matrices:$s, Graph_Matrices:$u, Graph_Matrices:$v);
  let assemblyFormat = "$x (`full` $full^)? attr-dict `:` type($x)";
  let derivative = "rule";
}

#endif // WEIR_DIALECTS_GRAPH_LINEAR
