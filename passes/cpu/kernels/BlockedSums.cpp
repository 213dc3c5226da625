// Blocked summation: long sums are computed in chains, with spilled partial
// sums.

#include "passes/cpu/kernels/BlockedSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::cpu {

// Of a loop that runs twice LLVM makes a choice of two constants, and computes
// the address of each factor anew: of few registers, rather straight code.
Emitter::Values BlockedSums::some(Value first, int64_t count, int64_t unroll,
                                  ValueRange sums, Steps steps) {
  if (sumsFillRegisters && count == 2 * unroll)
    unroll = count;
  auto loop = [&](Value first, Value last, int64_t unroll, ValueRange sums) {
    return e.loop(first, last, unroll, sums, [&](Value k, ValueRange carried) {
      Emitter::Values sums(carried);
      steps(k, unroll, sums);
      return sums;
    });
  };
  Value last = e.plus(first, count);
  if (!end)
    return loop(first, last, unroll, sums);
  // Steps that are no whole iteration are added one by one, as at the end of
  // sums of this very length.
  last = e.larger(e.smaller(end, last), first);
  Value length = e.create<arith::SubIOp>(last, first);
  Value whole = e.plus(first, e.times(e.dividedBy(length, unroll), unroll));
  return loop(whole, last, 1, loop(first, whole, unroll, sums));
}

Emitter::Values BlockedSums::run(int64_t count, int64_t unroll,
                                 Emitter::Values sums, Steps steps) {
  int64_t main = count / unroll * unroll;
  sums = some(e.index(0), main, unroll, sums, steps);
  return some(e.index(main), count - main, 1, sums, steps);
}

Emitter::Values BlockedSums::loop(int64_t count, int64_t unroll,
                                  Emitter::Values sums, Steps steps,
                                  int64_t sets, int64_t each) {
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
  Emitter::Values zeros(sums.size() * (sets - 1),
                        e.zeros(type.getElementType(), type.getNumElements()));
  sums.append(zeros);
  int64_t longest = chain * sets;
  int64_t parts = (count * each + longest / 2) / longest;
  int64_t part =
      parts > 1 ? llvm::alignTo(
                      std::max<int64_t>(1, (count + parts / 2) / parts), unroll)
                : count;
  if (part >= count || !isa<FloatType>(type.getElementType()))
    return join(run(count, unroll, sums, steps));

  int64_t lanes = type.getNumElements();
  int64_t kept = sums.size() / sets;
  Value memory = e.stack({kept, lanes}, type.getElementType());
  zeros.assign(sums.size(), e.zeros(type.getElementType(), lanes));
  auto position = [&](int64_t i) {
    return Emitter::Values{e.index(i), e.index(0)};
  };
  auto before = [&](int64_t i) {
    return e.load(memory, position(i), lanes, lanes);
  };
  // Of sums that begin here the first part has nothing to be added to; the last
  // is not kept.
  int64_t last = (count - 1) / part * part, spilled = 0;
  auto keep = [&](ValueRange sums) {
    for (auto [i, sum] : llvm::enumerate(sums))
      e.store(sum, memory, position(i), lanes);
    if (sumsFillRegisters)
      e.compilerFence(memory);
  };
  bool begin = llvm::all_of(
      sums, [](Value sum) { return matchPattern(sum, m_AnyZeroFloat()); });
  if (begin) {
    spilled = part;
    keep(join(some(e.index(0), part, unroll, sums, steps)));
  } else {
    keep(ArrayRef<Value>(sums).take_front(kept));
  }
  // Nothing is carried from part to part: LLVM would spill it.
  e.loop(e.index(spilled), e.index(last), part, [&](Value k) {
    Emitter::Values total = join(some(k, part, unroll, zeros, steps));
    for (auto [i, sum] : llvm::enumerate(total))
      sum = e.sum(before(i), sum);
    keep(total);
  });
  int64_t main = last + (count - last) / unroll * unroll;
  Emitter::Values rest = zeros;
  if (last < main)
    rest = some(e.index(last), main - last, unroll, rest, steps);
  if (main < count)
    rest = some(e.index(main), count - main, 1, rest, steps);
  rest = join(rest);
  for (auto [i, sum] : llvm::enumerate(rest))
    sum = e.sum(before(i), sum);
  return rest;
}

} // namespace weir::cpu
