// Schedules: attributes that state how a kernel is blocked, copied and shared.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULES
#define WEIR_DIALECTS_KERNEL_SCHEDULES

include "dialects/kernel/KernelBase.td"
include "mlir/IR/AttrTypeBase.td"

def Kernel_ScheduleInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::weir::kernel";
  let description = [{
    A schedule states how the loops of one kernel are blocked, what is copied and
    prefetched, and what threads share. `weir-choose-schedules` writes it on the
    kernel, and the emitter obeys it. Each algorithm has its own attribute, whose
    parameters have names. Schedules change the time of a kernel and the order
    of its sums, and nothing else.
  }];
  let methods = [
    InterfaceMethod<"The algorithm, whose name begins the mnemonic.",
                    "::weir::kernel::Algorithm", "getAlgorithm">,
    InterfaceMethod<"The parameters by name, in the order of the printed form.",
                    "::mlir::DictionaryAttr", "getParameters">,
    InterfaceMethod<"Emits an error if the kernel, which has this algorithm, cannot be computed like this.",
                    "::mlir::LogicalResult", "verifyFor",
                    (ins "::mlir::Operation *":$kernel)>
  ];
}

def Kernel_Schedule : Attr<CPred<
    "::llvm::isa<::weir::kernel::ScheduleAttrInterface>($_self)">,
    "a schedule of the kernel dialect"> {
  let storageType = "::weir::kernel::ScheduleAttrInterface";
  let returnType = "::weir::kernel::ScheduleAttrInterface";
  let convertFromStorage = "$_self";
}

def Kernel_HasSchedule : NativeOpTrait<"HasSchedule"> {
  let cppNamespace = "::weir::kernel";
}

class Kernel_ScheduleAttr<string name, string algorithm>
    : AttrDef<Kernel_Dialect, name#"Schedule",
              [DeclareAttrInterfaceMethods<Kernel_ScheduleInterface>]> {
  let mnemonic = algorithm#"_schedule";
  let parameters = (ins
      AttrParameter<"::weir::kernel::"#name#"Schedule", "the parameters">:$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr Algorithm algorithm = Algorithm::}]#name#[{;
  }];
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser, ::mlir::Type) {
      return parseSchedule<$cppClass, }]#name#[{Schedule>(parser);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      printParameters(printer, parameterNames<}]#name#[{Schedule>(),
                      getParameters());
    }
    ::mlir::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        }]#name#[{Schedule value) {
      return verifyNumbers(emitError, value);
    }
    ::weir::kernel::Algorithm $cppClass::getAlgorithm() const {
      return algorithm;
    }
    ::mlir::DictionaryAttr $cppClass::getParameters() const {
      return parametersOf(getContext(), getValue());
    }
    ::mlir::LogicalResult $cppClass::verifyFor(::mlir::Operation *kernel) const {
      return verify}]#name#[{(kernel, getValue());
    }
  }];
}

def Kernel_MatmulSchedule : Kernel_ScheduleAttr<"Matmul", "matmul"> {
  let summary = "How vector code computes a kernel.matmul";
  let description = [{
    The loops, from outside: blocks of rows, slabs of the depth, tiles of columns,
    blocks of the depth, tiles of rows, and the depth, whose sums stay in
    registers.

    - `tile_rows`: rows of a register tile, at most. `tile_columns`: its columns.
      They are whole vectors, and divide a panel or are several panels.
    - `accumulator_sets`: sets of sums that take turns, a power of two. More sets
      hide the latency of additions if a tile has few sums.
    - `unroll`: steps of the depth in an iteration of the innermost loop.
    - `chain`: additions in one chain. Longer sums are in several chains with
      spilled partial sums, so that rounding errors stay small.
    - `depth_block`: elements of the depth (groups of 4 bytes in the VNNI layout)
      that a tile of columns sees at once. Between blocks the result holds the
      spilled partial sums.
    - `depth_slab`: elements of the depth that all columns see before the next
      ones. It has whole blocks.
    - `block_tiles`: tiles of rows that reuse a block of a panel.
    - `share`: the work items of threads: `none`, whole products of the
      `batches`, the `row_blocks` of a row-wise fusion, tiles of `rows`, or tiles
      of `columns`. `coarse`: threads have one chunk each.
    - `copy`: whether `a` is copied: `none`, a `block` of rows, or its part of a
      `slab`. Copies avoid cache conflicts between rows.
    - `pack_inside`: the kernel packs parts of a panel of `b` just before it uses
      them, instead of the kernel.pack before it.
    - `prefetch`: fetched ahead of `b`: `none`, the next `panel`, or the `stream`
      of a panel that is read once. `prefetch_level`: the cache that it comes to.
      `prefetch_result`: whether the tile of the result is fetched too.
    - `alternate`: every other run goes from the last column to the first, so
      that it finds the weights that the run before has left in the cache.

    ```mlir
    #kernel.matmul_schedule<tile_rows = 9, tile_columns = 48, accumulator_sets = 1, unroll = 4, chain = 96, depth_block = 256, depth_slab = 256, block_tiles = 8, share = rows, coarse = false, copy = none, pack_inside = false, prefetch = panel, prefetch_level = 1, prefetch_result = false, alternate = false>
    ```
  }];
}

def Kernel_ConvolutionSchedule
    : Kernel_ScheduleAttr<"Convolution", "convolution"> {
  let summary = "How vector code computes a kernel.convolution";
  let description = [{
    The loops, from outside: groups, blocks of rows of tiles, tiles of channels,
    rows of tiles, tiles of a row, and the window with the channels of its pixels.

    - `tile_rows`, `tile_columns`: neighbouring results of a register tile, at
      most. `tile_channels`: its channels, whole vectors; they divide a panel of
      the filter or are two panels.
    - `chain`: additions in one chain, as for `#kernel.matmul_schedule`.
    - `block_tiles`: rows of tiles that reuse a panel.
    - `skip_rows`, `skip_columns`: tiles leave out rows or columns of the window
      that all their results have outside of `x`.
    - `copy`: whether an image is copied into a buffer with a border of zeros and
      with the elements of the sums: `none`, `image`, or `padded`, which keeps
      pixels a line of the cache apart.
    - `prefetch`: the next panel of the filter is fetched to L2.
    - `share`: the work items of threads: `none`, `images`, `rows` of tiles,
      `columns` (tiles of a row), `panels`, or `groups`. `coarse`: threads have
      one chunk each.

    ```mlir
    #kernel.convolution_schedule<tile_rows = 1, tile_columns = 14, tile_channels = 32, chain = 48, block_tiles = 7, skip_rows = false, skip_columns = false, copy = image, prefetch = false, share = rows, coarse = false>
    ```
  }];
}

def Kernel_LineSchedule : Kernel_ScheduleAttr<"Line", "line"> {
  let summary = "How windows are computed whose tiles are results of a line";
  let description = [{
    For kernel.depthwise, kernel.pool, and a kernel.convolution whose filter is in
    the K-major layout. Padding is never read: rows outside of `x` bound the loop
    over the window, and tiles at the border leave out columns.

    - `tile_columns`: neighbouring results of a tile, at most.
    - `tile_channels`: channels of a tile. They are whole vectors, except those of
      dot products (K-major layout), which have a vector of sums each. With the
      bytes of four rows in one group (VNNI layout) they are 64.
    - `share`: the work items of threads: `none`, `rows` of results, or `columns`
      (the tiles of a row), for flat images.

    ```mlir
    #kernel.line_schedule<tile_columns = 7, tile_channels = 16, share = rows>
    ```
  }];
}

def Kernel_WinogradSchedule : Kernel_ScheduleAttr<"Winograd", "winograd"> {
  let summary = "How a kernel.winograd is computed";
  let description = [{
    The loops, from outside: blocks of input tiles, panels of the filter, and the
    groups of the transform, each with a batch of matrix products. The rows of a
    product are the input tiles of a block, its columns those of a panel.

    - `input_tiles`: input tiles of a block, at most. The emitter divides them
      evenly between blocks.
    - `share`: the work items of threads: `none`, `blocks`, or `panels`. With
      `panels` one block has all input tiles; threads share the transform of
      these, then the panels.
    - `chain`: additions in one chain, as for `#kernel.matmul_schedule`.
    - `product_share`: what threads share of each product, as `share` of
      `#kernel.matmul_schedule`, if there are one block and one panel.
    - The other parameters are those of `#kernel.matmul_schedule` for the
      products. Each is one value for all groups, or an array with a value for
      each group, in the order of their depths.

    ```mlir
    #kernel.winograd_schedule<input_tiles = 49, share = blocks, chain = 16, tile_rows = 14, tile_columns = 32, accumulator_sets = 1, unroll = 4, depth_block = 64, depth_slab = 64, block_tiles = 4, copy = none, prefetch = panel, prefetch_level = 2, prefetch_result = false, product_share = none, coarse = false>
    ```
  }];
}

def Kernel_DotSchedule : Kernel_ScheduleAttr<"Dot", "dot"> {
  let summary = "How a kernel.matmul in the K-major layout is computed";
  let description = [{
    A vector has neighbouring terms of one sum, and the lanes of a vector of
    partial sums are added in the end. The loops, from outside: batches, tiles of
    rows, tiles of columns, and the depth, whose partial sums stay in registers.

    - `tile_rows`, `tile_columns`: results of a tile, at most. Each has a vector
      of partial sums. The columns are no more than the lanes of a vector.
    - `accumulator_sets`: sets of partial sums that take turns over the depth, a
      power of two.
    - `chain`: vectors that are added in one chain, as for
      `#kernel.matmul_schedule`.
    - `share`: the work items of threads: `none` or `tiles`.

    ```mlir
    #kernel.dot_schedule<tile_rows = 1, tile_columns = 16, accumulator_sets = 4, chain = 96, share = none>
    ```
  }];
}

def Kernel_TilesSchedule : Kernel_ScheduleAttr<"Tiles", "tiles"> {
  let summary = "How weights in a layout for tile registers are multiplied";
  let description = [{
    For a kernel.matmul or a kernel.convolution in the layout `amx` or
    `amx_panels`. The loops, from outside: slabs of rows, whose bf16 terms are
    copied together, blocks of the depth, panels of 32 columns, and blocks of
    rows. The rows of a convolution are its results, and each image has slabs.

    - `instructions`: `tiles` (products of tile registers), or `dots` (dot
      products of vector registers, by the same weights).
    - `tile_rows`: rows of a tile, up to 16. For dot products: the rows whose
      sums are in registers, at most.
    - `block_rows`: rows of a block, which is one or two tiles. For dot products
      it is 32.
    - `by_line`: tiles of a convolution have results of one line of an image.
      Otherwise they have adjacent positions of all lines with their borders,
      and drop the results at borders.
    - `accumulator_sets`, `unroll`: for dot products, sets of sums that take
      turns, a power of two, and lines of a tile of weights in an iteration of
      the innermost loop, a divisor of 16. With tile registers both are 1.
    - `depth_block`: steps of the depth that a panel sees at once. A step has 32
      elements, or 64 bytes. Between blocks a buffer holds the spilled partial
      sums of a slab.
    - `slabs`: the number of slabs, each of at least one block.
    - `share`: the work items of threads: `none`, `slabs` (of all images), or
      `panels`; then each thread copies all rows. `coarse`: threads have one
      chunk each.
    - `prefetch`: weights are fetched to L2 before their use: the next panel, or
      for `amx_panels` later rows. `prefetch_result`: the results of a block are
      fetched while tile registers multiply it.

    ```mlir
    #kernel.tiles_schedule<instructions = tiles, tile_rows = 15, block_rows = 30, by_line = false, accumulator_sets = 1, unroll = 1, depth_block = 32, slabs = 4, share = slabs, coarse = true, prefetch = true, prefetch_result = true>
    ```
  }];
}

def Kernel_PairingSchedule : Kernel_ScheduleAttr<"Pairing", "pairing"> {
  let summary = "How a product or a convolution by inner-product pairing is computed";
  let description = [{
    The rows of a convolution are its windows, which are copied. The loops, from
    outside: slabs of rows, parts of the depth, panels, tiles of rows, rounds of
    chains, chains, and groups of six terms, whose sums stay in registers.

    - `tile_rows`: rows of a register tile, at most. Its columns are a panel.
    - `reuse_loads`: an element of the left side is loaded once for all vectors of
      columns. Otherwise each instruction loads it.
    - `chain`: terms of one chain of additions, in whole groups. `plain_chain`:
      the same for rows that are not eligible for pairing. `round_chains`: chains
      of a round. Rounds are summed first. An even split may make a chain or a
      round longer by up to a half.
    - `row_slabs`: slabs of tiles of rows. Each reads all weights.
    - `depth_parts`: parts of the depth, in whole rounds. All panels use a part
      before the next one. Between parts sums are spilled.
    - `pack_inside`: the kernel packs one panel of `b` at a time, instead of the
      kernel.pack before it. All rows are one slab then.
    - `share`: the work items of threads: `none`, `slabs`, `tiles` of all panels
      (all rows are one slab, and prepared first), or the `panels` that are
      packed inside.
    - `prefetch`: when a tile fetches its part of the next panel: `none`, before
      the `tile`, or with each `group` of terms. `prefetch_level`: the cache that
      it comes to. `prefetch_result`: the tile of the result and the operands of
      the epilogue are fetched too.

    ```mlir
    #kernel.pairing_schedule<tile_rows = 7, reuse_loads = false, chain = 84, plain_chain = 84, round_chains = 6, row_slabs = 4, depth_parts = 1, pack_inside = false, share = slabs, prefetch = group, prefetch_level = 2, prefetch_result = false>
    ```
  }];
}

def Kernel_ScheduleOverride : AttrDef<Kernel_Dialect, "ScheduleOverride"> {
  let mnemonic = "schedule_override";
  let summary = "Parameters of schedules that the user has fixed";
  let description = [{
    The module attribute `kernel.schedule_overrides` is an array of these, from
    `--schedule=FILE`. `weir-choose-schedules` keeps these values and chooses the
    other parameters to fit them. An entry applies to the kernels of the nodes
    whose whole name matches the regular expression `node`, and of `algorithm` if
    that is not empty. A later entry wins.

    ```mlir
    #kernel.schedule_override<"Conv_[0-9]", "convolution", {tile_columns = 6 : i64}>
    ```
  }];
  let parameters = (ins StringRefParameter<"a regular expression">:$node,
                        StringRefParameter<"an algorithm, or nothing">:$algorithm,
                        "::mlir::DictionaryAttr":$parameters);
  let assemblyFormat = "`<` $node `,` $algorithm `,` $parameters `>`";
  let genVerifyDecl = 1;
}

#endif // WEIR_DIALECTS_KERNEL_SCHEDULES
