// Sums the lanes of vectors.

#include "passes/cpu/kernels/LaneSums.h"

using namespace mlir;

namespace weir::cpu {

// Two become one as long as there are two: each is in segments, one for each of
// the vectors that it was made of, and halves of segments are added.
Value sumEach(Emitter &e, Emitter::Values vectors) {
  auto type = cast<VectorType>(vectors[0].getType());
  int64_t lanes = type.getNumElements();
  Value zeros = e.zeros(type.getElementType(), lanes);
  for (int64_t length = lanes; length > 1; length /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < 2 * lanes; i += length)
      for (int64_t j = i; j < i + length / 2; ++j) {
        low.push_back(j);
        high.push_back(j + length / 2);
      }
    Emitter::Values joined;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      Value a = vectors[i], b = i + 1 < vectors.size() ? vectors[i + 1] : zeros;
      joined.push_back(e.sum(e.create<vector::ShuffleOp>(a, b, low),
                             e.create<vector::ShuffleOp>(a, b, high)));
    }
    vectors = std::move(joined);
  }
  return vectors[0];
}

void finishDots(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                ArrayRef<Value> sums) {
  // Short vectors go through the epilogue where columns are few.
  Type element = getElementTypeOrSelf(sums[0]);
  Tile few = tile;
  int64_t least = 128 / element.getIntOrFloatBitWidth();
  few.lanes = std::min<int64_t>(
      std::max<int64_t>(llvm::PowerOf2Ceil(tile.columns), least), tile.lanes);
  int64_t together = tile.lanes / tile.columns;
  Emitter::Values results;
  for (int64_t x = 0; x < tile.width; x += together) {
    int64_t count = std::min(together, tile.width - x);
    Value each = sumEach(
        e, Emitter::Values(sums.slice(x * tile.columns, count * tile.columns)));
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<int64_t> own;
      for (int64_t lane = 0; lane < few.lanes; ++lane)
        own.push_back((i * tile.columns + lane) % tile.lanes);
      results.push_back(few.lanes == tile.lanes && i == 0
                            ? each
                            : e.create<vector::ShuffleOp>(each, each, own));
    }
  }
  finishTile(e, op, few, results);
}

} // namespace weir::cpu
