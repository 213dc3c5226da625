// Results that depend on integers which only the run knows.

#include "compiler/import/onnx/Choice.h"

#include "compiler/import/onnx/Scalars.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Expr> chosen(Node &node, ArrayRef<Expr> given,
                       ArrayRef<Integers> candidates, const Twine &message,
                       function_ref<FailureOr<Expr>(ArrayRef<int64_t>)> build) {
  if (candidates.empty())
    return node.unsupported("operands that only the run knows and of which no "
                            "values are known that fit");
  if (candidates.size() > choiceLimit)
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

SmallVector<Integers> dimChoices(int64_t rank, int64_t count) {
  SmallVector<Integers> all;
  for (uint64_t bits = 0; bits < uint64_t(1) << rank; ++bits) {
    if (llvm::popcount(bits) != count)
      continue;
    Integers dims;
    for (int64_t d = 0; d < rank; ++d)
      if (bits >> d & 1)
        dims.push_back(d);
    all.push_back(dims);
  }
  return all;
}

Expr namesAll(Node &node, ArrayRef<Expr> axes, ArrayRef<int64_t> dims,
              int64_t rank) {
  Expr all;
  for (int64_t d : dims) {
    Expr named;
    for (Expr axis : axes) {
      Expr same = either(equal(axis, number(node, d)),
                         equal(axis, number(node, d - rank)));
      named = named ? either(named, same) : same;
    }
    all = all ? both(all, named) : named;
  }
  return all;
}

LogicalResult checkAxesOfOnes(Node &node, unsigned i, ArrayRef<int64_t> whole,
                              ArrayRef<int64_t> rest) {
  SmallVector<Expr> axes;
  if (failed(readScalars(node, i, axes)))
    return failure();
  auto rank = static_cast<int64_t>(whole.size());
  if (rank > choiceRank)
    return node.unsupported("axes of more than " + Twine(choiceRank) +
                            " dimensions that only the run knows");
  Expr known;
  for (const Integers &dims :
       dimChoices(rank, static_cast<int64_t>(axes.size()))) {
    Integers left;
    bool fits = !dims.empty();
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(dims, d))
        left.push_back(whole[d]);
      else
        fits &= whole[d] == 1;
    if (!fits || ArrayRef(left) != rest)
      continue;
    Expr isThis = namesAll(node, axes, dims, rank);
    known = known ? either(known, isThis) : isThis;
  }
  if (!known)
    return node.error() << "has no axes between the shapes [" << whole
                        << "] and [" << rest << "]";
  return check(node, known,
               "its axes do not give the shape that the model says of its "
               "result");
}

Expr axisFromFront(Node &node, Expr axis, int64_t rank) {
  return select(less(axis, number(node, 0)), axis + number(node, rank), axis);
}

/// Of a positive number, ascending.
static Integers divisorsOf(int64_t number) {
  Integers low, high;
  for (int64_t d = 1; d <= number / d; ++d) {
    if (number % d)
      continue;
    low.push_back(d);
    if (d != number / d)
      high.push_back(number / d);
  }
  llvm::append_range(low, llvm::reverse(high));
  return low;
}

SmallVector<Integers> factorizations(int64_t product, int64_t count) {
  // Up to here the divisors are found at once; of more elements weir makes no
  // patches.
  if (product < 1 || product > (1 << 24))
    return {};
  SmallVector<Integers> all{{}};
  SmallVector<int64_t> rests{product};
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Integers> next;
    SmallVector<int64_t> left;
    bool isLast = i + 1 == count;
    for (auto [factors, rest] : llvm::zip_equal(all, rests))
      for (int64_t factor : isLast ? Integers{rest} : divisorsOf(rest)) {
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
