// Divides loops into work items, which threads share.

#ifndef WEIR_PASSES_CPU_LOOPS_WORKITEMS_H
#define WEIR_PASSES_CPU_LOOPS_WORKITEMS_H

#include "passes/cpu/loops/Slices.h"

#include <optional>

namespace weir::cpu {

/// A loop's range, and the size of a work item in it.
struct Cut {
  unsigned dimension;
  int64_t range, size;
  bool rowWise = false; // whether work items are the kernel's blocks of rows
  /// The ranges of outer loops that are divided into single iterations as well;
  /// else empty.
  llvm::SmallVector<int64_t> outer = {};

  int64_t workItems() const {
    return mlir::ShapedType::getNumElements(outer) *
           llvm::divideCeil(range, size);
  }
};

/// The multiple of a work item's size: whole vectors of any target in the
/// innermost loop, and one iteration in others.
int64_t workItemStep(llvm::ArrayRef<int64_t> ranges, unsigned dimension);

/// Divides one of the loops of `ranges`, which take so many cycles: the
/// outermost one that keeps several threads busy, else the longest. `stepOf`
/// returns the multiple of a work item's size in a loop, and 0 for loops that
/// must not be divided. The result depends on nothing else, so the same code
/// computes an element for any number of threads. No value if sharing is not
/// worthwhile.
std::optional<Cut> cutLoops(llvm::ArrayRef<int64_t> ranges, double cycles,
                            llvm::function_ref<int64_t(unsigned)> stepOf);

/// Divides the outer loops into single iterations as well, as far as allowed,
/// if the last work item is as large as the others. Work items are then in the
/// order of the elements, as in most kernels, so a thread reads elements that
/// it wrote before.
Cut withOuterLoops(Cut cut, llvm::ArrayRef<int64_t> ranges,
                   llvm::function_ref<int64_t(unsigned)> stepOf);

/// A loop over the work items from `first` to before `last`. `body` receives a
/// work item's index and its slices of the loops, for `makeSlice`. It is
/// emitted for whole work items, and again for a smaller last one.
void eachWorkItem(
    Emitter &e, const Cut &cut, mlir::Value first, mlir::Value last,
    llvm::function_ref<void(mlir::Value, llvm::ArrayRef<LoopSlice>)> body);

/// Emits a kernel.parallel of these work items, each as in `eachGrain`.
void shareWorkItems(
    Emitter &e, const Cut &cut,
    llvm::function_ref<void(mlir::Value, llvm::ArrayRef<LoopSlice>)> body);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_WORKITEMS_H
