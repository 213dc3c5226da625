// Signed sums of vectors, the steps of Winograd transforms.

#include "passes/cpu/winograd/SignedSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {

Value signedSum(Emitter &e, ArrayRef<int> signs, ArrayRef<int> classes,
                function_ref<Value(int64_t)> term) {
  // The sum of each class, negated where its first term is: what is common to
  // several combinations then is the same instructions.
  SmallVector<std::pair<Value, bool>> sums;
  for (int group = 0; group <= *llvm::max_element(classes); ++group) {
    Value sum;
    bool negated = false;
    for (auto [i, sign] : llvm::enumerate(signs)) {
      if (!sign || classes[i] != group)
        continue;
      if (!sum) {
        sum = term(i);
        negated = sign < 0;
      } else if ((sign < 0) == negated) {
        sum = e.create<arith::AddFOp>(sum, term(i));
      } else {
        sum = e.create<arith::SubFOp>(sum, term(i));
      }
    }
    if (sum)
      sums.push_back({sum, negated});
  }
  // Begin with one to add, if there is.
  for (auto &entry : sums)
    if (!entry.second) {
      std::swap(entry, sums[0]);
      break;
    }
  Value total = sums[0].first;
  if (sums[0].second)
    total = e.create<arith::NegFOp>(total);
  for (auto [sum, negated] : ArrayRef(sums).drop_front())
    total = negated ? Value(e.create<arith::SubFOp>(total, sum))
                    : Value(e.create<arith::AddFOp>(total, sum));
  return total;
}

} // namespace weir::cpu
