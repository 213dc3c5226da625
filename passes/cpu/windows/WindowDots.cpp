// Convolutions to few channels, whose filters are runs: dot products.
//
// A vector of few channels' results would be mostly empty. Here vectors are
// pieces of a pixel's channels: those of neighbouring windows are multiplied by
// those of some filters, whose sums stand side by side in registers. In the end
// each vector of partial sums becomes one sum, all of them together, by halves.

#include "passes/cpu/kernels/BlockedSums.h"
#include "passes/cpu/kernels/LaneSums.h"
#include "passes/cpu/windows/ChannelTiles.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct WindowDotsEmitter : ChannelTiles {
  const kernel::Target &target;
  Value filter; // channels of results x window x channels of pixels

  WindowDotsEmitter(Emitter &e, kernel::ConvolutionOp op,
                    const kernel::Target &target)
      : ChannelTiles(e, op, target), target(target),
        filter(e.joinLast(op.getFilter())) {}

  Value weight(const Box &box, Value ky, int64_t kx, int64_t result,
               Value input, int64_t valid) {
    Emitter::Values at = {e.plus(box.channel, result)};
    if (!flat)
      at.push_back(ky);
    at.append({e.index(kx), input});
    return e.widen(e.load(filter, at, lanes, valid), sumElement);
  }

  void tile(const Box &box) {
    int64_t results = box.valid;
    // Column after column of x: few pixels are then held at a time.
    SmallVector<Pair> pairs(box.pairs);
    llvm::sort(pairs, [&](Pair a, Pair b) {
      return std::make_pair(columnOf(a.first, a.second), a.first) <
             std::make_pair(columnOf(b.first, b.second), b.first);
    });
    Emitter::Values sums(box.wide * results, e.zeros(sumElement, lanes));
    auto step = [&](Value ky, Value input, int64_t valid,
                    Emitter::Values &sums) {
      llvm::SmallDenseMap<int64_t, Value> weights, pixels;
      for (auto [i, kx] : pairs) {
        Value &element = pixels[columnOf(i, kx)];
        if (!element)
          element = pixel(box, ky, columnOf(i, kx), input, valid,
                          /*isUnsigned=*/false);
        for (int64_t n = 0; n < results; ++n) {
          Value &factor = weights[kx * results + n];
          if (!factor)
            factor = weight(box, ky, kx, n, input, valid);
          Value &sum = sums[i * results + n];
          sum = e.multiplyAdd(element, factor, sum);
        }
      }
    };
    BlockedSums blocked{e, longestChain(target, /*ofPixels=*/true),
                        target.sumsFillRegisters()};
    // Rows of the window are several chains where they would be a long one.
    Emitter::Values zeros = sums;
    bool apart =
        windowHeight * windowWidth * llvm::divideCeilSigned(inputs, lanes) >
        blocked.chain;
    sums =
        e.loop(box.low, box.high, 1, sums, [&](Value ky, ValueRange carried) {
          auto steps = [&](Value vector, int64_t some, Emitter::Values &sums) {
            for (int64_t u = 0; u < some; ++u)
              step(ky, e.times(e.plus(vector, u), lanes), lanes, sums);
          };
          Emitter::Values sums = apart ? zeros : Emitter::Values(carried);
          if (int64_t vectors = inputs / lanes)
            sums = blocked.loop(vectors, /*unroll=*/1, sums, steps, /*sets=*/1,
                                /*each=*/windowWidth);
          if (int64_t rest = inputs % lanes)
            step(ky, e.index(inputs - rest), rest, sums);
          for (size_t i = 0; apart && i < sums.size(); ++i)
            sums[i] = e.sum(carried[i], sums[i]);
          return sums;
        });
    withTile(box, [&](const Tile &shape) { finishDots(e, op, shape, sums); });
  }

  void run() {
    ChannelTiles::run([&](const Box &box) { tile(box); });
  }
};

} // namespace

void emitWindowDots(Emitter &e, kernel::ConvolutionOp op,
                    const kernel::Target &target) {
  WindowDotsEmitter(e, op, target).run();
}

} // namespace weir::cpu
