// Matrix products: register tiles over packed panels.
//
// The loops, from outside: blocks of the depth (so that a panel stays in L2),
// blocks of rows (so that their slab of A does), panels, tiles of rows, depth.
// A tile's sums stay in registers for the whole innermost loop. Where the rows
// of A would fight for the same sets of L1, a block of them is copied first.
//
// Threads share the products of a batch, or else its panels or tiles of rows:
// each then runs all loops, of which one is confined to its part.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
namespace {

struct MatmulEmitter {
  Emitter &e;
  kernel::MatmulOp op;
  Value a, b, out;
  int64_t rows, columns, depth;
  int64_t panel; // columns of a panel of B, or 0 where B is plain
  Type sumElement;
  int64_t lanes, width; // of a vector, of a tile
  int64_t height;       // most rows of a tile
  int64_t depthBlock, tilesABlock;
  ValueRange batch;
  // A copy of the block of rows at hand, of rows one line longer than its
  // depth, and where that block begins; null where A is read in place.
  Value copy, copyRow, copyDepth;
  MemRefType copyType;
  // The tiles of rows and of columns to make.
  Value firstTile, endTile, firstColumn, endColumn;

  MatmulEmitter(Emitter &e, kernel::MatmulOp op, const kernel::Target &target)
      : e(e), op(op), a(op.getA()), b(op.getB()), out(op.getOut()) {
    ArrayRef<int64_t> shape = e.shape(out);
    rows = shape[shape.size() - 2];
    columns = shape.back();
    depth = e.shape(a).take_back(2)[!op.getTransposeA()];
    sumElement = op.getEpilogue().front().getArgument(0).getType();
    lanes = target.lanes(sumElement);
    panel = op.isPacked() ? e.shape(b).back() : 0;
    // A panel that was packed for another vector width is read in parts.
    int64_t whole = panel ? panel : target.panelWidth(sumElement, columns);
    while (whole % lanes)
      lanes = lanes > 1 ? lanes / 2 : 1;
    width = whole % (2 * lanes) ? lanes : std::min(whole, 2 * lanes);
    int64_t vectors = width / lanes;
    height = std::min<int64_t>(14, (target.registers - vectors - 1) / vectors);

    int64_t bytes =
        std::max<int64_t>(1, sumElement.getIntOrFloatBitWidth() / 8);
    EvenSplit tiles(rows, height);
    depthBlock = depth;
    // Between blocks of the depth the sums wait in the result, which must hold
    // them exactly; a product that reads B once needs no blocks.
    if (sumElement == e.element(out) && tiles.count > 1) {
      int64_t most = std::max<int64_t>(64, target.l2 / 8 / (width * bytes));
      EvenSplit blocks(depth, most);
      depthBlock = (blocks.size + (blocks.larger != 0) + 7) / 8 * 8;
    }
    tilesABlock = std::max<int64_t>(
        1, target.l2 / 2 / std::max<int64_t>(1, height * depthBlock * bytes));
    tilesABlock = std::min(tilesABlock, tiles.count);
    if (rowsCollide(target) ||
        (sumElement != e.element(a) && tiles.count * columns > width)) {
      int64_t line = std::max<int64_t>(1, 64 / bytes);
      copyType = MemRefType::get(
          {std::min(rows, tilesABlock * (tiles.size + 1)), depthBlock + line},
          sumElement);
    }
  }

  static int64_t elementBytes(Value buffer) {
    return std::max(8u, Emitter::element(buffer).getIntOrFloatBitWidth()) / 8;
  }

  int64_t rowTiles() const { return EvenSplit(rows, height).count; }
  int64_t columnTiles() const { return (columns + width - 1) / width; }
  int64_t depthBlocks() const {
    return depth > depthBlock ? (depth + depthBlock - 1) / depthBlock : 1;
  }

  double nanoseconds() const {
    double products = double(ShapedType::getNumElements(e.shape(out))) * depth;
    double weights = ShapedType::getNumElements(e.shape(b)) * elementBytes(b);
    return std::max(productTime(products, lanes), movingTime(weights));
  }

  // Begins one or more products, in this order, of all tiles.
  void begin() {
    firstTile = firstColumn = e.index(0);
    endTile = e.index(rowTiles());
    endColumn = e.index(columnTiles());
    if (copyType)
      copy = e.create<memref::AllocOp>(copyType, e.getI64IntegerAttr(64));
  }

  // Whether more rows of a tile than half the ways of L1 fall on one set.
  bool rowsCollide(const kernel::Target &target) {
    auto type = cast<MemRefType>(a.getType());
    int64_t offset;
    SmallVector<int64_t> strides;
    if (op.getTransposeA() || columns <= lanes || rows < 2 ||
        failed(getStridesAndOffset(type, strides, offset)))
      return false;
    int64_t stride = strides[strides.size() - 2];
    if (ShapedType::isDynamic(stride))
      return false;
    // At a stride that is a power of two LLVM's scheduler takes the rows of a
    // tile for one cluster of loads, hoists them all, and spills the sums.
    if (llvm::isPowerOf2_64(stride))
      return depth > 8;
    int64_t bytes = elementBytes(a);
    return depth * bytes > 64 &&
           target.linesCollide(stride * bytes, std::min(rows, height));
  }

  struct Depth {
    Value first;
    int64_t count;
    bool begins, ends; // whether these are the first, the last products
  };

  // Copies these rows of the block that begins with row `copyRow`.
  void copyRows(Value first, Value end, const Depth &depth) {
    copyDepth = depth.first;
    e.loop(first, end, 1, [&](Value row) {
      Value target = e.plus(row, e.times(copyRow, -1));
      auto move = [&](Value k, int64_t valid) {
        Emitter::Values at(batch);
        at.append({row, e.plus(depth.first, k)});
        e.store(e.widen(e.load(a, at, lanes, valid), sumElement), copy,
                {target, k}, valid);
      };
      int64_t whole = depth.count / lanes * lanes;
      e.loop(e.index(0), e.index(whole), lanes,
             [&](Value k) { move(k, lanes); });
      if (depth.count > whole)
        move(e.index(whole), depth.count - whole);
    });
  }

  Value loadA(Value row, Value k) {
    if (copy)
      return e.splat(e.create<memref::LoadOp>(copy, ValueRange{row, k}), lanes);
    Emitter::Values at(batch);
    at.append({row, k});
    if (op.getTransposeA())
      std::swap(at.back(), at[at.size() - 2]);
    Value scalar = e.create<memref::LoadOp>(a, at);
    return e.splat(e.widen(scalar, sumElement), lanes);
  }

  Emitter::Values placeB(Value column, Value k) {
    Emitter::Values at;
    if (!op.getShared())
      at.assign(batch.begin(), batch.end());
    if (panel == width)
      at.append({e.dividedBy(column, panel), k, e.index(0)});
    else if (panel)
      at.append({e.dividedBy(column, panel), k, e.modulo(column, panel)});
    else
      at.append({k, column});
    return at;
  }

  // One register tile: `height` rows from `row`, `valid` columns.
  void tile(Value row, int64_t height, Value column, int64_t valid,
            const Depth &depth, function_ref<void(Value)> ahead) {
    auto position = [&](Value, Value x) {
      Emitter::Values at(batch);
      at.push_back(e.plus(row, x));
      return at;
    };
    Tile shape{1, height, valid, lanes, position, column};
    int64_t vectors = shape.vectors(), count = shape.count();
    SmallVector<Value> rowOf;
    Value firstRow = copy ? e.plus(row, e.times(copyRow, -1)) : row;
    for (int64_t i = 0; i < height; ++i)
      rowOf.push_back(e.plus(firstRow, i));

    // Few sums make short chains of dependent additions: several sets of them
    // take turns over the depth.
    int64_t sets = 1;
    while (sets * count < 8 && sets * 2 <= depth.count)
      sets *= 2;
    Emitter::Values sums;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t v = 0; v < vectors; ++v) {
        Emitter::Values at = position(nullptr, e.index(i));
        at.push_back(e.plus(column, v * lanes));
        sums.push_back(depth.begins ? e.zeros(sumElement, lanes)
                                    : e.load(out, at, lanes, shape.valid(v)));
      }
    sums.append((sets - 1) * count, e.zeros(sumElement, lanes));

    auto step = [&](Value k, MutableArrayRef<Value> sums) {
      Emitter::Values right, at = placeB(column, k);
      Value first = at.back();
      for (int64_t v = 0; v < vectors; ++v) {
        at.back() = e.plus(first, v * lanes);
        right.push_back(e.widen(
            e.load(b, at, lanes, panel ? lanes : shape.valid(v)), sumElement));
      }
      Value leftK = copy ? e.plus(k, e.times(copyDepth, -1)) : k;
      for (int64_t i = 0; i < height; ++i) {
        Value left = loadA(rowOf[i], leftK);
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = sums[i * vectors + v];
          sum = e.multiplyAdd(left, right[v], sum);
        }
      }
    };
    int64_t unroll = std::max<int64_t>(sets, std::min<int64_t>(8, 224 / count));
    if (valid < width && rows > this->height)
      unroll = sets;
    int64_t main = depth.count / unroll * unroll;
    sums = e.loop(e.index(0), e.index(main), unroll, sums,
                  [&](Value k, ValueRange carried) {
                    Emitter::Values sums(carried);
                    if (ahead)
                      ahead(k);
                    Value first = e.plus(depth.first, k);
                    for (int64_t u = 0; u < unroll; ++u)
                      step(e.plus(first, u), MutableArrayRef<Value>(sums).slice(
                                                 u % sets * count, count));
                    return sums;
                  });
    sums = e.loop(e.index(main), e.index(depth.count), 1, sums,
                  [&](Value k, ValueRange carried) {
                    Emitter::Values sums(carried);
                    step(e.plus(depth.first, k),
                         MutableArrayRef<Value>(sums).take_front(count));
                    return sums;
                  });
    for (; sets > 1; sets /= 2) {
      for (int64_t i = 0; i < sets / 2 * count; ++i)
        sums[i] = e.sum(sums[i], sums[sets / 2 * count + i]);
    }
    sums.truncate(count);
    if (depth.ends)
      finishTile(e, op, shape, sums);
    else
      storeTile(e, out, shape, sums);
  }

  // All tiles of the block of rows that begins at tile `block`, against the
  // columns of one tile.
  void rowsOfBlock(Value block, Value column, int64_t valid,
                   const Depth &depth) {
    EvenSplit tiles(rows, height);
    auto run = [&](Value low, Value high, int64_t size, int64_t offset) {
      e.loop(low, high, 1, [&](Value t) {
        Value row = e.plus(e.times(t, size), offset);
        // The next panel comes into L2 while this one is used, each tile of
        // the block fetching its share.
        auto next = [&](Value k) {
          int64_t share = depth.count / tilesABlock;
          Value line = e.plus(e.times(e.plus(t, e.times(block, -1)), share),
                              e.dividedBy(k, tilesABlock));
          line = e.plus(line, depth.first);
          Emitter::Values at = placeB(e.plus(column, width), line);
          Value first = at.back();
          int64_t bytes = elementBytes(b);
          for (int64_t q = 0; q < std::max<int64_t>(1, 8 / tilesABlock); ++q) {
            for (int64_t c = 0; c < width; c += 64 / bytes) {
              at[at.size() - 2] = e.plus(line, q);
              at.back() = e.plus(first, c);
              e.prefetch(b, at, 2);
            }
          }
        };
        bool ahead = panel == width && valid == width && rows > height;
        if (ahead)
          tile(row, size, column, valid, depth, next);
        else
          tile(row, size, column, valid, depth, nullptr);
      });
    };
    Value end = e.smaller(e.plus(block, tilesABlock), endTile);
    if (tiles.larger)
      run(block, e.smaller(end, e.index(tiles.larger)), tiles.size + 1, 0);
    if (tiles.larger < tiles.count)
      run(e.larger(block, e.index(tiles.larger)), end, tiles.size,
          tiles.larger);
  }

  Value firstRowOf(Value tile) {
    EvenSplit tiles(rows, height);
    return e.plus(e.times(tile, tiles.size),
                  e.smaller(tile, e.index(tiles.larger)));
  }

  void allColumns(Value block, const Depth &depth) {
    Value whole = e.index(columns / width);
    e.loop(firstColumn, e.smaller(endColumn, whole), 1, [&](Value j) {
      rowsOfBlock(block, e.times(j, width), width, depth);
    });
    if (int64_t rest = columns % width)
      e.loop(e.larger(firstColumn, whole), endColumn, 1, [&](Value) {
        rowsOfBlock(block, e.index(columns - rest), rest, depth);
      });
  }

  void allRows(const Depth &depth) {
    e.loop(firstTile, endTile, tilesABlock, [&](Value block) {
      if (copy) {
        Value end = e.smaller(e.plus(block, tilesABlock), endTile);
        copyRow = firstRowOf(block);
        copyRows(copyRow, firstRowOf(end), depth);
      }
      allColumns(block, depth);
    });
  }

  // Threads copy a block of rows together, which all its panels then read.
  void copyThenColumns(const Depth &depth) {
    copyRow = e.index(0);
    e.parts(rowTiles(), /*few=*/false, [&](Value first, Value end) {
      copyRows(firstRowOf(first), firstRowOf(end), depth);
    });
    e.parts(columnTiles(), /*few=*/false, [&](Value first, Value end) {
      firstColumn = first, endColumn = end;
      allColumns(e.index(0), depth);
    });
  }

  void run(void (MatmulEmitter::*block)(const Depth &)) {
    if (depthBlock >= depth)
      return (this->*block)({e.index(0), depth, true, true});
    int64_t last = (depthBlocks() - 1) * depthBlock;
    (this->*block)({e.index(0), depthBlock, true, false});
    e.loop(e.index(depthBlock), e.index(last), depthBlock,
           [&](Value k) { (this->*block)({k, depthBlock, false, false}); });
    (this->*block)({e.index(last), depth - last, false, true});
  }

  void runShared(ArrayRef<int64_t> batches) {
    int64_t count = ShapedType::getNumElements(batches);
    int64_t rowCount = rowTiles(), columnCount = columnTiles();
    if (count >= 8 || count >= std::max(rowCount, columnCount))
      return e.parts(count, /*few=*/false, [&](Value first, Value end) {
        begin();
        e.loops(batches, first, end, [&](ValueRange at) {
          batch = at;
          run(&MatmulEmitter::allRows);
        });
      });
    bool byRows = rowCount >= 32 || rowCount >= columnCount;
    // The depth's blocks then are no loop (Emitter::share).
    if (!byRows && copyType && count == 1 && tilesABlock >= rowCount &&
        depthBlocks() <= 3) {
      Emitter::Values zeros(batches.size(), e.index(0));
      batch = zeros;
      begin();
      return run(&MatmulEmitter::copyThenColumns);
    }
    e.parts(byRows ? rowCount : columnCount, /*few=*/byRows || copyType,
            [&](Value first, Value end) {
              begin();
              (byRows ? firstTile : firstColumn) = first;
              (byRows ? endTile : endColumn) = end;
              e.loops(batches, [&](ValueRange at) {
                batch = at;
                run(&MatmulEmitter::allRows);
              });
            });
  }
};

} // namespace

void emitMatmul(Emitter &e, kernel::MatmulOp op, const kernel::Target &target) {
  kernel::MatmulOp joined = joinBatches(e, op);
  MatmulEmitter emitter(e, joined, target);
  ArrayRef<int64_t> batches = e.shape(joined.getOut()).drop_back(2);
  e.share(emitter.nanoseconds());
  if (e.isShared()) {
    emitter.runShared(batches);
  } else {
    emitter.begin();
    e.loops(batches, [&](ValueRange batch) {
      emitter.batch = batch;
      emitter.run(&MatmulEmitter::allRows);
    });
  }
  if (joined != op)
    joined->erase();
}

} // namespace weir
