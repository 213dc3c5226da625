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
    - (C2) `b` is plain, `batch.. x K x N`, or packed, `batch.. x ceil(N/NR) x K
      x NR`, with its last panel padded with zeros. Its elements have the type of
      `a`, or are f16 or bf16 if `a` is f32. `NR` of 1 is the K-major layout:
      sums of floats are dot products of rows and columns. With `shared`, all
      batches use one `b`, which has no batch dimensions. `b` may also be in AMX
      tiles (C6).
    - (C3) the arguments of the epilogue are the sum and one scalar per extra. It
      yields an element of `out`. The type of its first argument is that of sums.
    - (C4) the epilogue holds elementwise ops and constants only.
    - (C5) each extra map has the dimensions of `out`. Its results are dimensions
      in ascending order, or 0 for an extra of size 1. The last dimension of `out`
      may only be the last result.
    - (C6) with `range`, the product is for Intel AMX. It has no batches, no
      `transpose_a` and no `unsigned_a`. Floating-point sums are f32, and `b` is in
      the AMX tile layout of bf16, `ceil(N/32) x ceil(K/32) x P x 2 x 16 x 32`.
      Element (k, n) of split p is at
      `[n/32][k/32][p][n%32/16][k%32/2][n%16*2 + k%2]`, with zeros past the edges.
      With `a` of bf16 `P` is 1. With `a` of f32, `P` is `parts`, 2 or 3: each
      element is the sum of so many bf16 numbers, the largest first (bf16 split).
      Or `b` is packed, of f32 without batches and with `NR` of 32, and the kernel
      splits it. `range` is the safe exponent range: the bits of the least and the
      greatest magnitude, except 0, of elements of `a` that AMX may multiply.
      Integer tiles are i8, `ceil(N/32) x ceil(K/64) x 1 x 2 x 16 x 64`, with
      element (k, n) at `[n/32][k/64][0][n%32/16][k%64/4][n%16*4 + k%4]`. Their
      sums are i32, `a` is i32 or i8, and `range` has the least and the greatest
      value. Processors with AVX-512 VNNI multiply these tiles too, by dot
      products, for elements of any range that is not wider.
    - (C7) with `unsigned_a`, `a` has i8 that represent unsigned bytes, `b` signed
      ones, and sums are i32. `b` may then be in the VNNI layout, without batches:
      `ceil(N/NR) x ceil(K/4) x NR x 4`, element (k, n) at
      `[n/NR][k/4][n%NR][k%4]`, with zeros past its edges.
    - (C8) with `paired`, all is f32, and the kernel uses inner-product pairing
      (`dialects/kernel/Pairs.h`). It excludes `range`, `unsigned_a` and
      `transpose_a`. `b` is packed without batches, with scaled columns,
      `ceil(N/32) x K+2 x 32`. The trailer rows of a panel are the correction
      terms of its columns, and their scales. The correction terms of a panel that
      is not eligible for pairing are NaN.
    - (C9) with `depth`, a scalar i64 of at least 0 and at most `K`, each sum has
      only its first `depth` terms; others are not read. It excludes `range`,
      `unsigned_a`, `paired` and `NR` of 1.
    - (C10) `schedule` is a `#kernel.matmul_schedule`, and only of a product that
      vector code computes. The shapes and the registers of the target allow it.

    ```mlir
    %y = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<1x8x32xf32>) extras(%bias : tensor<20xf32>) outs(%c : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
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
                   OptionalAttr<DenseI32ArrayAttr>:$range,
                   UnitAttr:$unsigned_a,
                   DefaultValuedAttr<I64Attr, "3">:$parts,
                   UnitAttr:$paired,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let builders = [OpBuilder<(ins
      "::mlir::TypeRange":$results, "::mlir::Value":$a, "::mlir::Value":$b,
      "::mlir::Value":$depth, "::mlir::ValueRange":$extras,
      "::mlir::Value":$out, "bool":$transpose_a, "bool":$shared,
      "::mlir::ArrayAttr":$extra_maps, "::mlir::DenseI32ArrayAttr":$range,
      CArg<"bool", "false">:$unsigned_a, CArg<"uint64_t", "3">:$parts,
      CArg<"bool", "false">:$paired), [{
    build($_builder, $_state, results, a, b, depth, extras, out, transpose_a,
          shared, extra_maps, range, unsigned_a, parts, paired,
          /*schedule=*/nullptr);
  }]>];
  let extra = [{
    /// Whether `b` is in panels.
    bool isPacked();
    /// Whether `b` is in the VNNI layout (4-byte interleaved).
    bool isInWords();
    /// Whether `b` is in the K-major layout, for dot products.
    bool hasColumnRuns();
    /// Whether AMX tiles may compute the product.
    bool isTiled() { return getRange().has_value(); }
    ::mlir::LogicalResult verifyTiles();
    ::mlir::LogicalResult verifyWords();
    ::mlir::LogicalResult verifyPairs();
  }];
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
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
    packed as `groups * ceil(CO/groups/NR) x spatial.. x CI/groups x NR`, with the
    last panel of each group padded with zeros. With `NR` of 1 and one group, sums
    of floats are dot products of pixels and taps. Elements of the filter are
    `dilations` apart, and the first is `padding` before the first of `x`.
    Elements outside `x` are zero.

    - (C1) `x` and `out` have one rank of 3 or 4 and as many images. The filter
      has the element type of `x`, or is of f16 or bf16 where `x` is of f32.
    - (C2) `strides`, `padding` and `dilations` have a value for each spatial
      dimension; strides and dilations are positive, paddings not negative.
    - (C3) `groups` is positive and divides the channels of `x` and `out`; the
      filter has their panels.
    - (C4) with `unsigned_x`, `x` has i8 that represent unsigned bytes, the filter
      signed ones, and sums are i32. The filter may then be in the VNNI layout:
      `groups * ceil(CO/groups/NR) x spatial.. x ceil(CI/groups/4) x NR x 4`, with
      zeros past its edges.
    - (C5) with `range`, the convolution is for Intel AMX, as kernel.matmul with
      `range`: there is one group and sums are f32. The filter is in panels of
      f32, `NR` of 32, or in the AMX tile layout, with a matrix for each tap:
      `ceil(CO/32) x spatial.. x ceil(CI/32) x parts x 2 x 16 x 32`.
    - (C6) with `pairs_of`, the kernel uses inner-product pairing, as kernel.matmul
      with `paired`. Its rows are the windows, whose sizes are `pairs_of`. There is
      one group, and all is f32. The filter has the layout of `b` there.
    - (C7) `schedule` is a `#kernel.convolution_schedule` if vector code computes
      the convolution, and a `#kernel.line_schedule` if the filter is in the
      K-major layout. The shapes and the registers of the target allow it.
    - The epilogue is as for kernel.matmul.

    ```mlir
    kernel.convolution ins(%x, %w : memref<1x8x8x3xf32>, memref<1x3x3x3x32xf32>) outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Kernel_Buffer:$filter,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                   DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   UnitAttr:$unsigned_x,
                   OptionalAttr<DenseI32ArrayAttr>:$range,
                   DefaultValuedAttr<I64Attr, "3">:$parts,
                   OptionalAttr<DenseI64ArrayAttr>:$pairs_of,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let extra = [{
    /// Whether the filter is in the VNNI layout (4-byte interleaved).
    bool isInWords();
    /// Whether the filter is in the K-major layout, for dot products.
    bool hasColumnRuns();
    /// Whether AMX tiles may compute the sums.
    bool isTiled() { return getRange().has_value(); }
    /// Whether the kernel uses inner-product pairing.
    bool isPaired() { return getPairsOf().has_value(); }
    ::mlir::LogicalResult verifyTiles();
    ::mlir::LogicalResult verifyWords();
    ::mlir::LogicalResult verifyPairs();
  }];
  let assemblyFormat = [{
    `ins` `(` $x `,` $filter `:` type($x) `,` type($filter) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_TransformFilterOp : Kernel_Op<"transform_filter"> {
  let summary = "Transforms filters for kernel.winograd, in panels";
  let description = [{
    Each window becomes its transformed filter (`MinimalFilter.h`), for tiles of
    `tiles` results, `strides` apart. For 3 x 3 windows and 2 x 2 results these are
    the 4 x 4 elements of `G g G'` with `G` = (1 0 0), (1 1 1)/2, (0 0 1),
    (1 -1 1)/2.

    - (C1) `filter` is `KH x KW x CI x CO`, of f32, f16 or bf16; `out` is
      `ceil(CO/NR) x P x CI x NR`, of f32. `P` is the number of products of a
      tile, for which a Winograd transform must exist. The part of a panel past CO
      is zero.
    - With `at_run` each run transforms the filter, even a constant one.

    ```mlir
    %p = kernel.transform_filter ins(%w : tensor<3x3x16x20xf32>) tiles [2, 2] strides [1, 1] outs(%e : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
    ```
  }];
  let arguments = (ins Kernel_Buffer:$filter, Kernel_Buffer:$out,
                   DenseI64ArrayAttr:$tiles, DenseI64ArrayAttr:$strides,
                   UnitAttr:$at_run);
  let extra = [{
    std::optional<MinimalWindow> getWindow();
  }];
  let assemblyFormat = [{
    `ins` `(` $filter `:` type($filter) `)` `tiles` $tiles `strides` $strides
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)? attr-dict
  }];
}

def Kernel_WinogradOp : Kernel_SumOp<"winograd"> {
  let summary = "A Winograd convolution";
  let description = [{
    As kernel.convolution with one group, but with fewer products: 3 x 3 windows
    take 16 products for a tile of 2 x 2 results, or 49 for 4 x 4. The results of a
    tile are as far apart as the elements of the filter. Results equal those of a
    direct sum except for rounding, unless an operand is not finite or within a
    factor of 16 of overflow.

    - (C1) `x` is `N x H x W x CI`, `out` is `N x OH x OW x CO`, both of f32.
    - (C2) `padding` has two values, not negative. A Winograd transform exists for
      `windows`, `strides` and `tiles`, the results of a tile. `dilations` has two
      values; one above 1 requires a stride of 1.
    - (C3) the filter is from kernel.transform_filter.
    - The epilogue is as for kernel.matmul.

    ```mlir
    kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Kernel_Buffer:$filter,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   DenseI64ArrayAttr:$windows, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$tiles, DenseI64ArrayAttr:$padding,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps);
  let extra = [{
    std::optional<MinimalWindow> getWindow();
  }];
  let assemblyFormat = [{
    `ins` `(` $x `,` $filter `:` type($x) `,` type($filter) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_DepthwiseOp : Kernel_SumOp<"depthwise", [Kernel_HasSchedule]> {
  let summary = "out = epilogue(each channel of x convolved with its own filter)";
  let description = [{
    As kernel.convolution with as many groups as channels; the filter is
    `spatial.. x C`. Or groups have `G` channels and as many results, and the
    filter is `spatial.. x G x C`, for vectors that hold whole groups.

    - (C1) `x` and `out` have one rank of 3 or 4, as many images and channels.
    - (C2) as for kernel.convolution.
    - (C3) the filter has one rank less than `x` and as many channels; or as many
      dimensions, sums are of floats, and the last but one is 2 or 4 and divides
      the channels.
    - (C4) with `unsigned_x`, `x` has i8 that represent unsigned bytes, the filter
      signed ones, and sums are i32. With `rows` the filter has so many rows and
      is in a VNNI layout, and `x` has two spatial dimensions. The filter is
      `ceil(C/64) x KW x ceil(rows/4) x 64 x 4`: element (y, x, c) is at
      `[c/64][x][y/4][c%16/4*16 + c%64/16*4 + c%4][y%4]`, the order in which
      AVX-512 vectors interleave bytes of four rows.
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
                   OptionalAttr<I64Attr>:$rows, UnitAttr:$unsigned_x,
                   OptionalAttr<Kernel_Schedule>:$schedule);
  let extra = [{
    /// The number of channels of x that a result depends on.
    int64_t channelsOfGroup();
    ::mlir::LogicalResult verifyWords();
  }];
  let assemblyFormat = [{
    `ins` `(` $x `,` $filter `:` type($x) `,` type($filter) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_PoolOp : Kernel_SumOp<"pool", [Kernel_HasSchedule]> {
  let summary = "out = epilogue(each window of x, its elements combined)";
  let description = [{
    Computes the mean, or with `largest` the maximum, of the elements of `x` in a
    window, per channel. The maximum is NaN if an element is. Positions of a window
    outside of `x` are no elements; with `counts_padding` means count them as
    zeros.

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

def Kernel_PartsOp : Op<Kernel_Dialect, "parts", [RecursiveMemoryEffects,
                                                  SingleBlock, NoTerminator]> {
  let summary = "A parallel loop over work items, shared by threads";
  let description = [{
    The region computes the work items from its first argument up to its second,
    out of `count`. Chunks of the range may run in parallel: no work item reads a
    result of another, and its results do not depend on the chunk. The third
    argument is the worker slot, which differs between parallel chunks. With
    `slots` it is below that number, which also limits the parallel chunks. With
    `few` (coarse) a chunk has a fixed cost, so there are no more chunks than
    threads. With `by_rows` a work item is a block of rows of the kernel's
    `weir.row_blocks`. Of row-wise operands and results it accesses only these.

    - (C1) there is at least one work item, and `slots` is not negative.
    - (C2) the region has three index arguments.

    ```mlir
    kernel.parts 160 slots 4 few {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %i = %first to %last step %one {
      }
    }
    ```
  }];
  let arguments = (ins I64Attr:$count,
                   DefaultValuedAttr<I64Attr, "0">:$slots, UnitAttr:$few,
                   UnitAttr:$by_rows);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count (`slots` $slots^)? (`few` $few^)? (`by_rows` $by_rows^)?
    attr-dict-with-keyword $body
  }];
  let builders = [OpBuilder<(ins "int64_t":$count, "bool":$few)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getFirst() { return getBody().getArgument(0); }
    ::mlir::Value getLast() { return getBody().getArgument(1); }
    ::mlir::Value getSlot() { return getBody().getArgument(2); }
  }];
  let hasVerifier = 1;
}

#endif // WEIR_DIALECTS_KERNEL_OPS
