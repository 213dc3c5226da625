// Computes a tile of a product by a block of threads, for any types of
// elements.
//
// For each slice of the depth the block copies rows of the left side and
// columns of the right side to shared memory, where 16 threads read each
// element. A thread keeps 4 x 4 sums in registers.

#include "passes/gpu/kernels/Products.h"

using namespace mlir;

namespace weir::gpu {
namespace {

constexpr int64_t tile = 64, slice = 16, each = 4;
constexpr int64_t across = tile / each, threads = across * across;
// The padding makes rows begin in different banks.
constexpr int64_t padded = tile + 4;

} // namespace

void TiledProduct::shareSlices(ThreadBuilder &b) const {
  int64_t batches = sizes.batches, rows = sizes.rows, columns = sizes.columns,
          depth = sizes.depth;
  int64_t tilesDown = llvm::divideCeil(rows, tile),
          tilesAcross = llvm::divideCeil(columns, tile);
  b.blocks(
      batches * tilesDown * tilesAcross, threads,
      [&](Value block, Value thread) {
        SmallVector<Value> position =
            b.delinearize(block, {batches, tilesDown, tilesAcross});
        Value batch = position[0], firstRow = b.times(position[1], tile),
              firstColumn = b.times(position[2], tile);
        Value ownRow = b.times(b.dividedBy(thread, across), each);
        Value ownColumn = b.times(b.modulo(thread, across), each);
        Value a = b.shared({slice, padded}, sumType),
              c = b.shared({slice, padded}, sumType);
        SmallVector<Value> sums(each * each, b.zero(sumType));
        sums = b.loop(
            llvm::divideCeil(depth, slice), sums,
            [&](Value step, ValueRange now) {
              Value first = b.times(step, slice);
              for (int64_t i = 0; i < tile * slice / threads; ++i) {
                Value element = b.plus(thread, b.index(i * threads));
                // Adjacent threads read adjacent elements.
                auto byDepth = [&] {
                  return std::pair(b.dividedBy(element, slice),
                                   b.modulo(element, slice));
                };
                auto byTile = [&] {
                  return std::pair(b.modulo(element, tile),
                                   b.dividedBy(element, tile));
                };
                auto [r, kl] = left.byDepth ? byDepth() : byTile();
                Value row = b.plus(firstRow, r), k = b.plus(first, kl);
                Value both =
                    b.both(b.isInside(row, rows), b.isInside(k, depth));
                b.store(b.orZero(both, b.widened(left.load(
                                           b, batch, b.clamped(row, rows),
                                           b.clamped(k, depth)))),
                        a, {kl, r});
                auto [n, kr] = right.byDepth ? byDepth() : byTile();
                Value column = b.plus(firstColumn, n);
                k = b.plus(first, kr);
                both =
                    b.both(b.isInside(column, columns), b.isInside(k, depth));
                b.store(b.orZero(both, b.widened(right.load(
                                           b, batch, b.clamped(column, columns),
                                           b.clamped(k, depth)))),
                        c, {kr, n});
              }
              b.barrier();
              auto next = b.loop(slice, now, [&](Value k, ValueRange sums) {
                SmallVector<Value> x, y, result;
                for (int64_t i = 0; i < each; ++i) {
                  x.push_back(b.load(a, {k, b.plus(ownRow, b.index(i))}));
                  y.push_back(b.load(c, {k, b.plus(ownColumn, b.index(i))}));
                }
                for (int64_t i = 0; i < each * each; ++i)
                  result.push_back(
                      b.multiplyAdd(x[i / each], y[i % each], sums[i]));
                return result;
              });
              b.barrier();
              return next;
            });
        for (int64_t i = 0; i < each * each; ++i) {
          Value row = b.plus(b.plus(firstRow, ownRow), b.index(i / each));
          Value column =
              b.plus(b.plus(firstColumn, ownColumn), b.index(i % each));
          b.onlyIf(b.both(b.isInside(row, rows), b.isInside(column, columns)),
                   [&] { finish(batch, row, column, sums[i]); });
        }
      });
}

} // namespace weir::gpu
