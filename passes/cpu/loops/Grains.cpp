// Loops cut into grains, which threads share.

#include "passes/cpu/loops/Grains.h"

#include "passes/cpu/Sharing.h"

#include "dialects/kernel/Kernel.h"

using namespace mlir;

namespace weir {

/// A size near `size` that leaves no smaller last grain, or `size` itself.
static int64_t dividing(int64_t range, int64_t size, int64_t step) {
  for (int64_t larger = size; larger <= 2 * size; larger += step)
    if (range % larger == 0)
      return larger;
  for (int64_t less = size - step; less >= size / 2 && less > 0; less -= step)
    if (range % less == 0)
      return less;
  return size;
}

int64_t grainSize(double time, int64_t range, int64_t step) {
  int64_t grains = std::clamp<int64_t>(
      static_cast<int64_t>(std::min(time / grainTime, double(mostGrains))), 2,
      range < 2 ? 2 : range);
  int64_t size = llvm::alignTo(llvm::divideCeil(range, grains), step);
  return dividing(range, size, step);
}

void shareGrains(Emitter &e, int64_t range, int64_t size,
                 llvm::function_ref<void(Value, Value, int64_t)> body) {
  int64_t whole = range / size, rest = range % size;
  auto parts = e.create<kernel::PartsOp>(whole + (rest != 0), /*few=*/false);
  OpBuilder::InsertionGuard guard(e);
  e.setInsertionPointToStart(&parts.getBody().front());
  Value end = parts.getLast();
  if (rest)
    end = e.smaller(end, e.index(whole));
  e.loop(parts.getFirst(), end, 1,
         [&](Value grain) { body(grain, e.times(grain, size), size); });
  if (rest)
    e.loop(e.larger(parts.getFirst(), e.index(whole)), parts.getLast(), 1,
           [&](Value grain) { body(grain, e.index(whole * size), rest); });
}

} // namespace weir
