// Ops of the reference interpreter that order elements.

#include "compiler/reference/Families.h"

#include "dialects/graph/Index.h"
#include <numeric>

using namespace mlir;

namespace weir::reference {
namespace {

/// The positions of a row's elements in their order; equal ones keep theirs.
std::vector<int64_t> orderOf(const Tensor &keys, int64_t first, int64_t count,
                             bool descending) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), first);
  // The position decides between equal keys, which makes the sort stable.
  llvm::sort(order, [&](int64_t a, int64_t b) {
    bool isBefore = descending ? isLess(keys, b, a) : isLess(keys, a, b);
    bool isAfter = descending ? isLess(keys, a, b) : isLess(keys, b, a);
    return isBefore || (!isAfter && a < b);
  });
  return order;
}

Results sort(graph::SortOp op, Operands inputs) {
  SmallVector<Tensor, 1> results;
  for (const TensorRef &input : inputs)
    results.push_back(*input);
  const Tensor &keys = *inputs[0];
  int64_t count = keys.shape().back();
  for (int64_t first = 0; first < keys.size(); first += count) {
    std::vector<int64_t> order =
        orderOf(keys, first, count, op.getDescending());
    for (auto [result, input] : llvm::zip_equal(results, inputs))
      for (int64_t i = 0; i < count; ++i)
        result[first + i] = (*input)[order[i]];
  }
  return results;
}

Results topK(graph::TopKOp op, const Tensor &x) {
  SmallVector<Tensor, 1> results = zeroResults(op);
  int64_t count = x.shape().back(), k = op.getK();
  if (count == 0)
    return results;
  for (int64_t row = 0; row < x.size() / count; ++row) {
    std::vector<int64_t> order =
        orderOf(x, row * count, count, /*descending=*/true);
    for (int64_t i = 0; i < k; ++i) {
      results[0][row * k + i] = x[order[i]];
      results[1].setInteger(row * k + i, order[i] - row * count);
    }
  }
  return results;
}

Tensor searchSorted(graph::SearchSortedOp op, const Tensor &sorted,
                    const Tensor &values) {
  Tensor result(op.getType());
  int64_t count = sorted.shape().back(), each = values.shape().back();
  Tensor both(RankedTensorType::get({2}, values.elementType()));
  for (int64_t i = 0; i < values.size(); ++i) {
    int64_t row = i / each * count, found = 0;
    both[1] = values[i];
    while (found < count) {
      both[0] = sorted[row + found];
      // A NaN is not before any value, nor is a value after it.
      bool ordered = !values.isFloat() || both[0].number == both[0].number;
      ordered &= !values.isFloat() || both[1].number == both[1].number;
      if (!ordered ||
          !(op.getRight() ? !isLess(both, 1, 0) : isLess(both, 0, 1)))
        break;
      ++found;
    }
    result.setInteger(i, found);
  }
  return result;
}

} // namespace

void addOrder(Evaluators &all) {
  all.add([](graph::SortOp op, Operands in) { return sort(op, in); });
  all.add([](graph::TopKOp op, Operands in) { return topK(op, *in[0]); });
  all.add([](graph::SearchSortedOp op, Operands in) {
    return searchSorted(op, *in[0], *in[1]);
  });
}

} // namespace weir::reference
