// Computes a tile of a product by a block of threads, slice by slice.
//
// Shared memory has three stages. One has the slices of both sides that are
// multiplied, while the next two are being copied into the others. An iteration
// waits for the oldest copy, then at a barrier. Then it starts the copy into
// the stage that all threads have finished. So one barrier in an iteration is
// enough.

#include "passes/gpu/kernels/Products.h"

#include "dialects/target/Precision.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::gpu {
namespace {

/// In elements: the limit of adjacent results that are stored together, as one
/// or two stores of 16 bytes.
constexpr int64_t maxNeighbours = 8;

/// A product of few rows or columns is divided along the depth from this depth
/// on.
constexpr int64_t fewLines = 64, fewDepth = 256, fewElements = 1 << 16;

/// The slices of one side in shared memory, and copies in progress.
struct Staged {
  const Side &side;
  Slice slice;
  Part part;
  int64_t begin; // the offset of a stage in bytes
};

} // namespace

bool TiledProduct::isWorthTiles() const {
  if (!(sumType.isF32() || sumType.isInteger(32)) ||
      sizes.batches * llvm::divideCeil(sizes.rows, 64) *
              llvm::divideCeil(sizes.columns, 64) >
          INT32_MAX)
    return false;
  int64_t elements = sizes.rows * sizes.columns;
  if (sizes.rows >= 16 && sizes.columns >= 16)
    return sizes.depth >= 16 && elements >= 1024;
  // Most of the tile is padding, but with a thread for each element the long
  // loop over the depth would leave the GPU idle.
  return sumType.isF32() && sizes.depth >= fewDepth &&
         std::max(sizes.rows, sizes.columns) >= fewLines &&
         sizes.batches * elements <= fewElements;
}

void TiledProduct::share(ThreadBuilder &b) const {
  Type element = left.element();
  if (element != right.element() || !sumType.isF32() || !left.hasAddresses() ||
      !right.hasAddresses())
    return shareSlices(b);
  if (element.isF16() || element.isBF16())
    return shareStages(b, Multiplier::Float16);
  if (!element.isF32())
    return shareSlices(b);
  shareStages(b, isForTf32(b.getInsertionBlock()->getParentOp())
                     ? Multiplier::Tf32
                     : Multiplier::Threads);
}

void TiledProduct::shareStages(ThreadBuilder &b, Multiplier multiplier) const {
  bool byChunks =
      left.bytesTogether() == chunkBytes && right.bytesTogether() == chunkBytes;
  Tiling tiling = chooseTiling(
      sizes, multiplier, gpuOf(b.getInsertionBlock()->getParentOp()), byChunks);
  multiplier = tiling.multiplier;
  bool byGroups = multiplier == Multiplier::GroupFloat16;
  int64_t depth = depthOfSlice(multiplier), steps = tiling.steps;
  int64_t tilesDown = llvm::divideCeil(sizes.rows, tiling.rows),
          tilesAcross = llvm::divideCeil(sizes.columns, tiling.columns);
  bool passesDepth = tiling.splits * steps * depth > sizes.depth;
  Value parts;
  if (tiling.splits > 1)
    parts = b.create<memref::AllocOp>(MemRefType::get(
        {tiling.splits, sizes.batches, sizes.rows, sizes.columns}, sumType));
  auto body = [&](Value block, Value thread) {
    SmallVector<Value> position = b.delinearize(
        block, {tiling.splits, sizes.batches, tilesDown, tilesAcross});
    Value split = position[0], batch = position[1];
    Value firstRow = b.times(position[2], tiling.rows),
          firstColumn = b.times(position[3], tiling.columns),
          firstDepth = b.times(split, steps * depth);
    auto sliceOf = [&](const Side &side, int64_t lines) {
      return Slice{lines, depth, side.byDepth, side.elementBytes(), byGroups};
    };
    Staged sides[] = {{left,
                       sliceOf(left, tiling.rows),
                       {batch, firstRow, sizes.rows, sizes.depth,
                        sizes.rows % tiling.rows != 0, passesDepth},
                       0},
                      {right,
                       sliceOf(right, tiling.columns),
                       {batch, firstColumn, sizes.columns, sizes.depth,
                        sizes.columns % tiling.columns != 0, passesDepth},
                       0}};
    sides[1].begin = sides[0].slice.bytes();
    int64_t stageBytes = sides[1].begin + sides[1].slice.bytes();
    Value memory = pointerTo(b, b.shared({tiling.stages * stageBytes},
                                         b.getI8Type(), byGroups ? 1024 : 0));
    auto begin = [&](Value step, Value stage) {
      Value k = b.plus(firstDepth, b.times(step, depth));
      for (const Staged &s : sides)
        beginSlice(b, s.side, s.slice, s.part, k,
                   after(b, memory, b.plus(stage, b.index(s.begin))), thread,
                   tiling.threads());
    };
    std::unique_ptr<TileThreads> threads;
    if (byGroups)
      threads = makeGroupThreads(b, tiling, sides[0].slice, sides[1].slice,
                                 left.element(), thread);
    else if (multiplier == Multiplier::Threads)
      threads =
          makeFloatThreads(b, tiling, sides[0].slice, sides[1].slice, thread);
    else
      threads = makeUnitThreads(b, tiling, sides[0].slice, sides[1].slice,
                                left.element(), thread);
    // All threads have finished the slice before this one. If products are
    // asynchronous, the one before that.
    int64_t back = threads->isAsync() ? 2 : 1, ahead = tiling.stages - back;
    for (int64_t i = 0; i < ahead; ++i) {
      if (i < steps)
        begin(b.index(i), b.index(i * stageBytes));
      endGroup(b);
    }
    SmallVector<Value> carried(threads->sums(), b.zero(sumType));
    carried.push_back(b.index(0));
    int64_t last = (tiling.stages - 1) * stageBytes;
    carried = b.loop(steps, carried, [&](Value step, ValueRange now) {
      Value stage = now.back();
      waitForGroups(b, ahead - 1);
      threads->publish();
      b.barrier();
      auto beginNext = [&] {
        if (steps > ahead) {
          Value next = b.plus(step, b.index(ahead));
          Value free = b.create<arith::SelectOp>(
              b.isInside(stage, back * stageBytes),
              b.plus(stage, b.index(ahead * stageBytes)),
              b.plus(stage, b.index(-back * stageBytes)));
          b.onlyIf(b.isInside(next, steps), [&] { begin(next, free); });
        }
        endGroup(b);
      };
      if (!threads->isAsync())
        beginNext();
      SmallVector<Value> sums = threads->multiply(
          after(b, memory, stage),
          after(b, memory, b.plus(stage, b.index(sides[1].begin))),
          now.drop_back());
      if (threads->isAsync()) {
        beginNext();
        threads->waitForOthers();
      }
      sums.push_back(
          b.create<arith::SelectOp>(b.equals(stage, last), b.index(0),
                                    b.plus(stage, b.index(stageBytes))));
      return sums;
    });
    carried.pop_back();
    carried = threads->wait(carried);
    int64_t most = maxNeighbours;
    while (sizes.columns % most)
      most /= 2;
    threads->finish(
        carried, most, [&](Value row, Value column, ArrayRef<Value> sums) {
          row = b.plus(firstRow, row);
          column = b.plus(firstColumn, column);
          // Groups have a power-of-two size that divides the columns, so a
          // group is inside if its first element is.
          Value inside;
          if (sides[0].part.passesLines)
            inside = b.isInside(row, sizes.rows);
          if (sides[1].part.passesLines) {
            Value here = b.isInside(column, sizes.columns);
            inside = inside ? b.both(inside, here) : here;
          }
          auto store = [&] {
            if (!parts)
              return finish(batch, row, column, sums);
            for (auto [i, sum] : llvm::enumerate(sums))
              b.store(sum, parts,
                      {split, batch, row, b.plus(column, b.index(i))});
          };
          if (inside)
            b.onlyIf(inside, store);
          else
            store();
        });
  };
  b.blocks(tiling.splits * sizes.batches * tilesDown * tilesAcross,
           tiling.threads(), body);
  if (parts)
    addSplits(b, parts, tiling.splits);
}

void TiledProduct::addSplits(ThreadBuilder &b, Value parts,
                             int64_t splits) const {
  int64_t together = sizes.columns % 4 == 0 ? 4 : 1;
  b.workItems(sizes.batches * sizes.rows * sizes.columns / together,
              [&](Value workItem) {
                SmallVector<Value> at =
                    b.delinearize(workItem, {sizes.batches, sizes.rows,
                                             sizes.columns / together});
                Value column = b.times(at[2], together);
                SmallVector<Value> sums;
                // Parts are summed in the order of the depth.
                for (int64_t split = 0; split < splits; ++split)
                  for (int64_t i = 0; i < together; ++i) {
                    Value part = b.load(parts, {b.index(split), at[0], at[1],
                                                b.plus(column, b.index(i))});
                    if (split == 0)
                      sums.push_back(part);
                    else
                      sums[i] = b.create<arith::AddFOp>(sums[i], part);
                  }
                finish(at[0], at[1], column, sums);
              });
}

} // namespace weir::gpu
