// The kernels.

#ifndef WEIR_DIALECTS_KERNEL_OPS
#define WEIR_DIALECTS_KERNEL_OPS

include "dialects/kernel/KernelBase.td"

def Kernel_YieldOp : Op<Kernel_Dialect, "yield", [Terminator, Pure]> {
  let summary = "The value that the epilogue stores";
  let description = [{
    ```mlir
    kernel.yield %v : f32
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Kernel_MatmulOp : Kernel_SumOp<"matmul"> {
  let summary = "out = epilogue(A * B)";
  let description = [{
    - (C1) `out` is `batch.. x M x N`, `a` is `batch.. x M x K`, or
      `batch.. x K x M` with `transpose_a`.
    - (C2) `b` is plain, `batch.. x K x N`, or packed, `batch.. x ceil(N/NR) x K
      x NR`, its last panel padded with zeros. With `shared`, every batch uses
      one `b`, which has no such dimensions.
    - (C3) the epilogue takes the sum and one scalar an extra, and yields an
      element of `out`; the type of its first argument is the type of the sums.
    - (C4) the epilogue holds elementwise ops and constants only.
    - (C5) each extra map takes the dimensions of `out`; its results are
      dimensions in ascending order, or 0 where the extra has size 1, the last
      dimension of `out` only in the last place.

    ```mlir
    %y = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<1x8x32xf32>) extras(%bias : tensor<20xf32>) outs(%c : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
    ^bb0(%sum: f32, %e: f32):
      %v = arith.addf %sum, %e : f32
      kernel.yield %v : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Buffer:$a, Kernel_Buffer:$b,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   UnitAttr:$transpose_a, UnitAttr:$shared,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps);
  let extra = [{
    /// Whether `b` is in panels.
    bool isPacked();
  }];
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_PackOp : Kernel_Op<"pack"> {
  let summary = "Packs the right side of a matmul into panels";
  let description = [{
    - (C1) `b` is `batch.. x K x N`, or `batch.. x N x K` with `transpose_b`;
      `out` is `batch.. x ceil(N/NR) x K x NR`. Where a panel reaches past N it
      is zero.

    ```mlir
    %p = kernel.pack ins(%b : tensor<8x20xf32>) outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
    ```
  }];
  let arguments = (ins Kernel_Buffer:$b, Kernel_Buffer:$out,
                   UnitAttr:$transpose_b);
  let assemblyFormat = [{
    `ins` `(` $b `:` type($b) `)` `outs` `(` $out `:` type($out) `)`
    (`->` type($results)^)? attr-dict
  }];
}

#endif // WEIR_DIALECTS_KERNEL_OPS
