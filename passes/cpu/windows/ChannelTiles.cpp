// Tiles of adjacent results of some channels.

#include "passes/cpu/windows/ChannelTiles.h"

#include "dialects/kernel/cost/Cost.h"

using namespace mlir;

namespace weir::cpu {

SmallVector<ChannelTiles::Pair> ChannelTiles::pairsOf(int64_t first,
                                                      int64_t wide) const {
  SmallVector<Pair> result;
  for (int64_t k = 0; k < windowWidth; ++k)
    for (int64_t i = 0; i < wide; ++i) {
      int64_t column = columnOf(first + i, k);
      if (column >= 0 && column < width)
        result.push_back({i, k});
    }
  return result;
}

void ChannelTiles::withTile(const Box &box,
                            function_ref<void(const Tile &)> body) {
  auto position = [&](Value, Value dx) {
    Emitter::Values at = {image};
    if (!flat)
      at.push_back(box.y);
    at.push_back(e.plus(box.first, dx));
    return at;
  };
  body({1, box.wide, box.valid, lanes, position, box.channel});
}

Value ChannelTiles::pixel(const Box &box, Value k, int64_t column,
                          Value channel, int64_t valid, bool isUnsigned) {
  Emitter::Values at = {image};
  if (!flat)
    at.push_back(
        e.plus(e.plus(e.times(box.y, strideY), e.times(k, dilationY)), -lowY));
  at.append({e.plus(e.times(box.first, strideX), column), channel});
  return e.widen(e.load(x, at, lanes, valid), sumElement, isUnsigned);
}

void ChannelTiles::row(Value y, function_ref<void(const Box &)> tile,
                       Value firstTile, Value endTile) {
  // The rows of the window that meet x.
  Value above = e.plus(e.times(y, -strideY), lowY);
  auto steps = [&](Value distance) {
    return e.dividedBy(e.plus(e.larger(distance, e.index(0)), dilationY - 1),
                       dilationY);
  };
  Value low = steps(above);
  Value high = e.smaller(steps(e.plus(above, height)), e.index(windowHeight));
  bool inside =
      lowY == 0 &&
      (outHeight - 1) * strideY + (windowHeight - 1) * dilationY < height;
  if (inside) {
    low = e.index(0);
    high = e.index(windowHeight);
  }

  eachTileOfLine(
      e, outWidth, tileColumns,
      [&](int64_t first, int64_t wide) { return pairsOf(first, wide); },
      [&](Value first, int64_t wide, ArrayRef<Pair> pairs) {
        auto part = [&](Value channel, int64_t valid) {
          tile({y, low, high, first, wide, pairs, channel, valid});
        };
        int64_t whole = channels / tileChannels * tileChannels;
        e.loop(e.index(0), e.index(whole), tileChannels,
               [&](Value channel) { part(channel, tileChannels); });
        if (whole < channels)
          part(e.index(whole), channels - whole);
      },
      firstTile, endTile);
}

void ChannelTiles::run(function_ref<void(const Box &)> tile) {
  e.share(kernel::cyclesOf(*this), share != kernel::LineShare::none);
  if (share == kernel::LineShare::columns) {
    int64_t tiles = EvenSplit(outWidth, tileColumns).count;
    return e.parallel(tiles, /*coarse=*/false, [&](Value first, Value last) {
      e.loop(images, [&](Value n) {
        image = n;
        e.loop(outHeight, [&](Value y) { row(y, tile, first, last); });
      });
    });
  }
  e.parallel(images * outHeight, /*coarse=*/false,
             [&](Value first, Value last) {
               if (images == 1 || e.isShared())
                 return e.loop(first, last, 1, [&](Value t) {
                   image = images == 1 ? e.index(0) : e.dividedBy(t, outHeight);
                   row(images == 1 ? t : e.modulo(t, outHeight), tile);
                 });
               e.loop(images, [&](Value n) {
                 image = n;
                 e.loop(outHeight, [&](Value y) { row(y, tile); });
               });
             });
}

} // namespace weir::cpu
