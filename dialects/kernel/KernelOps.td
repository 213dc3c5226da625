// The kernels.

#ifndef WEIR_DIALECTS_KERNEL_OPS
#define WEIR_DIALECTS_KERNEL_OPS

include "dialects/kernel/KernelBase.td"
include "dialects/kernel/KernelCopies.td"
include "dialects/kernel/schedule/Schedules.td"

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

def Kernel_MatmulOp : Kernel_SumOp<"matmul", [AttrSizedOperandSegments,
                                               Kernel_HasSchedule]> {
  let summary = "out = epilogue(A * B)";
  let description = [{
    - (C1) `out` is `batch.. x M x N`, `a` is `batch.. x M x K`, or
      `batch.. x K x M` with `transpose_a`.
    - (C2) `b` is `batch.. x K x N`, in `layout`. Its elements have the type of
      `a`, or are f16 or bf16 if `a` is f32, or those of the layout. With
      `shared`, all batches use one `b`, which has no batch dimensions.
    - (C3) the arguments of the epilogue are the sum and one scalar per extra.
      It yields an element of `out`. The type of its first argument is that of
      sums.
    - (C4) the epilogue holds elementwise ops and constants only.
    - (C5) each extra map has the dimensions of `out`. Its results are
      dimensions in ascending order, or 0 for an extra of size 1. The last
      dimension of `out` may only be the last result.
    - (C6) with `unsigned_a`, `a` has i8 that represent unsigned bytes, `b`
      signed ones, and sums are i32.
    - (C7) with `depth`, a scalar i64 of at least 0 and at most `K`, each sum
      has only its first `depth` terms; others are not read. `layout` is then
      plain or panels, without `unsigned_a`.
    - (C8) `schedule` is a `#kernel.matmul_schedule` if `layout` is plain, panels
      or the VNNI layout, a `#kernel.tiles_schedule` in an AMX tile layout, a
      `#kernel.dot_schedule` if it is K-major, and a `#kernel.pairing_schedule`
      if it is for inner-product pairing. The shapes and the registers of the
      target allow it.

    ```mlir
    %y = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<1x8x32xf32>) layout <panels(32)> extras(%bias : tensor<20xf32>) outs(%c : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
    ^bb0(%sum: f32, %e: f32):
      %v = arith.addf %sum, %e : f32
      kernel.yield %v : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Buffer:$a, Kernel_Buffer:$b,
                   Optional<Kernel_Buffer>:$depth,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   UnitAttr:$transpose_a, UnitAttr:$shared,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   UnitAttr:$unsigned_a,
                   Kernel_LayoutArg:$layout,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let builders = [OpBuilder<(ins
      "::mlir::TypeRange":$results, "::mlir::Value":$a, "::mlir::Value":$b,
      "::mlir::Value":$depth, "::mlir::ValueRange":$extras,
      "::mlir::Value":$out, "bool":$transpose_a, "bool":$shared,
      "::mlir::ArrayAttr":$extra_maps, "bool":$unsigned_a,
      "::weir::kernel::LayoutAttr":$layout), [{
    build($_builder, $_state, results, a, b, depth, extras, out, transpose_a,
          shared, extra_maps, unsigned_a, layout, /*schedule=*/nullptr);
  }]>];
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)` (`layout` $layout^)?
    (`depth` `(` $depth^ `:` type($depth) `)`)?
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_ConvolutionOp : Kernel_SumOp<"convolution",
                                        [Kernel_HasSchedule]> {
  let summary = "out = epilogue(x convolved with filter), channels last";
  let description = [{
    `x` is `N x spatial.. x CI`, `out` is `N x spatial.. x CO`. The filter is
    `spatial.. x CI/groups x CO`, in `layout`. Its elements are `dilations`
    apart, and the first is `padding` before the first of `x`. Elements outside
    `x` are zero.

    - (C1) `x` and `out` have one rank of 3 or 4 and as many images. The
      elements of the filter have the type of those of `x`, or are f16 or bf16
      if those are f32, or have the type of the layout.
    - (C2) `strides`, `padding` and `dilations` have a value for each spatial
      dimension; strides and dilations are positive, paddings not negative.
    - (C3) `groups` is positive and divides the channels of `x` and `out`; the
      filter has their channels.
    - (C4) with `unsigned_x`, `x` has i8 that represent unsigned bytes, the
      filter signed ones, and sums are i32.
    - (C5) `schedule` is a `#kernel.convolution_schedule` if vector code
      computes the convolution, a `#kernel.line_schedule` if the filter is in
      the K-major layout, a `#kernel.tiles_schedule` in an AMX tile layout, and
      a `#kernel.pairing_schedule` if its layout is for inner-product pairing.
      The shapes and the registers of the target allow it.
    - The epilogue is as for kernel.matmul.

    ```mlir
    kernel.convolution ins(%x, %w : memref<1x8x8x3xf32>, memref<1x3x3x3x32xf32>) layout <panels(32)> outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Kernel_Buffer:$filter,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                   DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   UnitAttr:$unsigned_x, Kernel_LayoutAttr:$layout,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let assemblyFormat = [{
    `ins` `(` $x `,` $filter `:` type($x) `,` type($filter) `)` `layout` $layout
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_TransformFilterOp : Kernel_WeightsOp<"transform_filter"> {
  let summary = "Transforms filters for kernel.winograd, in panels";
  let description = [{
    Each window becomes its transformed filter (`WinogradTransform.h`). For 3 x
    3 windows and tiles of 2 x 2 results these are the 4 x 4 elements of `G g
    G'` with `G` = (1 0 0), (1 1 1)/2, (0 0 1), (1 -1 1)/2.

    - (C1) `filter` is `KH x KW x CI x CO`, of f32, f16 or bf16; `out` has its
      transform in `layout`, which is `winograd`. A Winograd transform exists
      for the window. The part of a panel past CO is zero.
    - With `at_run` each run transforms the filter, even a constant one.

    ```mlir
    %p = kernel.transform_filter ins(%w : tensor<3x3x16x20xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%e : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
    ```
  }];
  let arguments = (ins Kernel_Buffer:$filter, Kernel_Buffer:$out,
                   Kernel_LayoutAttr:$layout, UnitAttr:$at_run);
  let extra = [{
    ::weir::kernel::WeightsSource getSource();
    std::optional<WinogradTransform> getWindow();
  }];
  let assemblyFormat = [{
    `ins` `(` $filter `:` type($filter) `)` `layout` $layout
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)? attr-dict
  }];
}

def Kernel_WinogradOp : Kernel_SumOp<"winograd", [Kernel_HasSchedule]> {
  let summary = "A Winograd convolution";
  let description = [{
    As kernel.convolution with one group, but with fewer products: 3 x 3 windows
    take 16 products for a tile of 2 x 2 results, or 49 for 4 x 4. The results
    of a tile are as far apart as the elements of the filter. Results equal
    those of a direct sum except for rounding, unless an operand is not finite
    or within a factor of 16 of overflow.

    - (C1) `x` is `N x H x W x CI`, `out` is `N x OH x OW x CO`, both of f32.
    - (C2) `padding` has two values, not negative. A Winograd transform exists
      for `windows`, `strides` and the tiles of the layout. `dilations` has two
      values; one above 1 requires a stride of 1.
    - (C3) the filter is from kernel.transform_filter, in `layout`, which is
      `winograd` with these strides.
    - (C4) `schedule` is a `#kernel.winograd_schedule` that the shapes and the
      registers of the target allow.
    - The epilogue is as for kernel.matmul.

    ```mlir
    kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Kernel_Buffer:$filter,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   DenseI64ArrayAttr:$windows, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$padding, Kernel_LayoutAttr:$layout,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let extra = [{
    std::optional<WinogradTransform> getWindow();
  }];
  let assemblyFormat = [{
    `ins` `(` $x `,` $filter `:` type($x) `,` type($filter) `)` `layout` $layout
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_DepthwiseOp : Kernel_SumOp<"depthwise", [Kernel_HasSchedule]> {
  let summary = "out = epilogue(each channel of x convolved with its own filter)";
  let description = [{
    As kernel.convolution with as many groups as channels; a plain filter is
    `spatial.. x C`. Or groups have `G` channels and as many results, and the
    filter is `spatial.. x G x C`, for vectors that hold whole groups.

    - (C1) `x` and `out` have one rank of 3 or 4, as many images and channels.
    - (C2) as for kernel.convolution.
    - (C3) a plain filter has one rank less than `x` and as many channels; or as
      many dimensions, sums are of floats, and the last but one is 2 or 4 and
      divides the channels.
    - (C4) with `unsigned_x`, `x` has i8 that represent unsigned bytes, the
      filter signed ones, and sums are i32. `layout` may then be `vnni_rows`,
      and `x` has two spatial dimensions.
    - (C5) `schedule` is a `#kernel.line_schedule`.

    ```mlir
    kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Kernel_Buffer:$filter,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                   DenseI64ArrayAttr:$dilations,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   UnitAttr:$unsigned_x, Kernel_LayoutArg:$layout,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let extra = [{
    /// The number of channels of x that a result depends on.
    int64_t channelsOfGroup();
  }];
  let assemblyFormat = [{
    `ins` `(` $x `,` $filter `:` type($x) `,` type($filter) `)`
    (`layout` $layout^)?
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_PoolOp : Kernel_SumOp<"pool", [Kernel_HasSchedule]> {
  let summary = "out = epilogue(each window of x, its elements combined)";
  let description = [{
    Computes the mean, or with `largest` the maximum, of the elements of `x` in
    a window, per channel. The maximum is NaN if an element is. Positions of a
    window outside of `x` are no elements; with `counts_padding` means count
    them as zeros.

    - (C1) `x` and `out` have one rank of 3 or 4, as many images and channels.
    - (C2) `window`, `strides`, `padding` and `dilations` have a value for each
      spatial dimension; `padding` is not negative, the others are positive.
    - (C3) `x` has floats, and sums have their type or a wider one.
    - (C4) `largest` excludes `counts_padding`.
    - (C5) `schedule` is a `#kernel.line_schedule`.

    ```mlir
    kernel.pool ins(%x : memref<1x8x8x20xf32>) outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, largest, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} {
    ^bb0(%most: f32):
      kernel.yield %most : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Variadic<Kernel_Buffer>:$extras,
                   Kernel_Buffer:$out, DenseI64ArrayAttr:$window,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                   DenseI64ArrayAttr:$dilations,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   UnitAttr:$largest, UnitAttr:$counts_padding,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let assemblyFormat = [{
    `ins` `(` $x `:` type($x) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_ParallelOp : Op<Kernel_Dialect, "parallel", [RecursiveMemoryEffects,
                                                  SingleBlock, NoTerminator]> {
  let summary = "A parallel loop over work items, shared by threads";
  let description = [{
    The region computes the work items from its first argument up to its second,
    out of `count`. Chunks of the range may run in parallel: no work item reads
    a result of another, and its results do not depend on the chunk. The third
    argument is the worker slot, which differs between parallel chunks. With
    `slots` it is below that number, which also limits the parallel chunks. With
    `coarse` a chunk has a fixed cost, so there are no more chunks than
    threads. With `row_wise` a work item is a block of rows of the kernel's
    `weir.row_blocks`. Of row-wise operands and results it accesses only these.

    - (C1) there is at least one work item, and `slots` is not negative.
    - (C2) the region has three index arguments.

    ```mlir
    kernel.parallel 160 slots 4 coarse {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %i = %first to %last step %one {
      }
    }
    ```
  }];
  let arguments = (ins I64Attr:$count,
                   DefaultValuedAttr<I64Attr, "0">:$slots, UnitAttr:$coarse,
                   UnitAttr:$row_wise);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count (`slots` $slots^)? (`coarse` $coarse^)? (`row_wise` $row_wise^)?
    attr-dict-with-keyword $body
  }];
  let builders = [OpBuilder<(ins "int64_t":$count, "bool":$coarse)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getFirst() { return getBody().getArgument(0); }
    ::mlir::Value getLast() { return getBody().getArgument(1); }
    ::mlir::Value getSlot() { return getBody().getArgument(2); }
  }];
  let hasVerifier = 1;
}

#endif // WEIR_DIALECTS_KERNEL_OPS
