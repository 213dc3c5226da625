// Matrix products by register tiles over packed panels.
//
// The loops, from the outside: blocks of rows; slabs of the depth, so that the
// rows' part of A stays in L2; panels; blocks of the depth, so that a panel's
// part stays in L1; tiles of rows; depth. The sums of a tile stay in registers
// for the whole innermost loop. If rows of A would conflict in the sets of L1
// or L2, a block of them, or its part of a slab, is copied first. If rows are
// few, parts of panels are packed just before their use.
//
// Threads share the products of a batch, or work items of rows, each a product
// of its own, or panels or tiles of rows. Each thread then runs all loops, with
// one of them restricted to its part.

#include "dialects/isa/Isa.h"
#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/BlockedSums.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/kernels/MatmulBlocks.h"
#include "passes/cpu/kernels/PanelCopy.h"
#include "passes/cpu/kernels/TileRange.h"
#include "passes/cpu/loops/ActualSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct MatmulEmitter : MatmulBlocks {
  Emitter &e;
  const kernel::Target &target;
  kernel::MatmulOp op;
  Value a, b, out;
  ValueRange batch;
  // A copy of a block of rows, or of its part of a slab, each row a line
  // longer, and where in A it begins; null where A is read in place.
  Value copy, copyRow, copyDepth;
  // Of the panel at hand, from `partLine` on, as deep as a block of the depth;
  // null where B is packed before.
  kernel::PackOp pack;
  std::unique_ptr<Isa> isa;
  Value part, partLine;
  Value addend;     // what all sums begin with, of the columns; null for zeros
  TileRange range;  // to make
  Value rowsBefore; // those of the present work item; null without work items
  Value backward;   // whether columns go from the last to the first, or null
  BlockedSums blocked;
  Value actualColumns, actualDepth; // of an attention; null for the bounds

  MatmulEmitter(Emitter &e, kernel::MatmulOp op, const kernel::Target &target,
                kernel::PackOp pack)
      : MatmulBlocks(op, target), e(e), target(target), op(op), a(op.getA()),
        b(op.getB()), out(op.getOut()), pack(pack), isa(Isa::of(target)),
        blocked{e, chain, target.sumsFillRegisters()} {
    if (!isVnni)
      return;
    if (depthBlocks() == 1)
      addend = takeAddend(op);
    // Panels of rows, which are groups of 4 bytes.
    b = e.joinLast(b);
  }

  // Begins one or more products, in this order, of all tiles.
  void begin() {
    range = TileRange::all(e, *this);
    range.endAt(e, *this, actualColumns);
    if (pack)
      part = e.stack({depthBlock, tileColumns}, e.element(b));
    if (!copiesRows())
      return;
    int64_t line = Emitter::elementsOfLine(sumElement);
    copy = e.buffer(
        {std::min(splitRows, blockTiles * (splitRows / rowTiles() + 1)),
         (copiesSlabs() ? depthSlab : depth) + line},
        sumElement);
  }

  // Copies `count` elements of each of these rows to where they are in a copy
  // that begins with `copyRow` and `copyDepth`.
  void copyRows(Value first, Value end, int64_t count) {
    e.loop(first, end, 1, [&](Value row) {
      Value target = e.plus(row, e.times(copyRow, -1));
      Emitter::Values from(batch);
      from.append({row, copyDepth});
      copyLine(e, op, from, count, copy, target, lanes, isVnni);
    });
  }

  void copyBlock(Value block, Value first, int64_t count) {
    Value end = e.smaller(e.plus(block, blockTiles), range.endRow);
    copyRow = firstRowOf(block);
    copyDepth = first;
    copyRows(copyRow, firstRowOf(end), count);
  }

  Value loadA(Value row, Value k) {
    if (copy) {
      k = e.plus(k, e.times(copyDepth, -1));
      return e.splat(e.create<memref::LoadOp>(copy, ValueRange{row, k}), lanes);
    }
    Emitter::Values at(batch);
    at.append({row, e.times(k, unit())});
    if (isVnni)
      return e.splatWord(a, at, lanes);
    if (op.getTransposeA())
      std::swap(at.back(), at[at.size() - 2]);
    Value scalar = e.create<memref::LoadOp>(a, at);
    return e.splat(e.widen(scalar, sumElement, op.getUnsignedA()), lanes);
  }

  // Of the columns from `column` on, those `past` further.
  Emitter::Values positionB(Value column, Value k, int64_t past = 0) {
    int64_t panels = hasSeveralPanels() ? past / panel : 0;
    Value rest = e.index((past - panels * panel) * unit());
    if (part)
      return {e.plus(k, e.times(partLine, -1)), rest};
    Emitter::Values at;
    if (!op.getShared())
      at.assign(batch.begin(), batch.end());
    if (!panel)
      at.append({k, e.plus(column, rest)});
    else if (panel <= tileColumns)
      at.append({e.plus(e.dividedBy(column, panel), panels), k, rest});
    else
      at.append({e.dividedBy(column, panel), k,
                 e.plus(e.times(e.modulo(column, panel), unit()), rest)});
    return at;
  }

  // One register tile: `height` rows from `row`, `valid` columns.
  void tile(Value row, int64_t height, Value column, int64_t valid,
            const DepthPart &depth, function_ref<void(Value, int64_t)> ahead) {
    auto position = [&](Value, Value x) {
      Emitter::Values at(batch);
      return at.push_back(e.plus(row, x)), at;
    };
    Tile shape{1, height, valid, lanes, position, column};
    int64_t vectors = shape.vectors(), count = shape.count();
    SmallVector<Value> rowOf;
    Value firstRow = copy ? e.plus(row, e.times(copyRow, -1)) : row;
    // For the addresses of more rows there are no registers.
    bool apart = target.sumsFillRegisters() && height > 1 && height <= 8 &&
                 (copy || !op.getTransposeA());
    for (int64_t i = 0; i < height; ++i) {
      Value own = e.plus(firstRow, i);
      rowOf.push_back(apart ? e.opaque(own) : own);
    }

    // What comes from beyond L2 would be waited for at the end.
    if (depth.count >= 32 && prefetchResult)
      prefetchTile(e, op, shape, depth.ends);

    int64_t sets = setsOver(depth.count);
    Emitter::Values sums = firstSums(e, addend, shape, sumElement);
    auto step = [&](Value k, MutableArrayRef<Value> sums) {
      auto left = [&](int64_t i) { return loadA(rowOf[i], k); };
      auto right = [&](int64_t v) {
        Emitter::Values at = positionB(column, k, v * lanes);
        if (isVnni)
          return e.loadWords(b, at, lanes);
        return e.widen(
            e.load(part ? part : b, at, lanes, panel ? lanes : shape.valid(v)),
            sumElement);
      };
      auto add = [&](Value sum, Value left, Value right) {
        return isVnni ? isa->addByteProducts(e, sum, left, right)
                      : e.multiplyAdd(left, right, sum);
      };
      e.addOuterProduct(sums, vectors, target.sumsFillRegisters(), left, right,
                        add);
    };
    int64_t unroll = std::max(sets, this->unroll);
    bool inOneChain = sets == 1 && depth.count <= blocked.chain;
    // Of one iteration without fences LLVM loads all first, and spills.
    if ((valid < tileColumns && rows > tileRows && inOneChain) ||
        (isVnni && depth.count < 2 * unroll))
      unroll = sets;
    auto steps = [&](Value k, int64_t some, Emitter::Values &sums) {
      if (ahead && some > 1)
        ahead(k, some);
      Value first = e.plus(depth.first, k);
      for (int64_t u = 0; u < some; ++u) {
        step(e.plus(first, u),
             MutableArrayRef<Value>(sums).slice(u % sets * count, count));
        if (target.sumsFillRegisters())
          e.compilerFence();
      }
    };
    if (actualDepth)
      blocked.end = e.create<arith::SubIOp>(actualDepth, depth.first);
    sums = blocked.loop(depth.count, unroll, sums, steps, sets);
    if (depth.begins)
      addStored(e, out, shape, depth.begins, sums);
    if (depth.ends)
      finishTile(e, op, shape, sums);
    else
      storeTile(e, out, shape, sums);
  }

  // Where B is read after this block of the depth: at the next one or, where it
  // ends its slab, at the slab's first one of the next panel. Panels lie one
  // after the other.
  Emitter::Values afterBlock(Value column, const DepthPart &slab,
                             const DepthPart &depth) {
    Value nextPanel = e.plus(column, tileColumns);
    if (depth.count == slab.count)
      return positionB(nextPanel, slab.first);
    Value next = e.plus(depth.first, depth.count);
    if (slab.count == this->depth)
      return positionB(column, next);
    Value wraps = e.create<arith::CmpIOp>(arith::CmpIPredicate::uge, next,
                                          e.plus(slab.first, slab.count));
    return positionB(e.create<arith::SelectOp>(wraps, nextPanel, column),
                     e.create<arith::SelectOp>(wraps, slab.first, next));
  }

  // All tiles of the block of rows that begins at tile `block`, against the
  // columns of one tile.
  void tilesOfBlock(Value block, Value column, int64_t valid,
                    const DepthPart &slab, const DepthPart &depth) {
    if (part) {
      partLine = depth.first;
      PanelCopy(e, pack, tileColumns, target)
          .run(batch, column, valid, partLine, depth.count, part, {});
    }
    EvenSplit tiles = splitIntoTiles();
    auto run = [&](Value low, Value high, int64_t size, int64_t offset) {
      e.loop(low, high, 1, [&](Value t) {
        Value row = afterWorkItems(e.plus(e.times(t, size), offset));
        // What is read next comes near meanwhile, each tile of the block
        // fetching its share. All its lines are one run, of which every term
        // has its part. One tile of rows fetches what it will read soon,
        // perhaps of a part of a panel.
        auto ahead = [&](Value k, int64_t unroll) {
          int64_t line = tileColumns * unit();
          auto fetch = [&](Emitter::Values at, Value first, int64_t count) {
            for (int64_t c = 0; c < count;
                 c += Emitter::elementsOfLine(e.element(b))) {
              at.back() = e.plus(first, c);
              e.prefetch(b, at, prefetchLevel);
            }
          };
          if (streamsPanels()) {
            // The lines of a part of a panel are apart.
            int64_t together = panel == tileColumns ? unroll : 1;
            Emitter::Values at = positionB(column, depth.first);
            for (int64_t u = 0; u < unroll; u += together) {
              Value lines = e.times(e.plus(k, u), panel * unit());
              fetch(at,
                    e.plus(at.back(),
                           e.plus(lines, e.streamDistance / e.elementBytes(b))),
                    together * line);
            }
            return;
          }
          int64_t share = (line + blockTiles - 1) / blockTiles;
          Value term =
              e.plus(e.times(e.plus(t, e.times(block, -1)), depth.count), k);
          fetch(afterBlock(column, slab, depth), e.times(term, share),
                unroll * share);
        };
        bool fetches = prefetch != kernel::MatmulPrefetch::none && !part &&
                       valid == tileColumns &&
                       (panel == tileColumns || streamsPanels());
        using Ahead = function_ref<void(Value, int64_t)>;
        tile(row, size, column, valid, depth, fetches ? Ahead(ahead) : Ahead());
      });
    };
    Value begin = block;
    Value end = e.smaller(e.plus(block, blockTiles), range.endRow);
    range.confine(e, *this, column, begin, end);
    if (tiles.larger)
      run(begin, e.smaller(end, e.index(tiles.larger)), tiles.size + 1, 0);
    if (tiles.larger < tiles.count)
      run(e.larger(begin, e.index(tiles.larger)), end, tiles.size,
          tiles.larger);
  }

  Value afterWorkItems(Value row) {
    return rowsBefore ? e.plus(rowsBefore, row) : row;
  }

  Value firstRowOf(Value tile) {
    EvenSplit tiles = splitIntoTiles();
    return afterWorkItems(e.beginOf(tiles, tile));
  }

  void eachColumn(function_ref<void(Value, int64_t)> body) {
    Value whole = e.index(columns / tileColumns);
    Value end = e.smaller(range.endColumn, whole);
    e.loop(range.firstColumn, end, 1, [&](Value j) {
      j = e.mirroredIf(backward, j, range.firstColumn, end);
      body(e.times(j, tileColumns), tileColumns);
    });
    if (int64_t rest = columns % tileColumns)
      e.loop(e.larger(range.firstColumn, whole), range.endColumn, 1,
             [&](Value) { body(e.index(columns - rest), rest); });
  }

  void allColumns(Value block) {
    DepthPart::all(e, depth).eachBlock(e, depthSlab, [&](const auto &slab) {
      if (copiesSlabs())
        copyBlock(block, slab.first, slab.count);
      eachColumn([&](Value column, int64_t valid) {
        slab.eachBlock(e, depthBlock, [&](const DepthPart &part) {
          tilesOfBlock(block, column, valid, slab, part);
        });
      });
    });
  }

  void allRows() {
    e.loop(range.firstRow, range.endRow, blockTiles, [&](Value block) {
      if (copiesRows() && !copiesSlabs())
        copyBlock(block, e.index(0), e.shape(a).back());
      allColumns(block);
    });
  }

  // Threads copy a block of rows together, which all its panels then read.
  void copyThenColumns() {
    copyRow = copyDepth = e.index(0);
    e.parallel(rowTiles(), /*coarse=*/false, [&](Value first, Value end) {
      copyRows(firstRowOf(first), firstRowOf(end), e.shape(a).back());
    });
    e.parallel(TileRange::columnWorkItems(*this), /*coarse=*/false,
               [&](Value first, Value end) {
                 range = TileRange::ofColumns(e, *this, first, end);
                 allColumns(e.index(0));
               });
  }

  void runShared(ArrayRef<int64_t> sizes) {
    int64_t rowCount = rowTiles();
    auto product = [&](ValueRange at) {
      batch = at;
      allRows();
    };
    if (isByRowBlocks())
      return e.parallelRows(*RowBlocks::of(op), [&](Value first, Value end) {
        begin();
        e.loop(first, end, 1, [&](Value workItem) {
          rowsBefore = e.times(workItem, splitRows);
          e.loops(sizes, product);
        });
      });
    if (share == kernel::MatmulShare::batches)
      return e.parallel(batches, /*coarse=*/false, [&](Value first, Value end) {
        begin();
        e.loops(sizes, first, end, product);
      });
    bool rowWise = share == kernel::MatmulShare::rows;
    if (!rowWise && copiesRows() && batches == 1 && blockTiles >= rowCount) {
      Emitter::Values zeros(sizes.size(), e.index(0));
      batch = zeros;
      begin();
      return copyThenColumns();
    }
    auto part = [&](Value first, Value end) {
      begin();
      if (alternate && !rowWise)
        backward = e.alternate(first, end);
      range = rowWise ? TileRange::ofRows(e, *this, first, end)
                      : TileRange::ofColumns(e, *this, first, end);
      e.loops(sizes, product);
    };
    e.parallel(rowWise ? rowCount : TileRange::columnWorkItems(*this),
               /*coarse=*/coarse, part);
  }
};

} // namespace

void emitMatmul(Emitter &e, kernel::MatmulOp op, const kernel::Target &target,
                kernel::PackOp pack) {
  kernel::MatmulOp joined = joinBatches(e, op);
  MatmulEmitter emitter(e, joined, target, pack);
  ArrayRef<int64_t> batches = e.shape(joined.getOut()).drop_back(2);
  e.share(kernel::cyclesOf(emitter),
          emitter.share != kernel::MatmulShare::none);
  emitter.actualColumns = actualColumns(e, op);
  emitter.actualDepth = actualDepth(e, joined);
  if (e.isShared()) {
    emitter.runShared(batches);
  } else {
    emitter.begin();
    e.loops(batches, [&](ValueRange batch) {
      emitter.batch = batch;
      emitter.allRows();
    });
  }
  if (joined != op)
    joined->erase();
}

} // namespace weir::cpu
