// Winograd convolutions as matrix products (Lavin and Gray, "Fast Algorithms
// for Convolutional Neural Networks"). WinogradTransform.h has the transforms.
//
// A tile of adjacent results depends on an input tile of pixels. A block of
// input tiles is transformed to matrices that stay in L2. They are multiplied
// by the transformed filter, panel by panel. The sums of a tile are combined
// into its results, which pass through the epilogue.
//
// Threads share blocks. If there is one block only, they first share the tiles
// to transform, and then the panels. Each thread then reads results of others,
// slowly if they have no common cache. But each panel is used once, so a filter
// that is computed at run time can be transformed a panel at a time.

#include "dialects/kernel/cost/Cost.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/winograd/PixelTransform.h"
#include "passes/cpu/winograd/SignedSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

namespace {

/// The parameters of the schedule are members.
struct WinogradEmitter : kernel::WinogradSchedule {
  Emitter &e;
  kernel::WinogradOp op;
  const kernel::Target &target;
  PixelTransform pixels;
  const kernel::WinogradTransform &window;
  Value filter, out;
  int64_t channels, outChannels;
  int64_t panel, lanes;
  int64_t block;  // input tiles
  Value products; // sums x block x panel
  // Where each panel of the filter is transformed just before it is used.
  kernel::TransformFilterOp transform;

  WinogradEmitter(Emitter &e, kernel::WinogradOp op,
                  const kernel::Target &target)
      : WinogradSchedule(
            cast<kernel::WinogradScheduleAttr>(op.getScheduleAttr())
                .getValue()),
        e(e), op(op), target(target), pixels(e, op, target),
        window(pixels.window), filter(op.getFilter()), out(op.getOut()),
        channels(pixels.channels), outChannels(pixels.outChannels),
        panel(pixels.panel), lanes(pixels.lanes), block(pixels.blockOf(*this)) {
    e.share(cyclesOf(pixels), share != kernel::WinogradShare::none);
  }

  void makeProducts() {
    products = pixels.scratch({window.sums(), block, panel});
  }

  /// The sums of the block by panel `j` of the filter.
  void multiply(Value j) {
    auto at = [&](int64_t value) { return e.getIndexAttr(value); };
    for (auto [i, group] : llvm::enumerate(window.groups)) {
      int64_t depth = group.depth * channels;
      SmallVector<OpFoldResult> zeros(3, at(0)), ones(3, at(1));
      Value rows = e.create<memref::SubViewOp>(
          pixels.sums[i], zeros,
          SmallVector<OpFoldResult>{at(group.sums), at(block), at(depth)},
          ones);
      // Each matrix is one panel, its depth the products by the channels.
      SmallVector<ReassociationIndices> join = {{0, 1, 2}, {3}}, split = join;
      Value all = e.create<memref::CollapseShapeOp>(filter, join);
      Value first = e.times(
          e.plus(e.times(j, window.products()), group.firstProduct), channels);
      Value right = e.create<memref::SubViewOp>(
          all, SmallVector<OpFoldResult>{first, at(0)},
          SmallVector<OpFoldResult>{at(group.sums * depth), at(panel)},
          SmallVector<OpFoldResult>{at(1), at(1)});
      right = e.create<memref::ExpandShapeOp>(
          SmallVector<int64_t>{group.sums, 1, depth, panel}, right, split);
      Value sums = e.create<memref::SubViewOp>(
          products, SmallVector<OpFoldResult>{at(group.firstSum), at(0), at(0)},
          SmallVector<OpFoldResult>{at(group.sums), at(block), at(panel)},
          ones);
      multiply(rows, right, sums, productOf(i));
    }
  }

  void multiply(Value left, Value right, Value sums,
                const kernel::MatmulSchedule &schedule) {
    auto matmul = e.create<kernel::MatmulOp>(
        TypeRange(), left, right, /*depth=*/Value(), ValueRange(), sums,
        /*transpose_a=*/false, /*shared=*/false, e.getAffineMapArrayAttr({}),
        /*unsigned_a=*/false,
        kernel::LayoutAttr::panels(e.getContext(), panel));
    {
      OpBuilder::InsertionGuard guard(e);
      Block *body = e.createBlock(&matmul.getEpilogue(), {}, {e.getF32Type()},
                                  {e.getLoc()});
      e.create<kernel::YieldOp>(body->getArgument(0));
    }
    matmul.setScheduleAttr(
        kernel::MatmulScheduleAttr::get(e.getContext(), schedule));
    emitMatmul(e, matmul, target, /*pack=*/{});
    matmul.erase();
  }

  /// The results of input tile `t`, of which `tall x wide` are inside the
  /// image.
  void output(Value t, const PixelTransform::Origin &origin, Value column,
              int64_t valid, int64_t tall, int64_t wide) {
    const kernel::WinogradAxis &down = window.y, &across = window.x;
    for (int64_t first = 0; first < valid; first += lanes) {
      SmallVector<SmallVector<Value>> rows(tall);
      for (int64_t j = 0; j < across.sums(); ++j) {
        SmallVector<Value> sums;
        for (int64_t i = 0; i < down.sums(); ++i)
          sums.push_back(
              e.load(products,
                     {e.index(window.sumIndex[i * across.sums() + j]), t,
                      e.index(first)},
                     lanes, lanes));
        for (int64_t i = 0; i < tall; ++i)
          rows[i].push_back(signedSum(e, down.ofSums[i], down.sumClasses,
                                      [&](int64_t i) { return sums[i]; }));
      }
      for (int64_t i = 0; i < tall; ++i) {
        int64_t step = pixels.across.dilation;
        auto position = [&](Value, Value dx) {
          return Emitter::Values{origin.image,
                                 e.plus(origin.y, i * pixels.down.dilation),
                                 e.plus(origin.x, e.times(dx, step))};
        };
        Tile shape{1,     wide,     std::min(lanes, valid - first),
                   lanes, position, e.plus(column, first),
                   step};
        SmallVector<Value> results;
        for (int64_t j = 0; j < wide; ++j)
          results.push_back(signedSum(e, across.ofSums[j], across.sumClasses,
                                      [&](int64_t j) { return rows[i][j]; }));
        finishTile(e, op, shape, results);
      }
    }
  }

  /// How many input tiles of the block that begins with input tile `first`
  /// there are.
  Value countFrom(Value first) {
    if (!pixels.actualTiles)
      return e.index(block);
    Value left = e.create<arith::SubIOp>(pixels.actualTiles, first);
    return e.smaller(left, e.index(block));
  }

  // From input tile `own` of the block that begins with input tile `first`.
  void outputs(Value first, Value own, Value column, int64_t valid) {
    e.loop(own, countFrom(first), 1, [&](Value t) {
      PixelTransform::Origin origin = pixels.originOf(e.plus(first, t));
      // Tiles at the end have what is left.
      eachCount(pixels.down, pixels.down.counts(), origin.y, [&](int64_t tall) {
        eachCount(pixels.across, pixels.across.counts(), origin.x,
                  [&](int64_t wide) {
                    output(t, origin, column, valid, tall, wide);
                  });
      });
    });
  }

  // Code for each of the numbers of results that tiles have inside, of which
  // the one from `first` on has one.
  void eachCount(const kernel::OutputAxis &axis, ArrayRef<int64_t> counts,
                 Value first, function_ref<void(int64_t)> body) {
    auto own = [&] {
      if (counts.front())
        body(counts.front());
    };
    if (counts.size() == 1)
      return own();
    Value last = e.plus(first, (counts.front() - 1) * axis.dilation);
    e.ifElse(pixels.isInside(last, axis.results), own,
             [&] { eachCount(axis, counts.drop_front(), first, body); });
  }

  void panels(Value firstTile, Value own, Value first, Value end) {
    auto columns = [&](Value j, int64_t valid) {
      if (transform)
        emitTransformPanel(e, transform, j, valid, filter, target);
      multiply(transform ? e.index(0) : j);
      outputs(firstTile, own, e.times(j, panel), valid);
    };
    Value whole = e.index(outChannels / panel);
    e.loop(first, e.smaller(end, whole), 1,
           [&](Value j) { columns(j, panel); });
    if (int64_t rest = outChannels % panel)
      e.loop(e.larger(first, whole), end, 1,
             [&](Value j) { columns(j, rest); });
  }

  void blockOf(Value b, int64_t panelCount) {
    // The last block begins early enough to be whole; what it has in common
    // with the one before is left to that.
    Value start = e.times(b, block), last = e.index(pixels.inputTiles - block);
    if (pixels.actualTiles)
      last = e.larger(e.plus(pixels.actualTiles, -block), e.index(0));
    Value first = e.smaller(start, last);
    Value own = e.plus(start, e.times(first, -1));
    auto body = [&] {
      e.loop(e.index(0), countFrom(first), 1,
             [&](Value t) { pixels.transform(t, e.plus(first, t)); });
      panels(first, own, e.index(0), e.index(panelCount));
    };
    if (!pixels.actualTiles)
      return body();
    e.ifElse(e.create<arith::CmpIOp>(arith::CmpIPredicate::slt, start,
                                     pixels.actualTiles),
             body, [] {});
  }

  void run() {
    int64_t panelCount = pixels.panels();
    if (share == kernel::WinogradShare::panels) {
      pixels.makeSums(block);
      e.parallel(block, /*coarse=*/false, [&](Value first, Value end) {
        pixels.makeZeros();
        pixels.readSizes();
        e.loop(first, e.smaller(end, countFrom(e.index(0))), 1,
               [&](Value t) { pixels.transform(t, t); });
      });
      transform = transformOfFilter(op);
      return e.parallel(
          panelCount, /*coarse=*/false, [&](Value first, Value end) {
            makeProducts();
            pixels.readSizes();
            if (transform)
              filter = pixels.scratch({1, window.products(), channels, panel});
            panels(e.index(0), e.index(0), first, end);
          });
    }
    int64_t blocks = EvenSplit(pixels.inputTiles, block).count;
    e.parallel(blocks, /*coarse=*/false, [&](Value first, Value end) {
      pixels.makeSums(block);
      makeProducts();
      pixels.makeZeros();
      pixels.readSizes();
      e.loop(first, end, 1, [&](Value b) { blockOf(b, panelCount); });
    });
  }
};

} // namespace

kernel::TransformFilterOp emitWinograd(Emitter &e, kernel::WinogradOp op,
                                       const kernel::Target &target) {
  WinogradEmitter emitter(e, op, target);
  emitter.run();
  return emitter.transform;
}

} // namespace weir::cpu
