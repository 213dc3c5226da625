// The kernel of a whole attention.

#ifndef WEIR_DIALECTS_KERNEL_ATTENTION
#define WEIR_DIALECTS_KERNEL_ATTENTION

include "dialects/kernel/KernelAttrs.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Dialect/Arith/IR/ArithOpsInterfaces.td"

def Kernel_AttentionOp
    : Kernel_Op<"attention", [AttrSizedOperandSegments, SingleBlock,
                              DeclareOpInterfaceMethods<ArithFastMathInterface>]> {
  let summary = "out = epilogue(weights(softmax(scores(Q * K))) * V)";
  let description = [{
    The two products of an attention and the softmax of each row between them.
    Each target decides how many rows and columns of the scores exist at a time.
    `scores` is the scalar function of the sums of `Q * K`, for example a scale
    and a mask. `weights` is the scalar function of the softmax, for example a
    cast. `epilogue` is that of the sums of the second product. Each has its own
    extras.

    - (C1) `out` is `batch.. x M x W`, `q` is `batch.. x M x D`, or
      `batch.. x D x M` with `transpose_q`.
    - (C2) `k` is `batch.. x D x N`, in `k_layout`, and `v` is `batch.. x N x W`, in
      `v_layout`. A layout is plain, panels or K-major. With `shared_k` or
      `shared_v` there are no batch dimensions. Elements of `k` have the type of
      `q`, and those of `v` the type of the weights, or are f16 or bf16 if these are
      f32.
    - (C3) all elements and sums are floats. The first argument of `scores` and of
      `epilogue` has the type of the sums. That of `weights` has the type in which
      the softmax adds up: f32 for scores of f16 and bf16, else the type of the
      scores. The rest is as for the epilogue of kernel.matmul, with the indices of
      the scores (`batch.. x M x N`) for `scores` and `weights`.
    - (C4) with `depth`, a scalar i64 of at least 0 and at most `D`, sums of `Q * K`
      have only their first `depth` terms. `columns` is the same for the sums of the
      second product, of `N` terms.

    With `masked`, a row whose scores are all -inf has weights of 0; without it
    they are NaN. `fastmath` is of the softmax.

    ```mlir
    %y = kernel.attention ins(%q, %k, %v : tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) score_extras(%m : tensor<6xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32> attributes {score_maps = [affine_map<(d0, d1) -> (d1)>]} scores {
    ^bb0(%sum: f32, %e: f32):
      %s = arith.addf %sum, %e : f32
      kernel.yield %s : f32
    } weights {
    ^bb0(%w: f32):
      kernel.yield %w : f32
    } epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Buffer:$q, Kernel_Buffer:$k, Kernel_Buffer:$v,
                   Optional<Kernel_Buffer>:$depth,
                   Optional<Kernel_Buffer>:$columns,
                   Variadic<Kernel_Buffer>:$score_extras,
                   Variadic<Kernel_Buffer>:$weight_extras,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   UnitAttr:$transpose_q, UnitAttr:$shared_k,
                   UnitAttr:$shared_v, UnitAttr:$masked,
                   Kernel_LayoutArg:$k_layout, Kernel_LayoutArg:$v_layout,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$score_maps,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$weight_maps,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   DefaultValuedAttr<Arith_FastMathAttr,
                     "::mlir::arith::FastMathFlags::none">:$fastmath);
  let regions = (region SizedRegion<1>:$scores, SizedRegion<1>:$weights,
                 SizedRegion<1>:$epilogue);
  let extra = [{
    /// The shape of the scores, `batch.. x M x N`.
    ::llvm::SmallVector<int64_t> scoreShape();
    /// The element type of the scores, of which the softmax is taken.
    ::mlir::Type scoreType();
    /// The type in which the softmax adds up.
    ::mlir::Type softmaxType();
    /// The element type of the weights, which the second product multiplies.
    ::mlir::Type weightType();
  }];
  let assemblyFormat = [{
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)`
    (`k_layout` $k_layout^)? (`v_layout` $v_layout^)?
    (`depth` `(` $depth^ `:` type($depth) `)`)?
    (`columns` `(` $columns^ `:` type($columns) `)`)?
    (`score_extras` `(` $score_extras^ `:` type($score_extras) `)`)?
    (`weight_extras` `(` $weight_extras^ `:` type($weight_extras) `)`)?
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword
    `scores` $scores `weights` $weights `epilogue` $epilogue
  }];
}

#endif // WEIR_DIALECTS_KERNEL_ATTENTION
