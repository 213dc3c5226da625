// Copies that change which dimension lies side by side, by squares in
// registers.

#include "passes/cpu/loops/Squares.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <functional>

using namespace mlir;

namespace weir {

// Each round exchanges the halves of blocks half as large (Eklundh).
void transposeSquare(Emitter &e, MutableArrayRef<Value> rows) {
  size_t count = rows.size();
  for (size_t half = count / 2; half > 0; half /= 2) {
    SmallVector<int64_t> upper, lower;
    for (size_t lane = 0; lane < count; ++lane) {
      bool second = lane & half;
      upper.push_back(second ? count + lane - half : lane);
      lower.push_back(second ? count + lane : lane + half);
    }
    for (size_t i = 0; i < count; ++i) {
      if (i & half)
        continue;
      Value a = rows[i], b = rows[i + half];
      rows[i] = e.create<vector::ShuffleOp>(a, b, upper);
      rows[i + half] = e.create<vector::ShuffleOp>(a, b, lower);
    }
  }
}

static bool hasNeighbours(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.hasStaticShape() && isLastMemrefDimUnitStride(type) &&
         (type.getElementType().isF32() || type.getElementType().isInteger(32));
}

std::optional<Squares> Squares::of(linalg::LinalgOp op) {
  // A square that is mostly empty is worth it where the loop would take each
  // element by itself.
  constexpr int64_t leastNeighbours = 4, leastElements = 64;
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() < 2)
    return std::nullopt;
  Block &body = *op.getBlock();
  if (body.getOperations().size() != 1 ||
      body.getTerminator()->getOperand(0) != body.getArgument(0))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isPermutation() || !maps[1].isIdentity() ||
      !hasNeighbours(op->getOperand(0)) || !hasNeighbours(op->getOperand(1)))
    return std::nullopt;
  Squares squares{maps[0].getDimPosition(maps[0].getNumResults() - 1),
                  op.getNumLoops() - 1};
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (squares.down == squares.across)
    return std::nullopt;
  int64_t down = ranges[squares.down], across = ranges[squares.across];
  if (std::min(down, across) < leastNeighbours || down * across < leastElements)
    return std::nullopt;
  return squares;
}

void Squares::copy(Emitter &e, linalg::LinalgOp op, int64_t lanes) const {
  Value from = op->getOperand(0), to = op->getOperand(1);
  AffineMap map = op.getIndexingMapsArray()[0];
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Emitter::Values at(ranges.size());
  auto source = [&] {
    Emitter::Values place;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      place.push_back(at[map.getDimPosition(i)]);
    return place;
  };
  auto square = [&](Value top, int64_t tall, Value left, int64_t wide) {
    Emitter::Values rows(lanes, e.zeros(e.element(from), lanes));
    at[down] = top;
    for (int64_t i = 0; i < wide; ++i) {
      at[across] = e.plus(left, i);
      rows[i] = e.load(from, source(), lanes, tall);
    }
    transposeSquare(e, rows);
    at[across] = left;
    for (int64_t i = 0; i < tall; ++i) {
      at[down] = e.plus(top, i);
      e.store(rows[i], to, at, wide);
    }
  };
  // Whole ones, and what is left.
  auto split = [&](unsigned d, function_ref<void(Value, int64_t)> body) {
    int64_t whole = ranges[d] / lanes * lanes;
    e.loop(e.index(0), e.index(whole), lanes,
           [&](Value first) { body(first, lanes); });
    if (whole < ranges[d])
      body(e.index(whole), ranges[d] - whole);
  };
  std::function<void(unsigned)> outer = [&](unsigned d) {
    if (d == ranges.size())
      return split(down, [&](Value top, int64_t tall) {
        split(across,
              [&](Value left, int64_t wide) { square(top, tall, left, wide); });
      });
    if (d == down || d == across)
      return outer(d + 1);
    e.loop(ranges[d], [&](Value i) {
      at[d] = i;
      outer(d + 1);
    });
  };
  outer(0);
}

} // namespace weir
