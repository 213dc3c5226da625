// Which constant weights get the AMX tile layout, for tile registers or for the
// dot products that read it too.

#ifndef WEIR_PASSES_LOWER_LAYOUTS_AMXLAYOUTS_H
#define WEIR_PASSES_LOWER_LAYOUTS_AMXLAYOUTS_H

#include "passes/lower/layouts/Readers.h"

#include "dialects/kernel/Target.h"

#include <optional>

namespace weir::lower {

/// Into how many terms of bf16 the weights that `pack` packs are worth
/// splitting for tiles, or 1 for bf16 and integers. It is 0 if vector registers
/// are faster, or tiles cannot compute the kernel.
int64_t splitForTiles(kernel::PackOpInterface pack);

/// Whether f32 weights for so many rows of results are split by the compiler,
/// in a model of so many bytes of weights. Else they stay in panels and the
/// kernel splits them in use: panels are two thirds of the memory, which bounds
/// the time of few rows if caches do not hold all weights.
bool splitsBefore(int64_t rows, int64_t weightsBytes,
                  const kernel::Target &target);

/// The elements of weights, and those of a left side for which products of
/// terms lose nothing that sums of f32 have: none is denormal, and no sum
/// overflows. For integers, whether they are within i8.
struct WeightRange {
  float least = 0x1p127f, most = 0; // of magnitudes, except 0
  bool fits = true;

  /// Adds weights of f32, bf16, i32 or i8.
  void add(llvm::ArrayRef<char> weights, mlir::Type element);
  /// The numbers of `#kernel.layout<amx>`, for sums of `depth` products and a
  /// split. There are none if the range of the left side is too small to be of
  /// use.
  std::optional<llvm::SmallVector<int64_t>>
  numbers(int64_t depth, mlir::Type element, int64_t split) const;
};

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LAYOUTS_AMXLAYOUTS_H
