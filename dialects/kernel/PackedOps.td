// Kernels that unpack quantized weights.

#ifndef WEIR_DIALECTS_KERNEL_PACKED
#define WEIR_DIALECTS_KERNEL_PACKED

include "dialects/kernel/KernelBase.td"

def Kernel_PackedMatmulOp : Kernel_SumOp<"packed_matmul"> {
  let summary = "out = epilogue(A * B), B packed and quantized";
  let description = [{
    The bytes of B are those of graph.packed_matmul.

    - (C1) `a` is `M x K` and `out` `M x N`; `a` and sums are f32.
    - (C2) `weights` are i8, the panels of such a matrix
      (`dialects/kernel/PackedWeights.h`).
    - With `quantized` the kernel may multiply integers, as graph.packed_matmul
      describes.
    - The epilogue is as for kernel.matmul.

    ```mlir
    %y = kernel.packed_matmul ins(%a, %w : tensor<2x64xf32>, tensor<2x1280xi8>) outs(%c : tensor<2x40xf32>) -> tensor<2x40xf32> attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64} {
    ```
  }];
  let arguments = (ins Kernel_Buffer:$a, Kernel_Buffer:$weights,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   I64Attr:$bits, I64Attr:$block, TypeAttr:$scale_type,
                   OptionalAttr<I64Attr>:$zero, UnitAttr:$quantized,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps);
  let extra = [{
    ::weir::kernel::PackedWeights layout();
  }];
  let assemblyFormat = [{
    `ins` `(` $a `,` $weights `:` type($a) `,` type($weights) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

#endif // WEIR_DIALECTS_KERNEL_PACKED
