// Depthwise convolutions, by tiles of neighbouring results.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/ChannelTiles.h"

using namespace mlir;

namespace weir {
namespace {

struct DepthwiseEmitter : ChannelTiles {
  kernel::DepthwiseOp depthwise;
  Value filter;

  DepthwiseEmitter(Emitter &e, kernel::DepthwiseOp op,
                   const kernel::Target &target)
      : ChannelTiles(e, op, Emitter::shape(op.getFilter()).drop_back(), target),
        depthwise(op), filter(op.getFilter()) {}

  Value weight(Value k, int64_t kx, Value channel, int64_t valid) {
    Emitter::Values at = {e.index(kx), channel};
    if (!flat)
      at.insert(at.begin(), k);
    return e.widen(e.load(filter, at, lanes, valid), sumElement);
  }

  void tile(const Place &place, const Tile &shape) {
    Emitter::Values sums(shape.count(), e.zeros(sumElement, lanes));
    sums = e.loop(place.low, place.high, 1, sums,
                  [&](Value k, ValueRange carried) {
                    Emitter::Values sums(carried);
                    for (int64_t v = 0; v < shape.vectors(); ++v) {
                      llvm::SmallDenseMap<int64_t, Value> weights, pixels;
                      Value c = e.plus(place.channel, v * lanes);
                      for (auto [i, kx] : place.pairs) {
                        Value &factor = weights[kx];
                        if (!factor)
                          factor = weight(k, kx, c, shape.valid(v));
                        int64_t column = columnOf(i, kx);
                        Value &element = pixels[column];
                        if (!element)
                          element = pixel(place, k, column, c, shape.valid(v),
                                          depthwise.getUnsignedX());
                        Value &sum = sums[i * shape.vectors() + v];
                        sum = e.multiplyAdd(element, factor, sum);
                      }
                    }
                    return sums;
                  });
    finishTile(e, op, shape, sums);
  }

  void run() {
    double products = double(ShapedType::getNumElements(e.shape(out))) *
                      windowHeight * windowWidth;
    ChannelTiles::run(productTime(products, lanes), [&](const Place &place) {
      withTile(place, [&](const Tile &shape) { tile(place, shape); });
    });
  }
};

} // namespace

void emitDepthwise(Emitter &e, kernel::DepthwiseOp op,
                   const kernel::Target &target) {
  if (op.getRows())
    return emitDepthwiseDots(e, op);
  DepthwiseEmitter(e, op, target).run();
}

} // namespace weir
