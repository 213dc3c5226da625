// Quantized weights of 2, 4 or 8 bits, and products with them.

#ifndef WEIR_DIALECTS_GRAPH_PACKED
#define WEIR_DIALECTS_GRAPH_PACKED

include "dialects/graph/GraphBase.td"

def Graph_Codes : Graph_TensorOf<[I8, UI8]>;
def Graph_Scales : Graph_TensorOf<[F16, BF16, F32]>;

def Graph_DequantizeOp : Graph_Op<"dequantize"> {
  let summary = "(codes - zeros) * scales, with a scale for each block of codes";
  let description = [{
    Codes are integers of `bits` bits. A byte has one code, in its lowest bits, or
    several along the last dimension, the first in the lowest bits; rows are then
    whole bytes. With `signed` they are two's complements. Blocks are `block`
    neighbours along dimension `axis` of the result, and the last block may be
    smaller. Without `zeros` the zero points are 0. With `quantized` a product
    with the result may quantize its other operand, too.

    Frontends build the op from constants, and weir-form-packed-products removes
    it.

    - (C1) the axis is a dimension of the result, `block` is positive and `bits`
      2, 4 or 8.
    - (C2) there is a code for each element of the result.
    - (C3) the scales have the shape of the result, with one for each block along
      the axis; the zero points are codes of this shape.

    ```mlir
    %w = graph.dequantize %q, %s, %z axis 0 block 32 bits 4 : tensor<64x3xui8>, tensor<2x6xf32>, tensor<2x3xui8> -> tensor<64x6xf32>
    ```
  }];
  let arguments = (ins Graph_Codes:$codes, Graph_Scales:$scales,
                   Optional<Graph_Codes>:$zeros, I64Attr:$axis,
                   I64Attr:$block, I64Attr:$bits, UnitAttr:$is_signed,
                   UnitAttr:$quantized);
  let results = (outs Graph_TensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $codes `,` $scales (`,` $zeros^)? `axis` $axis `block` $block `bits` $bits
    (`signed` $is_signed^)? (`quantized` $quantized^)? attr-dict
    `:` type($codes) `,` type($scales)
    (`,` type($zeros)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_PackedMatmulOp : Graph_Op<"packed_matmul", [InferTypeOpAdaptor]> {
  let summary = "Matrix product with packed quantized weights";
  let description = [{
    The weights are `columns` columns of `x`'s depth, in the layout of
    `dialects/kernel/PackedWeights.h`. They are codes of `bits` bits. A block of
    `block` neighbours along the depth shares a scale of `scale_type` and a zero
    point. The zero point is `zero` for all, or without `zero` a byte for each
    block.

    With `quantized` the kernel may quantize each block of `x` to signed bytes,
    with a scale of its own, and multiply integers.

    Elements of `x` that are not finite make all results of their row NaN, while
    a product of floats may have infinities.

    - (C1) `x` has rank 2.
    - (C2) `bits` is 2, 4 or 8, and a block is whole words of 32 bits; scales are
      f32, f16 or bf16.
    - (C3) the weights are panels of 32 columns with the records of their blocks.

    ```mlir
    %y = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales f32 zero 8 : tensor<2x64xf32>, tensor<2x1280xi8>
    ```
  }];
  let fusion = "contraction";
  let arguments = (ins Graph_TensorOf<[F32]>:$x, Graph_TensorOf<[I8]>:$weights,
                   I64Attr:$columns, I64Attr:$bits, I64Attr:$block,
                   TypeAttr:$scale_type, OptionalAttr<I64Attr>:$zero,
                   UnitAttr:$quantized);
  let results = (outs Graph_TensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $x `,` $weights `columns` $columns `bits` $bits `block` $block
    `scales` $scale_type (`zero` $zero^)? (`quantized` $quantized^)?
    attr-dict `:` type($x) `,` type($weights)
  }];
}

#endif // WEIR_DIALECTS_GRAPH_PACKED
