// The kernels.

#ifndef WEIR_DIALECTS_KERNEL_OPS
#define WEIR_DIALECTS_KERNEL_OPS

include "dialects/kernel/KernelBase.td"
include "dialects/kernel/KernelCopies.td"

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

def Kernel_MatmulOp : Kernel_SumOp<"matmul", [AttrSizedOperandSegments]> {
  let summary = "out = epilogue(A * B)";
  let description = [{
    - (C1) `out` is `batch.. x M x N`, `a` is `batch.. x M x K`, or
      `batch.. x K x M` with `transpose_a`.
    - (C2) `b` is plain, `batch.. x K x N`, or packed, `batch.. x ceil(N/NR) x K
      x NR`, its last panel padded with zeros; its elements are those of `a`, or
      with `a` of f32 f16 or bf16. With `NR` of 1 sums of floats are made as dot
      products of rows and columns. With `shared`, every batch uses
      one `b`, which has no such dimensions. It may also be in tiles (C6).
    - (C3) the epilogue takes the sum and one scalar an extra, and yields an
      element of `out`; the type of its first argument is the type of the sums.
    - (C4) the epilogue holds elementwise ops and constants only.
    - (C5) each extra map takes the dimensions of `out`; its results are
      dimensions in ascending order, or 0 where the extra has size 1, the last
      dimension of `out` only in the last place.
    - (C6) with `range`, the product is for the tiles of Intel AMX. It has no
      batches, no `transpose_a` and no `unsigned_a`. Sums are of f32, and `b` in
      tiles of bf16: `ceil(N/32) x ceil(K/32) x P x 2 x 16 x 32`, element (k, n)
      of a part at `[n/32][k/32][p][n%32/16][k%32/2][n%16*2 + k%2]`, with zeros
      past its edges. With `a` of f32, `P` is `parts`, 2 or 3, each element the
      sum of these, the largest first; or `b` is packed, of f32 without batches
      and with `NR` of 32, and comes apart in use. With `a` of bf16 `P` is 1.
      `range` has the bits of the least and the greatest magnitude, but 0, of
      elements of `a` whose products tiles may make. Or tiles are of i8,
      `ceil(N/32) x ceil(K/64) x 1 x 2 x 16 x 64`, with element (k, n) at
      `[n/32][k/64][0][n%32/16][k%64/4][n%16*4 + k%4]`; sums are of i32, `a` is of
      i32 or i8, and `range` has the least and the greatest value. Processors with
      AVX-512 VNNI multiply these too, by dot products, and then elements of any
      range that is not wider.
    - (C7) with `unsigned_a`, `a` is of i8 that stand for unsigned bytes, `b` of
      signed ones, and sums are of i32. `b` may then be in words, for the dot
      products of AVX-512 VNNI: without batches `ceil(N/NR) x ceil(K/4) x NR x
      4`, element (k, n) at `[n/NR][k/4][n%NR][k%4]`, with zeros past its edges.
    - (C8) with `paired`, which goes with none of `range`, `unsigned_a` and
      `transpose_a`, all is of f32, and pairs of products are made of one product
      of sums (`dialects/kernel/Pairs.h`). `b` is packed without batches, each
      column scaled, `ceil(N/32) x K+2 x 32`: after the rows of a panel come what
      each column has alone, and its scale. A panel that makes no pairs has no
      numbers as what is alone.
    - (C9) with `depth`, a scalar i64 of at least 0 and at most `K`, only the first
      so many terms of each sum count; others are not read. It goes with none of
      `range`, `unsigned_a` and `paired`, nor with `NR` of 1.

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
                   UnitAttr:$paired);
  let extra = [{
    /// Whether `b` is in panels.
    bool isPacked();
    /// Whether `b` is in words of four bytes.
    bool isInWords();
    /// Whether `b` is in panels of one column each, for dot products.
    bool hasColumnRuns();
    /// Whether tiles may make the product.
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

def Kernel_ConvolutionOp : Kernel_SumOp<"convolution"> {
  let summary = "out = epilogue(x convolved with filter), channels last";
  let description = [{
    `x` is `N x spatial.. x CI`, `out` is `N x spatial.. x CO`. The filter is
    packed as `groups * ceil(CO/groups/NR) x spatial.. x CI/groups x NR`, the
    last panel of each group padded with zeros; with `NR` of 1 and one group sums
    of floats are made as dot products of pixels and taps. Elements of the filter
    stand `dilations` apart; the first stands `padding` before the first of `x`.
    What is outside `x` is zero.

    - (C1) `x` and `out` have one rank of 3 or 4 and as many images. The filter
      has the element type of `x`, or is of f16 or bf16 where `x` is of f32.
    - (C2) `strides`, `padding` and `dilations` have a value for each spatial
      dimension; strides and dilations are positive, paddings not negative.
    - (C3) `groups` is positive and divides the channels of `x` and `out`; the
      filter has their panels.
    - (C4) with `unsigned_x`, `x` is of i8 that stand for unsigned bytes, the
      filter of signed ones, and sums are of i32. The filter may then be in
      words: `groups * ceil(CO/groups/NR) x spatial.. x ceil(CI/groups/4) x NR x
      4`, with zeros past its edges.
    - (C5) with `range`, the convolution is for the tiles of Intel AMX, as
      kernel.matmul with `range`: there is one group and sums are of f32. The
      filter is in panels of f32, `NR` of 32, or in tiles, each tap as a matrix
      of its own: `ceil(CO/32) x spatial.. x ceil(CI/32) x parts x 2 x 16 x 32`.
    - (C6) with `pairs_of`, pairs of products are made of one product of sums, as
      kernel.matmul does with `paired`: of rows that are the windows, of which
      `pairs_of` are the sizes, one group and f32. The filter is as `b` there.
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
                   OptionalAttr<DenseI64ArrayAttr>:$pairs_of);
  let extra = [{
    /// Whether the filter is in words of four bytes.
    bool isInWords();
    /// Whether the filter is in panels of one channel each, for dot products.
    bool hasColumnRuns();
    /// Whether tiles may make the sums.
    bool isTiled() { return getRange().has_value(); }
    /// Whether pairs make them.
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
    Each window becomes the sums of its taps that the products of
    `MinimalFilter.h` take, for tiles of `tiles` results, `strides` apart: for 3
    x 3 windows and 2 x 2 results the 4 x 4 elements of `G g G'` with `G` = (1 0
    0), (1 1 1)/2, (0 0 1), (1 -1 1)/2.

    - (C1) `filter` is `KH x KW x CI x CO`, of f32, f16 or bf16; `out` is
      `ceil(CO/NR) x P x CI x NR`, of f32. `P` is the number of products of a
      tile, for which a Winograd filter exists. Where a panel reaches past CO it
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
  let summary = "A convolution with fewer products than a direct sum has";
  let description = [{
    As kernel.convolution with one group, by Winograd's minimal filtering: 3 x 3
    windows take 16 products for a tile of 2 x 2 results, or 49 for 4 x 4. The
    results of a tile are as far apart as the elements of the filter. Results are
    those of a direct sum but for rounding, unless an operand is not finite or
    within a factor of 16 of overflow.

    - (C1) `x` is `N x H x W x CI`, `out` is `N x OH x OW x CO`, both of f32.
    - (C2) `padding` has two values, not negative; there is a minimal filter of
      `windows`, `strides` and `tiles`, the results of a tile. `dilations` has two
      values, of which one above 1 stands beside a stride of 1.
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

def Kernel_DepthwiseOp : Kernel_SumOp<"depthwise"> {
  let summary = "out = epilogue(each channel of x convolved with its own filter)";
  let description = [{
    As kernel.convolution with as many groups as channels; the filter is
    `spatial.. x C`. Or groups have `G` channels and as many results, `spatial..
    x G x C`, for vectors that hold whole groups.

    - (C1) `x` and `out` have one rank of 3 or 4, as many images and channels.
    - (C2) as for kernel.convolution.
    - (C3) the filter has one rank less than `x` and as many channels; or as many
      dimensions, sums are of floats, and the last but one is 2 or 4 and divides
      the channels.
    - (C4) with `unsigned_x`, `x` is of i8 that stand for unsigned bytes, the
      filter of signed ones, and sums are of i32. With `rows` it has that many
      rows and is in words, `x` has two spatial dimensions, and the filter is
      `ceil(C/64) x KW x ceil(rows/4) x 64 x 4`: element (y, x, c) stands at
      `[c/64][x][y/4][c%16/4*16 + c%64/16*4 + c%4][y%4]`, which is the order in
      which vectors of AVX-512 interleave bytes of four rows.

    ```mlir
    kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
    ```
  }];
  let arguments = (ins Kernel_Buffer:$x, Kernel_Buffer:$filter,
                   Variadic<Kernel_Buffer>:$extras, Kernel_Buffer:$out,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                   DenseI64ArrayAttr:$dilations,
                   DefaultValuedAttr<AffineMapArrayAttr, "{}">:$extra_maps,
                   OptionalAttr<I64Attr>:$rows, UnitAttr:$unsigned_x);
  let extra = [{
    /// How many channels of x a result is made of.
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

def Kernel_PoolOp : Kernel_SumOp<"pool"> {
  let summary = "out = epilogue(each window of x, its elements combined)";
  let description = [{
    Of the elements of `x` that a window covers, of one channel, the mean or, with
    `largest`, the greatest, or NaN where one is. What a window covers outside of
    `x` is no element; with `counts_padding` means count it as zeros.

    - (C1) `x` and `out` have one rank of 3 or 4, as many images and channels.
    - (C2) `window`, `strides`, `padding` and `dilations` have a value for each
      spatial dimension; `padding` is not negative, the others are positive.
    - (C3) `x` is of floats, and sums are of their type or of a wider one.
    - (C4) `largest` counts no padding.

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
                   UnitAttr:$largest, UnitAttr:$counts_padding);
  let assemblyFormat = [{
    `ins` `(` $x `:` type($x) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $out `:` type($out) `)` (`->` type($results)^)?
    attr-dict-with-keyword $epilogue
  }];
}

def Kernel_PartsOp : Op<Kernel_Dialect, "parts", [RecursiveMemoryEffects,
                                                  SingleBlock, NoTerminator]> {
  let summary = "Work in grains, of which threads take parts";
  let description = [{
    The region does the grains from its first argument to before its second, of
    `count`. Parts of the range may run at once: no grain reads what another
    writes, and each writes the same whichever part it is in. The third argument
    is the slot, which differs between parts that run at once; with `slots` it is
    below that number, and no more parts run at once. With `few`, what a part
    does besides its grains is worth having no more parts than threads. With
    `by_rows`, a grain is a block of rows as the kernel's `weir.row_blocks` has
    them: it reads only these of what it reads by rows, and writes only these.

    - (C1) there is at least one grain, and no negative number of slots.
    - (C2) the region takes three indices.

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
