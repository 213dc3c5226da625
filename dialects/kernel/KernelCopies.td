// The kernels that pack and copy operands for other kernels.

#ifndef WEIR_DIALECTS_KERNEL_COPIES
#define WEIR_DIALECTS_KERNEL_COPIES

include "dialects/kernel/KernelAttrs.td"
include "dialects/kernel/KernelBase.td"

// What writes weights in a layout.
class Kernel_WeightsOp<string mnemonic>
    : Kernel_Op<mnemonic, [PackOpInterface]> {
  let extra = [{
    ::weir::kernel::WeightsSource getSource();
  }];
}

def Kernel_PackOp : Kernel_WeightsOp<"pack"> {
  let summary = "Packs the right side of a matmul";
  let description = [{
    - (C1) `b` is `batch.. x K x N`, or `batch.. x N x K` with `transpose_b`.
      `out` has these weights in `layout`, with elements of their type, or of that
      of the layout. Weights of f32 may be stored as f16 or bf16.
    - A pack that is compiled writes `panels`, `k_major` or `pairing`.
      `weir-pack-weights` packs constants, in any layout.
    - Some panels are not eligible for `pairing`: their columns are uneven or
      nearly empty, or small integers times a power of two. Their correction terms
      are NaN.

    ```mlir
    %p = kernel.pack ins(%b : tensor<8x20xf32>) layout <panels(32)> outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
    ```
  }];
  let arguments = (ins Kernel_Buffer:$b, Kernel_Buffer:$out,
                   Kernel_LayoutAttr:$layout, UnitAttr:$transpose_b);
  let assemblyFormat = [{
    `ins` `(` $b `:` type($b) `)` `layout` $layout
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)? attr-dict
  }];
}

def Kernel_PackFilterOp : Kernel_WeightsOp<"pack_filter"> {
  let summary = "Packs the filter of a convolution";
  let description = [{
    - (C1) `filter` is `spatial.. x CI x CO`. `out` has it in `layout`, as for
      kernel.pack. It may lack the dimensions of windows of one element.
    - A pack that is compiled writes `panels` or `k_major`.

    ```mlir
    %p = kernel.pack_filter ins(%w : tensor<3x3x4x20xf32>) groups 2 layout <panels(16)> outs(%e : tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32>
    ```
  }];
  let arguments = (ins Kernel_Buffer:$filter, Kernel_Buffer:$out,
                   Kernel_LayoutAttr:$layout, I64Attr:$groups);
  let assemblyFormat = [{
    `ins` `(` $filter `:` type($filter) `)` `groups` $groups `layout` $layout
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)? attr-dict
  }];
}

def Kernel_CornerOp : Kernel_Op<"corner"> {
  let summary = "Copies between contiguous elements and a padded buffer";
  let description = [{
    The elements in question have, along each of `dims`, an index below its size.
    Without `compacts` they are copied from the first elements of the contiguous
    `x` to the padded buffer `out`. With it they are copied from the padded buffer
    `x` to the first elements of `out`. Contiguous elements are in row-major order
    of the dimensions `order` of the padded buffer. Other elements of `out` do not
    change. A size is clamped to 0 and the dimension's.

    - (C1) The contiguous buffer has one dimension, and as many elements of the
      same type as the padded one.
    - (C2) `order` is a permutation of the dimensions of the padded buffer.
    - (C3) `dims` are dimensions of the padded buffer, and there is a size for
      each.

    ```mlir
    kernel.corner ins(%x : memref<96xf32>) sizes(%n : memref<i64>) along [1] order [0, 2, 1] outs(%y : memref<2x6x8xf32>)
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Variadic<Kernel_Buffer>:$sizes,
                   Kernel_Buffer:$out, DenseI64ArrayAttr:$dims,
                   DenseI64ArrayAttr:$order, UnitAttr:$compacts);
  let extra = [{
    ::mlir::Value getPadded() { return getCompacts() ? getX() : getOut(); }
    ::mlir::Value getFlat() { return getCompacts() ? getOut() : getX(); }
  }];
  let assemblyFormat = [{
    (`compacts` $compacts^)? `ins` `(` $x `:` type($x) `)`
    `sizes` `(` $sizes `:` type($sizes) `)` `along` $dims `order` $order
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)? attr-dict
  }];
}

#endif // WEIR_DIALECTS_KERNEL_COPIES
