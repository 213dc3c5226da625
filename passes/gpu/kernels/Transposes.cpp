// Emits loop nests that read along one dimension and write along another.
//
// If adjacent threads write adjacent elements, they read elements that are far
// apart, a cache line each. So a block copies a transpose block of the operand
// to shared memory by rows, and reads it there by columns.

#include "passes/gpu/kernels/Blocks.h"
#include "passes/gpu/kernels/Nest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::gpu {
namespace {

constexpr int64_t side = 32, threads = 256, rounds = side * side / threads;
// Smaller tensors are not worth the exchange.
constexpr int64_t minSide = 16, minElements = 4096;

} // namespace

OpOperand *transposedOperand(linalg::LinalgOp op) {
  unsigned rank = op.getNumLoops();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (op.getNumParallelLoops() != rank || rank < 2 ||
      op.getNumDpsInits() != 1 || ranges.back() < minSide ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return nullptr;
  int64_t count = 1;
  for (int64_t range : ranges)
    count *= range;
  if (count < minElements || count > INT32_MAX)
    return nullptr;
  OpOperand *found = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<MemRefType>(input->get().getType()) || !map.isPermutation())
      continue;
    unsigned inner = map.getDimPosition(rank - 1);
    if (inner == rank - 1 || ranges[inner] < minSide)
      continue;
    if (found)
      return nullptr;
    found = input;
  }
  // Its memory must not be overwritten while other threads read it.
  return found && found->get() != op.getDpsInitOperand(0)->get() ? found
                                                                 : nullptr;
}

void shareTranspose(ThreadBuilder &b, linalg::LinalgOp op, OpOperand &operand) {
  Nest nest(b, op);
  unsigned rank = nest.ranges.size(), last = rank - 1;
  unsigned inner = op.getMatchingIndexingMap(&operand).getDimPosition(last);
  int64_t columns = nest.ranges[last], rows = nest.ranges[inner];
  // The other dimensions, and then blocks.
  SmallVector<int64_t> shape;
  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < rank; ++d)
    if (d != inner && d != last) {
      outer.push_back(d);
      shape.push_back(nest.ranges[d]);
    }
  for (int64_t range : {rows, columns})
    shape.push_back(llvm::divideCeil(range, side));
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  auto smaller = [&](Value x, int64_t limit) -> Value {
    return b.create<arith::MinUIOp>(x, b.index(limit - 1));
  };
  auto inside = [&](Value x, int64_t limit) -> Value {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, x,
                                   b.index(limit));
  };
  b.blocks(count, threads, [&](Value block, Value thread) {
    SmallVector<Value> position = b.delinearize(block, shape);
    Value firstColumn = b.times(position.pop_back_val(), side),
          firstRow = b.times(position.pop_back_val(), side);
    for (auto [d, index] : llvm::zip_equal(outer, position))
      nest.at[d] = index;
    Value across = b.modulo(thread, side), down = b.dividedBy(thread, side);
    // One more row than the block has, so that columns begin in different
    // banks.
    Value square =
        b.shared({side, side + 1},
                 cast<MemRefType>(operand.get().getType()).getElementType());
    for (int64_t i = 0; i < rounds; ++i) {
      Value line = b.plus(down, b.index(i * threads / side));
      nest.at[inner] = smaller(b.plus(firstRow, across), rows);
      nest.at[last] = smaller(b.plus(firstColumn, line), columns);
      b.store(nest.load(operand), square, {line, across});
    }
    b.barrier();
    for (int64_t i = 0; i < rounds; ++i) {
      Value line = b.plus(down, b.index(i * threads / side));
      Value row = b.plus(firstRow, line), column = b.plus(firstColumn, across);
      nest.at[inner] = row;
      nest.at[last] = column;
      b.onlyIf(
          b.create<arith::AndIOp>(inside(row, rows), inside(column, columns)),
          [&] {
            OpOperand *init = op.getDpsInitOperand(0);
            bool isUsed = !op.getMatchingBlockArgument(init).use_empty();
            nest.store(nest.compute(
                isUsed ? nest.load(*init) : Value(), [&](OpOperand &input) {
                  return &input == &operand ? b.load(square, {across, line})
                                            : nest.load(input);
                }));
          });
    }
  });
}

} // namespace weir::gpu
