// The common loops of products with weights of few bits.

#include "passes/cpu/packed/PackedProduct.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/packed/PackedMatmul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

PackedProduct::PackedProduct(Emitter &e, kernel::PackedMatmulOp op,
                             const kernel::Target &target, int64_t maxRows,
                             int64_t sums)
    : e(e), op(op), layout(op.layout()), f32(e.getF32Type()),
      i32(e.getI32Type()), rows(e.shape(op.getOut())[0]),
      lanes(target.lanesWithin(f32, layout.panel)), tiles(rows, maxRows) {
  int64_t height = tiles.most();
  auto whole = static_cast<int64_t>(llvm::bit_floor(uint64_t(sums / height)));
  vectors = std::min<int64_t>({whole, 4, layout.panel / lanes});
}

Value PackedProduct::number(float value) {
  return e.create<arith::ConstantOp>(e.getF32FloatAttr(value));
}

Value PackedProduct::integers(int32_t value) {
  return e.splat(e.create<arith::ConstantOp>(e.getI32IntegerAttr(value)),
                 lanes);
}

Value PackedProduct::joined(Value vector,
                            function_ref<Value(Value, Value)> join) {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t half = width / 2; half; half /= 2) {
    auto halfOf = [&](int64_t from) {
      return e.create<vector::ExtractStridedSliceOp>(vector, from, half, 1);
    };
    Value low = halfOf(0), high = halfOf(half);
    vector = join(low, high);
  }
  return e.create<vector::ExtractOp>(vector, int64_t(0));
}

Value PackedProduct::load(Value panel, Value at, int64_t v, Type type) {
  int64_t bytes = type.getIntOrFloatBitWidth() / 8 * lanes;
  Value raw =
      e.load(op.getWeights(), {panel, e.plus(at, v * bytes)}, bytes, bytes);
  return e.createOrFold<vector::BitCastOp>(VectorType::get(lanes, type), raw);
}

Emitter::Values PackedProduct::scales(const Group &group, Value record) {
  Emitter::Values scales;
  Value at = e.plus(record, e.times(group.first, layout.scaleBytes));
  for (int64_t v = 0; v < group.vectors; ++v)
    scales.push_back(e.widen(load(group.panel, at, v, op.getScaleType()), f32));
  return scales;
}

Emitter::Values PackedProduct::zeros(const Group &group, Value record) {
  Emitter::Values zeros;
  Value at = e.plus(e.plus(record, layout.zerosOffset()), group.first);
  for (int64_t v = 0; v < group.vectors; ++v) {
    Value zero = load(group.panel, at, v, e.getI8Type());
    zero = e.create<arith::ExtUIOp>(VectorType::get(lanes, i32), zero);
    zeros.push_back(
        e.create<arith::SIToFPOp>(VectorType::get(lanes, f32), zero));
  }
  return zeros;
}

Emitter::Values PackedProduct::words(const Group &group, Value record,
                                     Value word) {
  Value at = e.plus(record, layout.wordsOffset());
  at = e.plus(at, e.times(word, layout.panel * layout.wordBytes));
  at = e.plus(at, e.times(group.first, layout.wordBytes));
  Emitter::Values words;
  for (int64_t v = 0; v < group.vectors; ++v)
    words.push_back(load(group.panel, at, v, i32));
  Value ahead = e.plus(at, e.streamDistance);
  int64_t bytes = group.vectors * lanes * layout.wordBytes;
  for (int64_t c = 0; c < bytes; c += e.lineBytes)
    e.prefetch(op.getWeights(), {group.panel, e.plus(ahead, c)}, /*level=*/1);
  return words;
}

void PackedProduct::group(const Group &group, Value row, int64_t valid) {
  int64_t whole = layout.depth / layout.block,
          rest = layout.depth % layout.block;
  Emitter::Values totals(group.height * group.vectors, e.zeros(f32, lanes));
  totals = e.loop(e.index(0), e.index(whole), 1, totals,
                  [&](Value block, ValueRange carried) {
                    return addBlock(group, block, layout.block,
                                    Emitter::Values(carried));
                  });
  if (rest)
    totals = addBlock(group, e.index(whole), rest, totals);
  auto position = [&](Value, Value x) {
    return Emitter::Values{e.plus(row, x)};
  };
  Value column = e.plus(e.times(group.panel, layout.panel), group.first);
  finishTile(e, op, {1, group.height, valid, lanes, position, column}, totals);
}

// The results of `valid` columns of a panel and of a tile of rows.
void PackedProduct::panel(Value panel, Value row, int64_t height,
                          int64_t valid) {
  int64_t width = vectors * lanes, whole = valid / width, rest = valid % width;
  e.loop(whole, [&](Value g) {
    group({panel, e.times(g, width), vectors, height}, row, width);
  });
  if (rest)
    group({panel, e.index(whole * width),
           static_cast<int64_t>(llvm::divideCeil(rest, lanes)), height},
          row, rest);
}

void PackedProduct::panels(Value first, Value end, Value row, int64_t height) {
  Value whole = e.index(layout.columns / layout.panel);
  e.loop(first, e.smaller(end, whole), 1,
         [&](Value p) { panel(p, row, height, layout.panel); });
  if (int64_t rest = layout.columns % layout.panel)
    e.loop(e.larger(first, whole), end, 1,
           [&](Value p) { panel(p, row, height, rest); });
}

void PackedProduct::run() {
  double products =
      double(rows) * double(layout.columns) * double(layout.depth);
  double bytes = double(layout.panels()) * double(layout.panelBytes());
  e.share(kernel::streamedProductCycles(products, lanes, bytes));
  // A few panels an item, so that A is prepared for as many.
  int64_t each = std::clamp<int64_t>(layout.panels() / 32, 1, 4);
  int64_t items = llvm::divideCeil(layout.panels(), each);
  int64_t height = tiles.most();
  e.parallel(items, /*coarse=*/false, [&](Value low, Value high) {
    allocate(height);
    Value first = e.times(low, each);
    Value end = e.smaller(e.times(high, each), e.index(layout.panels()));
    if (tiles.count == 1) {
      prepare(e.index(0), rows);
      return panels(first, end, e.index(0), rows);
    }
    e.loop(first, end, each, [&](Value from) {
      Value to = e.smaller(e.plus(from, each), end);
      auto some = [&](int64_t low, int64_t high, int64_t size, int64_t offset) {
        e.loop(e.index(low), e.index(high), 1, [&](Value t) {
          Value row = e.plus(e.times(t, size), offset);
          prepare(row, size);
          panels(from, to, row, size);
        });
      };
      some(0, tiles.larger, tiles.size + 1, 0);
      some(tiles.larger, tiles.count, tiles.size, tiles.larger);
    });
  });
}

void emitPackedMatmul(Emitter &e, kernel::PackedMatmulOp op,
                      const kernel::Target &target) {
  if (multipliesPackedIntegers(op, target))
    emitPackedIntegers(e, op, target);
  else
    emitPackedFloats(e, op, target);
}

} // namespace weir::cpu
