// Long sums in parts: what has been summed waits in memory meanwhile.

#include "passes/cpu/kernels/WaitingSums.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

Emitter::Values WaitingSums::loop(int64_t count, int64_t unroll,
                                  Emitter::Values sums,
                                  function_ref<Step(int64_t)> steps,
                                  int64_t sets, int64_t each) {
  auto run = [&](Value first, Value end, int64_t step, ValueRange sums) {
    Step some = steps(step);
    return e.loop(first, end, step, sums, [&](Value k, ValueRange carried) {
      Emitter::Values sums(carried);
      some(k, sums);
      return sums;
    });
  };
  auto join = [&](Emitter::Values sums) {
    for (int64_t left = sets; left > 1; left /= 2) {
      size_t half = sums.size() / 2;
      for (size_t i = 0; i < half; ++i)
        sums[i] = e.sum(sums[i], sums[half + i]);
      sums.truncate(half);
    }
    return sums;
  };
  auto type = cast<VectorType>(sums[0].getType());
  int64_t main = count / unroll * unroll, longest = chain * sets;
  int64_t parts = (count * each + longest / 2) / longest;
  int64_t part = parts > 1 ? count / parts / unroll * unroll : 0;
  if (!part || !isa<FloatType>(type.getElementType())) {
    sums = run(e.index(0), e.index(main), unroll, sums);
    return join(run(e.index(main), e.index(count), 1, sums));
  }

  int64_t lanes = type.getNumElements();
  int64_t kept = sums.size() / sets;
  Value memory = e.stack({kept, lanes}, type.getElementType());
  Emitter::Values zeros(sums.size(), e.zeros(type.getElementType(), lanes));
  auto place = [&](int64_t i) {
    return Emitter::Values{e.index(i), e.index(0)};
  };
  for (int64_t i = 0; i < kept; ++i)
    e.store(sums[i], memory, place(i), lanes);
  // Nothing is carried from part to part: LLVM would spill it.
  int64_t whole = count / part * part;
  e.loop(e.index(0), e.index(whole), part, [&](Value first) {
    auto some = join(run(first, e.plus(first, part), unroll, zeros));
    for (auto [i, sum] : llvm::enumerate(some))
      e.store(e.sum(e.load(memory, place(i), lanes, lanes), sum), memory,
              place(i), lanes);
  });
  Emitter::Values rest = zeros;
  if (whole < main)
    rest = run(e.index(whole), e.index(main), unroll, rest);
  if (main < count)
    rest = run(e.index(main), e.index(count), 1, rest);
  rest = join(rest);
  for (auto [i, sum] : llvm::enumerate(rest)) {
    Value before = e.load(memory, place(i), lanes, lanes);
    sum = whole < count ? e.sum(before, sum) : before;
  }
  return rest;
}

} // namespace weir
