// Convolutions, channels last: a matrix product whose rows are the windows,
// which are never written out.
//
// A register tile is a block of neighbouring results by two vectors of
// channels, or by four, of two panels. Taps of the window that all of a tile's
// results have outside of x are left out. Where a tile has some results of
// which a tap is outside, or pixels would fight for sets of L1, each image is
// first copied into a buffer with a border of zeros, so that all tiles are
// alike. Bytes are multiplied four channels at a time if the filter has the
// VNNI layout; a copy then fills the last group of 4 of a pixel.
//
// Threads share the images where these are several, or else rows of tiles,
// their tiles, panels or groups: each then runs all loops, of which one is
// confined to its part.

#include "dialects/isa/Isa.h"
#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/BlockedSums.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/windows/ConvolutionBlocks.h"
#include "passes/cpu/windows/ImageCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct ConvolutionEmitter : ConvolutionBlocks {
  Emitter &e;
  kernel::ConvolutionOp op;
  Value x, filter, out;
  ImageCopy copy;
  std::unique_ptr<Isa> isa;
  Value addend; // what all sums begin with, of the channels; null for zeros
  bool sumsFillRegisters;
  Value image;
  // The rows of tiles, tiles of each, panels and groups to make.
  struct Range {
    Value first, end;
  } rowsOfTiles, lineTiles, tilePanels, theGroups;

  ConvolutionEmitter(Emitter &e, kernel::ConvolutionOp op,
                     const kernel::Target &target)
      : ConvolutionBlocks(op, target), e(e), op(op), x(op.getX()),
        filter(op.getFilter()), out(op.getOut()), copy{e, *this, op, nullptr},
        isa(Isa::of(target)), sumsFillRegisters(target.sumsFillRegisters()) {
    if (isVnni)
      addend = takeAddend(op);
  }

  Emitter::Values spatial(Value y, Value x) {
    return flat ? Emitter::Values{x} : Emitter::Values{y, x};
  }

  // The next panel comes into L2 while this one is used, each row of tiles
  // fetching its share: of all its elements, which are one run, those that
  // belong to this step of the sums.
  void fetchAhead(Value panelIndex, Value tileRow, Value step) {
    SmallVector<ReassociationIndices> run(2);
    run[0].push_back(0);
    for (int64_t i = 1; i < int64_t(e.shape(filter).size()); ++i)
      run[1].push_back(i);
    Value panels = e.create<memref::CollapseShapeOp>(filter, run);
    int64_t line = panel * unit, elements = e.shape(panels)[1];
    int64_t share = llvm::divideCeil(line, blockTiles);
    Value at = e.times(e.plus(e.times(tileRow, elements / line), step), share);
    for (int64_t i = 0; i < share;
         i += Emitter::elementsOfLine(e.element(filter)))
      e.prefetch(panels, {e.plus(panelIndex, 1), e.plus(at, i)}, 2);
  }

  // Taps of the window along one axis.
  struct Taps {
    Value first, end;
  };

  // Those that a tile of `count` results from `start` on needs: the others of
  // the `window` read what lies outside of the `size` elements of x.
  Taps tapsOf(bool skips, int64_t window, Value start, int64_t count,
              int64_t stride, int64_t dilation, int64_t padding, int64_t size) {
    Taps taps{e.index(0), e.index(window)};
    if (!skips)
      return taps;
    // The first tap at `distance` from where the window begins, or after it.
    auto from = [&](Value distance) {
      Value inside = e.larger(distance, e.index(0));
      return e.dividedBy(e.plus(inside, dilation - 1), dilation);
    };
    Value end = e.plus(start, count - 1);
    taps.first = from(e.plus(e.times(end, -stride), padding));
    taps.end = e.smaller(from(e.plus(e.times(start, -stride), size + padding)),
                         taps.end);
    return taps;
  }

  Emitter::Values
  eachTap(Taps taps, Emitter::Values sums,
          function_ref<Emitter::Values(Value, Emitter::Values)> body) {
    return e.loop(taps.first, taps.end, 1, sums,
                  [&](Value tap, ValueRange carried) {
                    return body(tap, Emitter::Values(carried));
                  });
  }

  void tile(Value group, Value tileRow, Value y, int64_t tall, Value column,
            int64_t valid, Value first, int64_t wide) {
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
    Value inPanel =
        tileChannels >= panel ? e.index(0) : e.modulo(column, panel);
    int64_t pixel = copyType ? copyChannels : channels;
    auto type = cast<MemRefType>(x.getType());
    bool run = isRun(pixel) && (copyType || type.getLayout().isIdentity());
    Value source = copyType ? copy.buffer : x, weights = filter;
    // Rows of groups of 4 bytes as rows of bytes.
    if (isVnni)
      weights = e.joinLast(weights);
    if (run) {
      source = e.joinLast(source);
      SmallVector<ReassociationIndices> joined =
          flat ? SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}}
               : SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}, {4}};
      weights = e.create<memref::CollapseShapeOp>(weights, joined);
    }
    SmallVector<Value> rows, columns;
    int64_t above = reachY.border - lowY, before = reachX.border - lowX;
    for (int64_t i = 0; i < tall; ++i)
      rows.push_back(e.plus(e.times(e.plus(y, i), strideY), above));
    for (int64_t i = 0; i < wide; ++i)
      columns.push_back(
          e.times(e.plus(e.times(e.plus(first, i), strideX), before),
                  run ? channels : 1));
    Value firstInput = e.times(group, groupInputs);

    // The products of one element of the window and one input channel, or group
    // of 4; in a run, `channel` counts both.
    auto step = [&](Value ky, Value kx, Value channel, Emitter::Values &sums) {
      Emitter::Values at = {panelIndex};
      if (!flat)
        at.push_back(ky);
      if (!run)
        at.push_back(kx);
      at.append({channel, nullptr});
      if (prefetch && valid == tileChannels) {
        int64_t inRow = run ? windowWidth * groupInputs : groupInputs;
        Value before = run ? ky : e.plus(e.times(ky, windowWidth), kx);
        fetchAhead(panelIndex, tileRow,
                   e.plus(e.times(before, inRow / unit), channel));
      }
      Value shiftY = e.times(ky, dilationY);
      Value byte = e.times(channel, unit);
      Value shiftX = run ? byte : e.times(kx, dilationX);
      Value input = run ? Value() : e.plus(firstInput, byte);
      auto left = [&](int64_t i) -> Value {
        Emitter::Values from;
        if (!copyType)
          from.push_back(image);
        if (copyType || !flat)
          from.push_back(e.plus(rows[i / wide], shiftY));
        from.push_back(e.plus(columns[i % wide], shiftX));
        if (!run)
          from.push_back(input);
        if (isVnni)
          return e.splatWord(source, from, lanes);
        Value scalar = e.create<memref::LoadOp>(source, from);
        return e.splat(e.widen(scalar, sumElement, op.getUnsignedX()), lanes);
      };
      auto right = [&](int64_t v) {
        at.front() = e.plus(panelIndex, v * lanes / panel);
        at.back() = e.times(e.plus(inPanel, v * lanes % panel), unit);
        return isVnni ? e.loadWords(weights, at, lanes)
                      : e.widen(e.load(weights, at, lanes, lanes), sumElement);
      };
      auto add = [&](Value sum, Value left, Value right) {
        return isVnni ? isa->addByteProducts(e, sum, left, right)
                      : e.multiplyAdd(left, right, sum);
      };
      e.addOuterProduct(sums, vectors, sumsFillRegisters, left, right, add);
    };
    auto channelsOf = [&](Value ky, Value kx) {
      return [&, ky, kx](Value k, int64_t count, Emitter::Values &sums) {
        for (int64_t u = 0; u < count; ++u) {
          step(ky, kx, e.plus(k, u), sums);
          if (sumsFillRegisters)
            e.compilerFence();
        }
      };
    };
    // What neighbouring windows share LLVM would load once, and then spill,
    // unless the fences between steps see the image.
    if (sumsFillRegisters)
      e.compilerFence(source);
    // The parts of a long sum are rows of the window, or some of the channels.
    BlockedSums blocked{e, chain, sumsFillRegisters};
    int64_t terms = (run ? windowWidth * channels : groupInputs) / unit;
    int64_t unroll = unrollOf(terms, shape.count());
    int64_t inRow = run ? 1 : windowWidth;
    Emitter::Values sums = firstSums(e, addend, shape, sumElement);
    if (hasShortRows()) {
      auto rows = [&](Value first, int64_t count, Emitter::Values &sums) {
        for (int64_t u = 0; u < count; ++u) {
          Value ky = e.plus(first, u);
          sums = e.sumLoop(inRow, 1, sums, [&](Value kx, auto &sums) {
            sums = blocked.run(terms, unroll, sums, channelsOf(ky, kx));
          });
        }
      };
      sums = blocked.loop(windowHeight, 1, sums, rows, 1, terms * inRow);
    } else {
      Taps down = tapsOf(reachY.skips, windowHeight, y, tall, strideY,
                         dilationY, lowY, height);
      Taps across = tapsOf(reachX.skips, inRow, first, wide, strideX, dilationX,
                           lowX, width);
      sums = eachTap(down, sums, [&](Value ky, Emitter::Values sums) {
        return eachTap(across, sums, [&](Value kx, Emitter::Values sums) {
          return blocked.loop(terms, unroll, sums, channelsOf(ky, kx));
        });
      });
    }
    finishTile(e, op, shape, sums);
  }

  // Steps of an iteration of a tile's innermost loop.
  int64_t unrollOf(int64_t terms, int64_t sums) const {
    // Where the sums fill the registers, the filter's vectors of one step only:
    // LLVM loads those of several steps together, and spills sums.
    if (!sumsFillRegisters)
      return std::clamp<int64_t>(28 / sums, 1, 4);
    // LLVM does not move loads across the fence, so more terms are possible:
    // the number that leaves the fewest for a loop of their own.
    int64_t most = std::clamp<int64_t>(96 / sums, 1, 8), best = most;
    for (int64_t some = most; 2 * some > most; --some)
      if (terms % some < terms % best)
        best = some;
    return best;
  }

  void columnsOfTiles(Value group, Value tileRow, Value y, int64_t tall,
                      Value column, int64_t valid) {
    EvenSplit tiles(outWidth, tileColumns);
    auto some = [&](Value low, Value high, int64_t wide, int64_t offset) {
      auto startOf = [&](Value t) { return e.plus(e.times(t, wide), offset); };
      e.loop(startOf(low), startOf(high), wide, [&](Value first) {
        tile(group, tileRow, y, tall, column, valid, first, wide);
      });
    };
    Value larger = e.index(tiles.larger);
    if (tiles.larger)
      some(lineTiles.first, e.smaller(lineTiles.end, larger), tiles.size + 1,
           0);
    some(e.larger(lineTiles.first, larger), lineTiles.end, tiles.size,
         tiles.larger);
  }

  // Rows of tiles `block` and up, against the columns of one tile.
  void rowsOfBlock(Value group, Value block, Value column, int64_t valid) {
    EvenSplit tiles(outHeight, tileRows);
    Value end = e.smaller(e.plus(block, blockTiles), rowsOfTiles.end);
    auto inBlock = [&](Value t) { return e.plus(t, e.times(block, -1)); };
    if (tiles.larger)
      e.loop(block, e.smaller(end, e.index(tiles.larger)), 1, [&](Value t) {
        columnsOfTiles(group, inBlock(t), e.times(t, tiles.size + 1),
                       tiles.size + 1, column, valid);
      });
    if (tiles.larger < tiles.count)
      e.loop(e.larger(block, e.index(tiles.larger)), end, 1, [&](Value t) {
        columnsOfTiles(group, inBlock(t),
                       e.plus(e.times(t, tiles.size), tiles.larger), tiles.size,
                       column, valid);
      });
  }

  // The tiles of an image.
  void convolve() {
    Value whole = e.index(groupOutputs / tileChannels);
    e.loop(theGroups.first, theGroups.end, 1, [&](Value group) {
      e.loop(rowsOfTiles.first, rowsOfTiles.end, blockTiles, [&](Value t) {
        e.loop(tilePanels.first, e.smaller(tilePanels.end, whole), 1,
               [&](Value j) {
                 rowsOfBlock(group, t, e.times(j, tileChannels), tileChannels);
               });
        if (int64_t rest = groupOutputs % tileChannels)
          e.loop(e.larger(tilePanels.first, whole), tilePanels.end, 1,
                 [&](Value) {
                   rowsOfBlock(group, t, e.index(groupOutputs - rest), rest);
                 });
      });
    });
  }

  void convolve(Value firstImage, Value endImage) {
    copy.make();
    Value top = e.index(0), bottom = e.index(reachY.extent);
    if (copyType)
      copy.clear(top, bottom);
    e.loop(firstImage, endImage, 1, [&](Value n) {
      image = n;
      if (copyType)
        copy.fill(image, top, bottom);
      convolve();
    });
  }

  // The range that threads share, and its size.
  std::pair<Range *, int64_t> sharedRange(int64_t rows, int64_t columns,
                                          int64_t panels) {
    switch (share) {
    case kernel::ConvolutionShare::groups:
      return {&theGroups, groups};
    case kernel::ConvolutionShare::panels:
      return {&tilePanels, panels};
    case kernel::ConvolutionShare::columns:
      return {&lineTiles, columns};
    default:
      return {&rowsOfTiles, rows};
    }
  }

  void run() {
    int64_t rowCount = EvenSplit(outHeight, tileRows).count;
    int64_t panelCount = (groupOutputs + tileChannels - 1) / tileChannels;
    int64_t lineCount = EvenSplit(outWidth, tileColumns).count;
    rowsOfTiles = {e.index(0), e.index(rowCount)};
    lineTiles = {e.index(0), e.index(lineCount)};
    tilePanels = {e.index(0), e.index(panelCount)};
    theGroups = {e.index(0), e.index(groups)};
    using kernel::ConvolutionShare;
    e.share(kernel::cyclesOf(*this), share != ConvolutionShare::none);
    if (share == ConvolutionShare::images || !e.isShared())
      return e.parallel(images, coarse,
                        [&](Value first, Value end) { convolve(first, end); });
    // One image is copied by all threads before they share its tiles.
    if (images == 1)
      image = e.index(0);
    if (images == 1 && copyType) {
      copy.make();
      if (reachY.extent == 1)
        copy.fillLine(image);
      else
        e.parallel(reachY.extent, /*coarse=*/false,
                   [&](Value first, Value end) {
                     copy.clear(first, end);
                     copy.fill(image, first, end);
                   });
    }
    auto [range, count] = sharedRange(rowCount, lineCount, panelCount);
    e.parallel(count, coarse, [&, range = range](Value first, Value end) {
      *range = {first, end};
      if (images == 1)
        convolve();
      else
        convolve(e.index(0), e.index(images));
    });
  }
};

} // namespace

void emitConvolution(Emitter &e, kernel::ConvolutionOp op,
                     const kernel::Target &target) {
  ConvolutionEmitter(e, op, target).run();
}

} // namespace weir::cpu
