// Emits the work of one thread on a row, nest by nest.

#include "passes/gpu/kernels/RowEmitter.h"

using namespace mlir;

namespace weir::gpu {

// Adjacent elements that are loaded and stored together: 16 bytes of f32.
static constexpr int64_t wide = 4;

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

RowEmitter::RowEmitter(ThreadBuilder &b, ArrayRef<int64_t> rows,
                       ArrayRef<int64_t> columns, int64_t threads, bool isLong,
                       Value row, Value thread)
    : b(b), columns(columns), threads(threads), isLong(isLong), thread(thread),
      rowAt(b.delinearize(row, rows)) {
  if (isLong)
    return;
  int64_t length = product(columns);
  // Groups of four adjacent elements, if the length is a multiple.
  int64_t group = threads > 1 && length % (threads * wide) == 0 ? wide : 1;
  for (int64_t first = 0; first < length; first += threads) {
    int64_t round = first / threads;
    Value element =
        threads == 1
            ? b.index(first)
            : b.plus(b.times(thread, group),
                     b.index(round / group * group * threads + round % group));
    Value isInside;
    if (first + threads > length) {
      isInside = b.isInside(element, length);
      element = b.clamped(element, length);
    }
    inside.push_back(isInside);
    at.push_back(indicesOf(element));
  }
}

SmallVector<Value> RowEmitter::indicesOf(Value element) {
  SmallVector<Value> indices(rowAt);
  llvm::append_range(indices, b.delinearize(element, columns));
  return indices;
}

void RowEmitter::emit(linalg::LinalgOp op,
                      llvm::function_ref<bool(Value)> isOwn) {
  Nest nest(b, op);
  bool overColumns = op.getNumLoops() > rowAt.size();
  SmallVector<Value> last, before(op.getNumDpsInits());
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    bool isSum = overColumns && isRow(op, init);
    // Stores come after the exchange, so no thread overwrites an element that
    // another one still reads.
    if (isSum) {
      nest.at.assign(rowAt.begin(), rowAt.end());
      nest.at.resize(nest.ranges.size());
      before[i] = element(nest, init, 0);
    }
    last.push_back(isSum && threads > 1 ? b.create<arith::ConstantOp>(
                                               identityOf(combinerOf(op, i)))
                                              .getResult()
                                        : before[i]);
  }
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  bool isLoop = isLong && overColumns;
  if (isLoop)
    looped(nest, last);
  else
    results = unrolled(nest, last, overColumns);
  for (unsigned i = 0; i < results.size(); ++i) {
    OpOperand &init = *op.getDpsInitOperand(i);
    if (!last[i] && isLoop)
      continue;
    if (last[i] && threads > 1)
      last[i] =
          combine(b, combinerOf(op, i), before[i],
                  combineBlock(b, combinerOf(op, i), last[i], thread, threads));
    held[init.get()] = last[i] ? SmallVector<Value>{last[i]} : results[i];
    if (isOwn(init.get()))
      continue;
    if (isRow(op, init)) {
      rowResults.insert(init.get());
      continue;
    }
    for (size_t j = 0; j < results[i].size(); ++j) {
      Value value = results[i][j];
      nest.at = at[j];
      onlyIf(inside[j],
             [&] { b.store(value, init.get(), nest.indices(init)); });
    }
  }
}

SmallVector<SmallVector<Value>>
RowEmitter::unrolled(Nest &nest, SmallVector<Value> &last, bool overColumns) {
  linalg::LinalgOp op = nest.op;
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  for (size_t j = 0; j < (overColumns ? at.size() : 1); ++j) {
    nest.at = overColumns ? at[j] : rowAt;
    SmallVector<Value> now;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      bool isUsed = !op.getMatchingBlockArgument(&init).use_empty();
      now.push_back(last[i] || !isUsed ? last[i] : element(nest, init, j));
    }
    auto values = nest.compute(
        now, [&](OpOperand &input) { return element(nest, input, j); });
    for (auto [i, value] : llvm::enumerate(values)) {
      if (!last[i])
        results[i].push_back(value);
      else
        last[i] = overColumns && inside[j]
                      ? b.create<arith::SelectOp>(inside[j], value, last[i])
                      : value;
    }
  }
  return results;
}

void RowEmitter::looped(Nest &nest, SmallVector<Value> &last) {
  linalg::LinalgOp op = nest.op;
  int64_t length = product(columns);
  SmallVector<Value> sums;
  llvm::copy_if(last, std::back_inserter(sums),
                [](Value value) { return value != nullptr; });
  auto round = [&](Value number, ValueRange carried) {
    Value own = b.plus(b.times(number, threads), thread), isInside;
    if (length % threads) {
      isInside = b.isInside(own, length);
      own = b.clamped(own, length);
    }
    nest.at = indicesOf(own);
    SmallVector<Value> now, next;
    unsigned sum = 0;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      bool isUsed = !op.getMatchingBlockArgument(&init).use_empty();
      now.push_back(last[i]  ? carried[sum++]
                    : isUsed ? element(nest, init, 0)
                             : Value());
    }
    auto values = nest.compute(
        now, [&](OpOperand &input) { return element(nest, input, 0); });
    for (auto [i, value] : llvm::enumerate(values)) {
      OpOperand &init = *op.getDpsInitOperand(i);
      if (last[i])
        next.push_back(
            isInside
                ? b.create<arith::SelectOp>(isInside, value, now[i]).getResult()
                : value);
      else
        onlyIf(isInside, [&, value = value] {
          b.store(value, init.get(), nest.indices(init));
        });
    }
    return next;
  };
  SmallVector<Value> reduced =
      b.loop(llvm::divideCeil(length, threads), sums, round);
  unsigned sum = 0;
  for (Value &value : last)
    if (value)
      value = reduced[sum++];
}

void RowEmitter::finish() {
  if (rowResults.empty())
    return;
  Value first = threads == 1 ? Value() : b.equals(thread, 0);
  onlyIf(first, [&] {
    for (Value memory : rowResults)
      b.store(held[memory][0], memory, rowAt);
  });
}

bool RowEmitter::isRow(linalg::LinalgOp op, OpOperand &init) {
  return op.getMatchingIndexingMap(&init).getNumResults() == rowAt.size();
}

/// The value in a register, if an earlier nest computed it.
Value RowEmitter::element(Nest &nest, OpOperand &operand, size_t j) {
  auto found = held.find(operand.get());
  if (found == held.end())
    return nest.load(operand);
  return found->second[found->second.size() == 1 ? 0 : j];
}

void RowEmitter::onlyIf(Value condition, llvm::function_ref<void()> body) {
  condition ? b.onlyIf(condition, body) : body();
}

} // namespace weir::gpu
