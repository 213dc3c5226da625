// Matrix products: register tiles over packed panels.
//
// The loops, from outside: blocks of the depth (so that a panel stays in L2),
// blocks of rows (so that their slab of A does), panels, tiles of rows, depth.
// A tile's sums stay in registers for the whole innermost loop. Where the rows
// of A would fight for the same sets of L1, a block of them is copied first.

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
      auto type = MemRefType::get(
          {std::min(rows, tilesABlock * (tiles.size + 1)), depthBlock + line},
          sumElement);
      copy = e.create<memref::AllocOp>(type, e.getI64IntegerAttr(64));
    }
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
    constexpr int64_t line = 64, ways = 8;
    // At a stride that is a power of two LLVM's scheduler takes the rows of a
    // tile for one cluster of loads, hoists them all, and spills the sums.
    if (llvm::isPowerOf2_64(stride))
      return depth > 8;
    int64_t sets = std::max<int64_t>(1, target.l1 / line / ways);
    SmallVector<int64_t> rowsOfSet(sets, 0);
    int64_t bytes = std::max(8u, e.element(a).getIntOrFloatBitWidth()) / 8;
    for (int64_t row = 0; row < std::min(rows, height); ++row)
      if (++rowsOfSet[row * (stride * bytes % (sets * line)) / line % sets] >
          ways / 2)
        return depth * bytes > line;
    return false;
  }

  void copyRows(Value first, Value end, Value from, int64_t count) {
    copyRow = first;
    copyDepth = from;
    e.loop(first, end, 1, [&](Value row) {
      Value target = e.plus(row, e.times(first, -1));
      auto move = [&](Value k, int64_t valid) {
        Emitter::Values at(batch);
        at.append({row, e.plus(from, k)});
        e.store(e.widen(e.load(a, at, lanes, valid), sumElement), copy,
                {target, k}, valid);
      };
      e.loop(e.index(0), e.index(count / lanes * lanes), lanes,
             [&](Value k) { move(k, lanes); });
      if (count % lanes)
        move(e.index(count / lanes * lanes), count % lanes);
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

  struct Depth {
    Value first;
    int64_t count;
    bool begins, ends; // whether these are the first, the last products
  };

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
          int64_t bytes =
              std::max(8u, e.element(b).getIntOrFloatBitWidth()) / 8;
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
    Value end = e.smaller(e.plus(block, tilesABlock), e.index(tiles.count));
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

  void allRows(const Depth &depth) {
    int64_t tiles = EvenSplit(rows, height).count;
    e.loop(e.index(0), e.index(tiles), tilesABlock, [&](Value block) {
      if (copy) {
        Value end = e.smaller(e.plus(block, tilesABlock), e.index(tiles));
        copyRows(firstRowOf(block), firstRowOf(end), depth.first, depth.count);
      }
      e.loop(e.index(0), e.index(columns / width), 1, [&](Value j) {
        rowsOfBlock(block, e.times(j, width), width, depth);
      });
      if (int64_t rest = columns % width)
        rowsOfBlock(block, e.index(columns - rest), rest, depth);
    });
  }

  void run() {
    if (depthBlock >= depth)
      return allRows({e.index(0), depth, true, true});
    int64_t blocks = (depth + depthBlock - 1) / depthBlock;
    allRows({e.index(0), depthBlock, true, false});
    e.loop(e.index(depthBlock), e.index((blocks - 1) * depthBlock), depthBlock,
           [&](Value k) { allRows({k, depthBlock, false, false}); });
    int64_t last = (blocks - 1) * depthBlock;
    allRows({e.index(last), depth - last, false, true});
  }
};

} // namespace

// A copy of a slice in scratch memory.
static Value contiguousCopy(Emitter &e, Value buffer) {
  ArrayRef<int64_t> shape = e.shape(buffer);
  Value copy = e.create<memref::AllocOp>(
      MemRefType::get(shape, e.element(buffer)), e.getI64IntegerAttr(64));
  int64_t lanes = 16, count = shape.back();
  e.loops(shape.drop_back(), [&](ValueRange outer) {
    auto move = [&](Value k, int64_t valid) {
      Emitter::Values at(outer);
      at.push_back(k);
      e.store(e.load(buffer, at, lanes, valid), copy, at, valid);
    };
    e.loop(e.index(0), e.index(count / lanes * lanes), lanes,
           [&](Value k) { move(k, lanes); });
    if (count % lanes)
      move(e.index(count / lanes * lanes), count % lanes);
  });
  return copy;
}

// All batches share B, so their rows can be those of one product, where memory
// holds them in one run and the extras follow.
static kernel::MatmulOp joinBatches(Emitter &e, kernel::MatmulOp op) {
  auto type = cast<MemRefType>(op.getOut().getType());
  int64_t rank = type.getRank();
  auto joins = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
  };
  if (rank == 2 || !op.getShared() || op.getTransposeA() || !joins(op.getA()) ||
      !joins(op.getOut()))
    return op;
  SmallVector<ReassociationIndices> rows(2);
  for (int64_t i = 0; i + 1 < rank; ++i)
    rows[0].push_back(i);
  rows[1].push_back(rank - 1);
  auto join = [&](Value buffer) -> Value {
    return e.create<memref::CollapseShapeOp>(buffer, rows);
  };
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  for (auto [extra, attribute] : llvm::zip(op.getExtras(), op.getExtraMaps())) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    bool whole = map.isIdentity();
    if (whole && !joins(extra))
      return op;
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      if (dim && !whole && dim.getPosition() + 1 != rank)
        return op;
      results.push_back(dim ? e.getAffineDimExpr(1) : result);
    }
    extras.push_back(whole ? join(extra) : extra);
    maps.push_back(whole ? e.getMultiDimIdentityMap(2)
                         : AffineMap::get(2, 0, results, e.getContext()));
  }
  Value a = joins(op.getA()) ? op.getA() : contiguousCopy(e, op.getA());
  auto joined = e.create<kernel::MatmulOp>(
      TypeRange(), join(a), op.getB(), extras, join(op.getOut()),
      /*transpose_a=*/false, /*shared=*/false, e.getAffineMapArrayAttr(maps));
  joined.getEpilogue().takeBody(op.getEpilogue());
  return joined;
}

void emitMatmul(Emitter &e, kernel::MatmulOp op, const kernel::Target &target) {
  kernel::MatmulOp joined = joinBatches(e, op);
  MatmulEmitter emitter(e, joined, target);
  e.loops(e.shape(joined.getOut()).drop_back(2), [&](ValueRange batch) {
    emitter.batch = batch;
    emitter.run();
  });
  if (joined != op)
    joined->erase();
}

} // namespace weir
