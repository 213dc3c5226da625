// Depthwise convolutions, by tiles of neighbouring results, and those whose
// groups have so few channels that a vector has several groups.

#include "passes/cpu/windows/ChannelTiles.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct DepthwiseEmitter : ChannelTiles {
  kernel::DepthwiseOp depthwise;
  Value filter;

  DepthwiseEmitter(Emitter &e, kernel::DepthwiseOp op,
                   const kernel::Target &target)
      : ChannelTiles(e, op, target), depthwise(op), filter(op.getFilter()) {}

  Value weight(Value k, int64_t kx, int64_t input, Value channel,
               int64_t valid) {
    Emitter::Values at = {e.index(kx)};
    if (!flat)
      at.insert(at.begin(), k);
    if (inputs > 1)
      at.push_back(e.index(input));
    at.push_back(channel);
    return e.widen(e.load(filter, at, lanes, valid), sumElement);
  }

  // Channel `input` of each group, in the lanes of all channels of the group.
  Value spread(Value pixel, int64_t input) {
    if (inputs == 1)
      return pixel;
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane)
      from.push_back(lane / inputs * inputs + input);
    return e.create<vector::ShuffleOp>(pixel, pixel, from);
  }

  void tile(const Box &box, const Tile &shape) {
    SmallVector<Pair> pairs(box.pairs);
    // Column after column of x: few spread pixels are then held at a time.
    if (inputs > 1)
      llvm::sort(pairs, [&](Pair a, Pair b) {
        return std::make_pair(columnOf(a.first, a.second), a.first) <
               std::make_pair(columnOf(b.first, b.second), b.first);
      });
    Emitter::Values sums(shape.count(), e.zeros(sumElement, lanes));
    sums = e.loop(box.low, box.high, 1, sums, [&](Value k, ValueRange carried) {
      Emitter::Values sums(carried);
      for (int64_t v = 0; v < shape.vectors(); ++v) {
        llvm::SmallDenseMap<int64_t, Value> weights, spreads;
        Value c = e.plus(box.channel, v * lanes);
        for (auto [i, kx] : pairs)
          for (int64_t input = 0; input < inputs; ++input) {
            Value &factor = weights[kx * inputs + input];
            if (!factor)
              factor = weight(k, kx, input, c, shape.valid(v));
            int64_t column = columnOf(i, kx);
            Value &element = spreads[column * inputs + input];
            if (!element)
              element = spread(pixel(box, k, column, c, shape.valid(v),
                                     depthwise.getUnsignedX()),
                               input);
            Value &sum = sums[i * shape.vectors() + v];
            sum = e.multiplyAdd(element, factor, sum);
          }
      }
      return sums;
    });
    finishTile(e, op, shape, sums);
  }

  void run() {
    ChannelTiles::run([&](const Box &box) {
      withTile(box, [&](const Tile &shape) { tile(box, shape); });
    });
  }
};

} // namespace

void emitDepthwise(Emitter &e, kernel::DepthwiseOp op,
                   const kernel::Target &target) {
  if (op.getLayout().isVnniRows())
    return emitDepthwiseDots(e, op, target);
  DepthwiseEmitter(e, op, target).run();
}

} // namespace weir::cpu
