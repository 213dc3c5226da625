// Convolutions, channels last: a matrix product whose rows are the windows,
// which are never written out.
//
// A register tile is a block of neighbouring results by two vectors of
// channels. Where x is padded, or its pixels would fight for sets of L1, each
// image is first copied into a buffer with a border of zeros, so that all tiles
// are alike.

#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
namespace {

struct ConvolutionEmitter {
  Emitter &e;
  kernel::ConvolutionOp op;
  Value x, filter, out;
  bool flat; // one spatial dimension; the other is as of size 1
  int64_t images, height, width, channels;
  int64_t outHeight, outWidth, outChannels;
  int64_t groups, groupInputs, groupOutputs;
  int64_t windowHeight, windowWidth, panel;
  int64_t strideY, strideX, lowY, lowX, dilationY, dilationX;
  Type sumElement;
  int64_t lanes, tileColumns, tileHeight, tileWidth;
  int64_t bytes, l2;
  // The copy of an image, or null; what a pixel takes of it.
  Value copy;
  int64_t copyHeight, copyWidth, copyChannels;
  Value image;

  ConvolutionEmitter(Emitter &e, kernel::ConvolutionOp op,
                     const kernel::Target &target)
      : e(e), op(op), x(op.getX()), filter(op.getFilter()), out(op.getOut()) {
    ArrayRef<int64_t> xs = e.shape(x), ws = e.shape(filter), ys = e.shape(out);
    flat = xs.size() == 3;
    auto pair = [&](ArrayRef<int64_t> values, int64_t missing, int64_t &a,
                    int64_t &b) {
      a = flat ? missing : values[0];
      b = values.back();
    };
    images = xs[0];
    pair(xs.slice(1, xs.size() - 2), 1, height, width);
    pair(ys.slice(1, ys.size() - 2), 1, outHeight, outWidth);
    pair(ws.slice(1, ws.size() - 3), 1, windowHeight, windowWidth);
    pair(op.getStrides(), 1, strideY, strideX);
    pair(op.getPadding(), 0, lowY, lowX);
    pair(op.getDilations(), 1, dilationY, dilationX);
    channels = xs.back();
    outChannels = ys.back();
    groups = op.getGroups();
    groupInputs = channels / groups;
    groupOutputs = outChannels / groups;
    panel = ws.back();
    sumElement = op.getEpilogue().front().getArgument(0).getType();
    lanes = target.lanes(sumElement);
    while (panel % lanes)
      lanes = lanes > 1 ? lanes / 2 : 1;
    tileColumns = panel % (2 * lanes) ? lanes : 2 * lanes;
    int64_t vectors = tileColumns / lanes;
    int64_t most =
        std::min<int64_t>(14, (target.registers - vectors - 1) / vectors);
    tileWidth = std::min(most, outWidth);
    tileHeight =
        outWidth > most / 2 ? 1 : std::min(outHeight, most / tileWidth);
    bytes = std::max<int64_t>(1, sumElement.getIntOrFloatBitWidth() / 8);
    l2 = target.l2;
    copyHeight = (outHeight - 1) * strideY + (windowHeight - 1) * dilationY + 1;
    copyWidth = (outWidth - 1) * strideX + (windowWidth - 1) * dilationX + 1;
    copyChannels = channels;
    bool collides = pixelsCollide(target);
    if (lowY || lowX || copyHeight > height || copyWidth > width ||
        sumElement != e.element(x) || collides) {
      if (collides)
        copyChannels += std::max<int64_t>(1, 64 / bytes);
      copy = e.create<memref::AllocOp>(
          MemRefType::get({copyHeight, copyWidth, copyChannels}, sumElement),
          e.getI64IntegerAttr(64));
    }
  }

  // Whether the pixels of a tile fall on few sets of L1, or stand apart by a
  // power of two, at which LLVM's scheduler spills (see Matmul.cpp).
  bool pixelsCollide(const kernel::Target &target) {
    if (tileWidth * tileHeight < 2)
      return false;
    if (!isRun(channels) && llvm::isPowerOf2_64(strideX * channels) &&
        groupInputs > 8)
      return true;
    constexpr int64_t line = 64, ways = 8;
    int64_t sets = std::max<int64_t>(1, target.l1 / line / ways);
    SmallVector<int64_t> pixelsOfSet(sets, 0);
    for (int64_t i = 0; i < tileWidth; ++i)
      if (++pixelsOfSet[i * (strideX * channels * bytes % (sets * line)) /
                        line % sets] > ways / 2)
        return groupInputs * bytes > line;
    return false;
  }

  // Whether the channels of a row of a window are one run in memory.
  bool isRun(int64_t pixel) const {
    return groups == 1 && dilationX == 1 && pixel == channels;
  }

  Emitter::Values spatial(Value y, Value x) {
    return flat ? Emitter::Values{x} : Emitter::Values{y, x};
  }

  void clearCopy() {
    Value zero = e.create<arith::ConstantOp>(e.getZeroAttr(sumElement));
    Emitter::Values at(3);
    // One run of memory: vectors first, then what is left.
    int64_t total = copyHeight * copyWidth * copyChannels;
    SmallVector<ReassociationIndices> all = {{0, 1, 2}};
    Value run = e.create<memref::CollapseShapeOp>(copy, all);
    e.loop(e.index(0), e.index(total / lanes * lanes), lanes, [&](Value i) {
      e.store(e.zeros(sumElement, lanes), run, i, lanes);
    });
    e.loop(e.index(total / lanes * lanes), e.index(total), 1,
           [&](Value i) { e.create<memref::StoreOp>(zero, run, i); });
  }

  void copyImage() {
    auto type = cast<MemRefType>(x.getType());
    int64_t rows = std::min(height, copyHeight - lowY);
    int64_t columns = std::min(width, copyWidth - lowX);
    if (rows <= 0 || columns <= 0)
      return;
    // Pixels side by side on both sides are one run, else each is.
    bool joined = type.getLayout().isIdentity() && copyChannels == channels;
    Value from = x, to = copy;
    int64_t count = channels;
    if (joined) {
      SmallVector<ReassociationIndices> source =
          flat ? SmallVector<ReassociationIndices>{{0}, {1, 2}}
               : SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}};
      SmallVector<ReassociationIndices> target = {{0}, {1, 2}};
      from = e.create<memref::CollapseShapeOp>(x, source);
      to = e.create<memref::CollapseShapeOp>(copy, target);
      count = columns * channels;
    }
    auto move = [&](Value row, Value column) {
      auto vector = [&](Value c, int64_t valid) {
        Emitter::Values source = {image}, target = {e.plus(row, lowY)};
        if (!flat)
          source.push_back(row);
        if (joined) {
          source.push_back(c);
          target.push_back(e.plus(c, lowX * channels));
        } else {
          source.append({column, c});
          target.append({e.plus(column, lowX), c});
        }
        e.store(e.widen(e.load(from, source, lanes, valid), sumElement), to,
                target, valid);
      };
      e.loop(e.index(0), e.index(count / lanes * lanes), lanes,
             [&](Value c) { vector(c, lanes); });
      if (count % lanes)
        vector(e.index(count / lanes * lanes), count % lanes);
    };
    e.loops({rows, joined ? 1 : columns},
            [&](ValueRange at) { move(at[0], at[1]); });
  }

  void tile(Value group, Value y, int64_t tall, Value column, int64_t valid,
            Value first, int64_t wide) {
    auto position = [&](Value dy, Value dx) {
      Emitter::Values at = {image};
      at.append(spatial(e.plus(y, dy), e.plus(first, dx)));
      return at;
    };
    Value outColumn = e.plus(e.times(group, groupOutputs), column);
    Tile shape{tall, wide, valid, lanes, position, outColumn};
    int64_t vectors = shape.vectors();

    int64_t panels = (groupOutputs + panel - 1) / panel;
    Value panelIndex =
        e.plus(e.times(group, panels), e.dividedBy(column, panel));
    Value inPanel = tileColumns == panel ? e.index(0) : e.modulo(column, panel);
    int64_t pixel = copy ? copyChannels : channels;
    auto type = cast<MemRefType>(x.getType());
    bool run = isRun(pixel) && (copy || type.getLayout().isIdentity());
    Value source = copy ? copy : x, weights = filter;
    if (run) {
      SmallVector<ReassociationIndices> joined;
      int64_t rank = copy ? 3 : e.shape(x).size();
      for (int64_t i = 0; i + 2 < rank; ++i)
        joined.push_back({i});
      joined.push_back({rank - 2, rank - 1});
      source = e.create<memref::CollapseShapeOp>(source, joined);
      joined = flat ? SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}}
                    : SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}, {4}};
      weights = e.create<memref::CollapseShapeOp>(filter, joined);
    }
    SmallVector<Value> rows, columns;
    for (int64_t i = 0; i < tall; ++i)
      rows.push_back(e.times(e.plus(y, i), strideY));
    for (int64_t i = 0; i < wide; ++i)
      columns.push_back(
          e.times(e.plus(first, i), strideX * (run ? channels : 1)));
    Value firstInput = e.times(group, groupInputs);

    // The products of one element of the window and one input channel; in a
    // run, `kx` is null and `channel` counts both.
    auto step = [&](Value ky, Value kx, Value channel, Emitter::Values &sums) {
      Emitter::Values at = {panelIndex};
      if (!flat)
        at.push_back(ky);
      if (!run)
        at.push_back(kx);
      at.append({channel, nullptr});
      Emitter::Values right;
      for (int64_t v = 0; v < vectors; ++v) {
        at.back() = e.plus(inPanel, v * lanes);
        right.push_back(e.widen(e.load(weights, at, lanes, lanes), sumElement));
      }
      Value shiftY = e.times(ky, dilationY);
      Value shiftX = run ? channel : e.times(kx, dilationX);
      Value input = run ? Value() : e.plus(firstInput, channel);
      size_t sum = 0;
      for (int64_t i = 0; i < tall; ++i)
        for (int64_t j = 0; j < wide; ++j) {
          Emitter::Values from;
          if (!copy)
            from.push_back(image);
          if (copy || !flat)
            from.push_back(e.plus(rows[i], shiftY));
          from.push_back(e.plus(columns[j], shiftX));
          if (!run)
            from.push_back(input);
          Value left = e.splat(
              e.widen(e.create<memref::LoadOp>(source, from), sumElement),
              lanes);
          for (int64_t v = 0; v < vectors; ++v, ++sum)
            sums[sum] = e.multiplyAdd(left, right[v], sums[sum]);
        }
    };
    int64_t unroll = std::max<int64_t>(
        1, std::min<int64_t>(4, 112 / std::max<int64_t>(1, shape.count())));
    Emitter::Values sums(shape.count(), e.zeros(sumElement, lanes));
    sums = e.sumLoop(windowHeight, 1, sums, [&](Value ky, Emitter::Values &s) {
      if (run) {
        s = e.sumLoop(
            windowWidth * channels, unroll, s,
            [&](Value k, Emitter::Values &s) { step(ky, nullptr, k, s); });
        return;
      }
      s = e.sumLoop(windowWidth, 1, s, [&](Value kx, Emitter::Values &s) {
        s = e.sumLoop(groupInputs, unroll, s,
                      [&](Value k, Emitter::Values &s) { step(ky, kx, k, s); });
      });
    });
    finishTile(e, op, shape, sums);
  }

  void columnsOfTiles(Value group, Value y, int64_t tall, Value column,
                      int64_t valid) {
    EvenSplit tiles(outWidth, tileWidth);
    int64_t boundary = tiles.larger * (tiles.size + 1);
    e.loop(e.index(0), e.index(boundary), tiles.size + 1, [&](Value first) {
      tile(group, y, tall, column, valid, first, tiles.size + 1);
    });
    e.loop(e.index(boundary), e.index(outWidth), tiles.size, [&](Value first) {
      tile(group, y, tall, column, valid, first, tiles.size);
    });
  }

  // Rows of tiles `block` and up, against the columns of one tile.
  void rowsOfBlock(Value group, Value block, int64_t count, Value column,
                   int64_t valid) {
    EvenSplit tiles(outHeight, tileHeight);
    Value end = e.smaller(e.plus(block, count), e.index(tiles.count));
    if (tiles.larger)
      e.loop(block, e.smaller(end, e.index(tiles.larger)), 1, [&](Value t) {
        columnsOfTiles(group, e.times(t, tiles.size + 1), tiles.size + 1,
                       column, valid);
      });
    if (tiles.larger < tiles.count)
      e.loop(e.larger(block, e.index(tiles.larger)), end, 1, [&](Value t) {
        columnsOfTiles(group, e.plus(e.times(t, tiles.size), tiles.larger),
                       tiles.size, column, valid);
      });
  }

  void run() {
    if (copy)
      clearCopy();
    // As many rows of tiles at a time as keep their part of x in L2.
    EvenSplit tiles(outHeight, tileHeight);
    int64_t row = copyWidth * channels * bytes * strideY * tileHeight;
    int64_t block = std::max<int64_t>(
        1, std::min(tiles.count, l2 / 2 / std::max<int64_t>(1, row)));
    e.loop(images, [&](Value n) {
      image = n;
      if (copy)
        copyImage();
      e.loops({groups}, [&](ValueRange group) {
        e.loop(e.index(0), e.index(tiles.count), block, [&](Value t) {
          e.loop(groupOutputs / tileColumns, [&](Value j) {
            rowsOfBlock(group[0], t, block, e.times(j, tileColumns),
                        tileColumns);
          });
          if (int64_t rest = groupOutputs % tileColumns)
            rowsOfBlock(group[0], t, block, e.index(groupOutputs - rest), rest);
        });
      });
    });
  }
};

} // namespace

void emitConvolution(Emitter &e, kernel::ConvolutionOp op,
                     const kernel::Target &target) {
  ConvolutionEmitter(e, op, target).run();
}

} // namespace weir
