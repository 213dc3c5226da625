// The attributes of the kernel dialect.

#ifndef WEIR_DIALECTS_KERNEL_ATTRS
#define WEIR_DIALECTS_KERNEL_ATTRS

include "dialects/kernel/KernelBase.td"
include "dialects/kernel/schedule/Schedules.td"
include "mlir/IR/AttrTypeBase.td"

def Kernel_LayoutAttr : AttrDef<Kernel_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "How the weights of a kernel lie in memory";
  let description = [{
    Weights are, for each batch, group and tap of a window, a matrix of `K` rows
    and `N` columns. Element (k, n) is the factor of element k of the left side
    in result n. Positions past the edges of a matrix hold zeros. The kinds,
    with their numbers:

    - `plain`: `batch.. x taps.. x K x groups * N`. For kernel.depthwise `taps..
      x C`. Only kernel.matmul and kernel.depthwise are compiled with it;
      `weir-choose-layouts` gives all others another layout.
    - `panels(NR)`: `batch.. x groups * ceil(N/NR) x taps.. x K x NR`, panels of
      `NR` columns.
    - `k_major`: `panels(1)` of floats, whose sums are dot products.
    - `vnni(NR)`: panels of bytes whose rows are interleaved by four,
      `groups * ceil(N/NR) x taps.. x ceil(K/4) x NR x 4`. Element (k, n) is at
      `[n/NR][k/4][n%NR][k%4]`.
    - `vnni_rows(rows)`: bytes of a depthwise filter with so many rows,
      `ceil(C/64) x KW x ceil(rows/4) x 64 x 4`. Element (y, x, c) is at
      `[c/64][x][y/4][c%16/4*16 + c%64/16*4 + c%4][y%4]`, the order in which
      four rows of bytes interleave within lanes of 16 bytes.
    - `amx(split, low, high)`: tiles of bf16, `ceil(N/32) x taps.. x ceil(K/32)
      x split x 2 x 16 x 32`. Element (k, n) of term p is at
      `[n/32][k/32][p][n%32/16][k%32/2][n%16*2 + k%2]`. If the left side is f32,
      each element is the sum of `split` numbers of bf16, 2 or 3, the largest
      first (bf16x3, bf16x6); else `split` is 1. `low` and `high` are the safe
      exponent range: tiles may multiply 0 and magnitudes from 2^low to 2^high.
    - `amx`: tiles of i8, `ceil(N/32) x ceil(K/64) x 1 x 2 x 16 x 64`. Element
      (k, n) is at `[n/32][k/64][0][n%32/16][k%64/4][n%16*4 + k%4]`. Elements of
      the left side may be multiplied by tiles if they are within -128 and 127.
    - `amx_panels(split, low, high)`: `panels(32)` of f32, which the kernel
      splits in use.
    - `pairing`, or `pairing(window..)` for a convolution: panels of 32 scaled
      columns for inner-product pairing (`dialects/kernel/PairingScheme.h`),
      `ceil(N/32) x taps * K + 2 x 32`. The trailer rows of a panel are the
      correction terms of its columns, and their scales. The correction terms of
      a panel that is not eligible for pairing are NaN.

    - `winograd(NR, tiles.., strides..)`: the transformed filters of
      kernel.winograd (`WinogradTransform.h`), of f32. There are two sizes of a
      tile and two strides. The shape is `ceil(N/NR) x P x K x NR` for `P`
      products of a tile.

    A format is declared in `Layouts.def` and defined in `layouts/`, a file
    each.

    ```mlir
    %p = kernel.pack ins(%b : tensor<8x20xf32>) layout <panels(32)> outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
    ```
  }];
  let parameters = (ins "::weir::kernel::LayoutKind":$kind,
                        OptionalArrayRefParameter<"int64_t">:$numbers);
  let constBuilderCall =
      "::weir::kernel::LayoutAttr::get($_builder.getContext(), $0)";
  let builders = [
    AttrBuilder<(ins "::weir::kernel::LayoutKind":$kind), [{
      return $_get($_ctxt, kind, ::llvm::ArrayRef<int64_t>());
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static LayoutAttr plain(::mlir::MLIRContext *context) {
      return get(context, LayoutKind::Plain);
    }
    static LayoutAttr kMajor(::mlir::MLIRContext *context) {
      return get(context, LayoutKind::KMajor);
    }
    /// Panels of `width` columns.
    static LayoutAttr panels(::mlir::MLIRContext *context, int64_t width) {
      return get(context, LayoutKind::Panels, {width});
    }

    // isPlain, isPanels and so on: one query for each line of Layouts.def.
    #define WEIR_LAYOUT(kind, name) \
      bool is##kind() const { return getKind() == LayoutKind::kind; }
    #include "dialects/kernel/Layouts.def"
    /// Whether tiles may multiply the weights, packed as such or not.
    bool isAmx() const { return isAmxTiles() || isAmxPanels(); }

    /// Columns of a panel of `panels`, `vnni` or `winograd`.
    int64_t getWidth() const { return getNumbers()[0]; }
    /// Rows of the filter of `vnni_rows`.
    int64_t getRows() const { return getNumbers()[0]; }
    /// The sizes of the windows of `pairing`.
    ::llvm::ArrayRef<int64_t> getWindow() const { return getNumbers(); }
    /// Results of a tile of `winograd`, and their strides.
    ::llvm::ArrayRef<int64_t> getTiles() const {
      return getNumbers().slice(1, 2);
    }
    ::llvm::ArrayRef<int64_t> getStrides() const {
      return getNumbers().slice(3, 2);
    }
    /// Terms that an element is split into for tiles.
    int64_t getSplit() const {
      return getNumbers().empty() ? 1 : getNumbers()[0];
    }
    /// The least and the greatest element that tiles may multiply: magnitudes, as
    /// bits of f32, or integers.
    std::array<int32_t, 2> getSafeRange() const;

    /// The layout with another width of panels.
    LayoutAttr withWidth(int64_t width) const;

    /// Checks, shapes and the packing of the layout.
    const LayoutFormat &getFormat() const;
  }];
}

// Of a kernel whose weights are plain unless another layout is given.
def Kernel_LayoutArg
    : DefaultValuedAttr<Kernel_LayoutAttr, "::weir::kernel::LayoutKind::Plain">;

#endif // WEIR_DIALECTS_KERNEL_ATTRS
