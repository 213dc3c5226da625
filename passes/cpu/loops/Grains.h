// Loops cut into grains, which threads share.

#ifndef WEIR_PASSES_CPU_LOOPS_GRAINS_H
#define WEIR_PASSES_CPU_LOOPS_GRAINS_H

#include "passes/cpu/loops/Slices.h"

#include <optional>

namespace weir {

/// A loop's range, and how much of it a grain takes.
struct Cut {
  unsigned dimension;
  int64_t range, size;
  bool byRows = false; // whether grains are the kernel's blocks of rows
  /// Of the outermost loops, where a grain has one value of each; else none.
  llvm::SmallVector<int64_t> outer = {};

  int64_t grains() const {
    return mlir::ShapedType::getNumElements(outer) *
           llvm::divideCeil(range, size);
  }
};

/// A grain of the innermost loop is whole vectors, of any target; of another,
/// any number of its values.
int64_t grainStep(llvm::ArrayRef<int64_t> ranges, unsigned dimension);

/// Cuts one of the loops of `ranges`, which take `time` nanoseconds: the
/// outermost that feeds several threads, else the longest. `stepOf` says of
/// what a grain of a loop is a multiple, and 0 of loops that are not to be cut.
/// The cut depends on these alone, so that each element is computed by the same
/// code however many threads there are. None where there is nothing to share.
std::optional<Cut> cutLoops(llvm::ArrayRef<int64_t> ranges, double time,
                            llvm::function_ref<int64_t(unsigned)> stepOf);

/// The cut with the outermost loops cut, too, into single values, as many as
/// may be and are outside of it, where a last grain is as large as the others:
/// then grains follow each other as the elements do, as those of most kernels,
/// and a thread finds what it wrote before.
Cut withOuterLoops(Cut cut, llvm::ArrayRef<int64_t> ranges,
                   llvm::function_ref<int64_t(unsigned)> stepOf);

/// Loops over the grains from `first` to before `last`: `body` gets a grain's
/// number and its slices of the loops, for `makeSlice`. It is emitted once for
/// whole grains and once for a last one that has fewer.
void eachGrain(
    Emitter &e, const Cut &cut, mlir::Value first, mlir::Value last,
    llvm::function_ref<void(mlir::Value, llvm::ArrayRef<LoopSlice>)> body);

/// Emits a kernel.parts of the cut's grains, each as `eachGrain` does.
void shareGrains(
    Emitter &e, const Cut &cut,
    llvm::function_ref<void(mlir::Value, llvm::ArrayRef<LoopSlice>)> body);

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_GRAINS_H
