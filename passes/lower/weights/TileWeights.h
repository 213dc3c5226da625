// Constant weights of what the tiles of Intel AMX are to multiply
// (kernel.matmul and kernel.convolution in the layout `amx`), or the dot
// products of AVX-512 VNNI and BF16.

#ifndef WEIR_PASSES_LOWER_WEIGHTS_TILEWEIGHTS_H
#define WEIR_PASSES_LOWER_WEIGHTS_TILEWEIGHTS_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"

#include <optional>

namespace weir {

/// How many parts the weights of a product or a convolution are worth taking
/// apart into, of which `packed` are the panels: parts of bf16, or one of i8; 0
/// where vector registers are the quicker, or tiles cannot make it.
int64_t partsInTiles(mlir::Operation *packed);

/// Whether f32 that these many rows of results meet are taken apart when
/// compiled, in a model of so many bytes of weights. Else they stay in panels
/// and come apart in use, between products: they are two thirds of the memory,
/// which is what few rows wait for where caches do not hold all weights.
bool areApart(int64_t rows, int64_t weightsBytes, const kernel::Target &target);

/// The product of the panels that `packed` makes, which has no other user.
kernel::MatmulOp productOf(mlir::Operation *packed);
/// The same of a convolution.
kernel::ConvolutionOp convolutionOf(mlir::Operation *packed);

/// Results of all channels, in either.
int64_t rowsOf(mlir::Value out);

/// The magnitudes of a product's left side, but for 0, for which the products
/// of parts lose nothing that sums of f32 have: none is denormal, and no sum
/// overflows. Of integers, their range as i8, where weights are of that.
struct WeightRange {
  float least = 0x1p127f, most = 0; // of the weights, but for 0
  bool fits = true;
  static constexpr int64_t panelWidth = 32; // of weights of f32

  /// Takes in weights of f32, bf16, i32 or i8.
  void add(llvm::ArrayRef<char> weights, mlir::Type element);
  /// The safe exponent range of the left side, or the range of i8. There is
  /// none if it is too small to be of use.
  std::optional<std::pair<int64_t, int64_t>> bounds(int64_t depth,
                                                    mlir::Type element) const;
};

/// Writes the tiles of a matrix, of which element (k, n) lies `k * depthStride
/// + n * columnStride` elements from its begin, in one part unless it is of
/// f32. Tiles begin anew with each tap of a filter, which is so many `channels`
/// of the depth.
struct TilePacking {
  int64_t depth, columns, depthStride, columnStride, channels, parts;

  /// `taps` are the sizes of a filter; a matrix has none.
  mlir::RankedTensorType type(mlir::Type element,
                              llvm::ArrayRef<int64_t> taps) const;
  /// `to` is zero before.
  void run(const char *from, mlir::Type element, char *to) const;
};

} // namespace weir

#endif // WEIR_PASSES_LOWER_WEIGHTS_TILEWEIGHTS_H
