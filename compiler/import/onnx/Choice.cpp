// Results that depend on integers which only the run knows.

#include "compiler/import/onnx/Choice.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Expr> chosen(Node &node, ArrayRef<Expr> given,
                       ArrayRef<Integers> candidates, const Twine &message,
                       function_ref<FailureOr<Expr>(ArrayRef<int64_t>)> build) {
  if (candidates.empty() || candidates.size() > choiceLimit)
    return node.unsupported(
        "operands that only the run knows and that may have " +
        Twine(candidates.size()) + " values");
  Expr result, isAny;
  for (const Integers &candidate : candidates) {
    Expr isThis;
    for (auto [value, number] : llvm::zip_equal(given, candidate)) {
      Expr same = equal(value, onnx::number(node, number));
      isThis = isThis ? both(isThis, same) : same;
    }
    FailureOr<Expr> y = build(candidate);
    if (failed(y) || !*y)
      return y;
    if (result && result.type() != y->type())
      return node.unsupported("operands that only the run knows and that the "
                              "shape of the result depends on");
    result = result ? select(isThis, *y, result) : *y;
    isAny = isAny ? either(isAny, isThis) : isThis;
  }
  if (failed(check(node, isAny, message)))
    return failure();
  return result;
}

Expr axisFromFront(Node &node, Expr axis, int64_t rank) {
  return select(less(axis, number(node, 0)), axis + number(node, rank), axis);
}

SmallVector<Integers> factorizations(int64_t product, int64_t count) {
  SmallVector<Integers> all{{}};
  SmallVector<int64_t> rests{product};
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Integers> next;
    SmallVector<int64_t> left;
    bool isLast = i + 1 == count;
    for (auto [factors, rest] : llvm::zip_equal(all, rests))
      for (int64_t factor = isLast ? rest : 1; factor <= rest; ++factor) {
        if (rest % factor)
          continue;
        next.push_back(factors);
        next.back().push_back(factor);
        left.push_back(rest / factor);
      }
    if (next.size() > (1 << 12))
      return {};
    all = std::move(next);
    rests = std::move(left);
  }
  return all;
}

} // namespace weir::onnx
