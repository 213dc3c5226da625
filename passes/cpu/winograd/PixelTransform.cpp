// Each sum of a product along both axes is made of the sums along one.

#include "passes/cpu/winograd/PixelTransform.h"
#include "passes/cpu/loops/ActualSizes.h"
#include "passes/cpu/winograd/SignedSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

using kernel::OutputAxis;

PixelTransform::PixelTransform(Emitter &e, kernel::WinogradOp op,
                               const kernel::Target &target)
    : WinogradShape(op, target), e(e), op(op), x(op.getX()),
      height(e.shape(x)[1]), width(e.shape(x)[2]) {}

void PixelTransform::readSizes() {
  Value out = op.getOut();
  Value tall = actualSize(e, out, 1), wide = actualSize(e, out, 2);
  // Phases of tiles that stand apart have as many tiles as the bound has.
  if ((!tall && !wide) || down.phases * across.phases > 1)
    return;
  auto tilesOf = [&](Value size, const OutputAxis &axis) {
    return size ? e.dividedBy(e.plus(size, axis.tile - 1), axis.tile)
                : e.index(axis.tiles);
  };
  tilesDown = tilesOf(tall, down);
  tilesAcross = tilesOf(wide, across);
  Value images = actualSize(e, out, 0);
  actualTiles =
      e.create<arith::MulIOp>(images ? images : e.index(e.shape(out)[0]),
                              e.create<arith::MulIOp>(tilesDown, tilesAcross));
}

Value PixelTransform::scratch(ArrayRef<int64_t> shape) {
  return e.buffer(shape, e.getF32Type());
}

Value PixelTransform::isInside(Value at, int64_t size) {
  return e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, at, e.index(size));
}

void PixelTransform::makeSums(int64_t block) {
  for (const auto &group : window.groups)
    sums.push_back(scratch({group.sums, block, rowOf(group)}));
}

void PixelTransform::makeZeros() {
  zeros = scratch({channels});
  eachChannels([&](Value c, int64_t valid) {
    e.store(e.zeros(e.getF32Type(), lanes), zeros, c, valid);
  });
}

// Whether no input tile reaches past an edge.
bool PixelTransform::isCovered() {
  auto fits = [](const kernel::WinogradAxis &axis, const OutputAxis &tiles,
                 int64_t low, int64_t size) {
    int64_t last = (tiles.tiles - 1) * axis.results * axis.stride;
    return low == 0 &&
           tiles.phases - 1 + (last + axis.reach() - 1) * tiles.dilation < size;
  };
  return fits(window.y, down, op.getPadding()[0], height) &&
         fits(window.x, across, op.getPadding()[1], width);
}

void PixelTransform::channelsOfTile(Value t, Value channel, Pixel pixel) {
  for (auto [i, down] : llvm::enumerate(window.y.products)) {
    SmallVector<Value> columns;
    for (int64_t j = 0; j < window.x.reach(); ++j)
      columns.push_back(signedSum(e, down.pixels, window.y.pixelClasses,
                                  [&](int64_t row) { return pixel(row, j); }));
    for (auto [j, across] : llvm::enumerate(window.x.products)) {
      int64_t origin = window.productIndex[i * window.x.products.size() + j];
      const auto &group = window.groupOf(origin);
      origin -= group.firstProduct;
      // A vector whose last channels are none: what it writes past them is
      // written after, by the next product of the sum or its first channels.
      e.store(signedSum(e, across.pixels, window.x.pixelClasses,
                        [&](int64_t column) { return columns[column]; }),
              sums[&group - window.groups.begin()],
              {e.index(origin / group.depth), t,
               e.plus(channel, origin % group.depth * channels)},
              lanes);
    }
  }
}

// A short vector may be the quicker to load and store.
int64_t PixelTransform::lanesOf(int64_t valid) const {
  return std::min<int64_t>(lanes, llvm::PowerOf2Ceil(valid));
}

// What is no whole vector comes first.
void PixelTransform::eachChannels(function_ref<void(Value, int64_t)> body) {
  int64_t main = channels / lanes * lanes;
  if (main < channels)
    body(e.index(main), channels - main);
  e.loop(e.index(0), e.index(main), lanes, [&](Value c) { body(c, lanes); });
}

// The channels of a pixel, or zeros.
Value PixelTransform::pixelOrZeros(Value inside, Value image, Value row,
                                   Value column) {
  auto at = [&](int64_t value) -> OpFoldResult {
    return e.getIndexAttr(value);
  };
  auto clamped = [&](Value at, int64_t size) -> OpFoldResult {
    return e.smaller(e.larger(at, e.index(0)), e.index(size - 1));
  };
  SmallVector<OpFoldResult> from = {image, clamped(row, height),
                                    clamped(column, width), at(0)},
                            sizes = {at(1), at(1), at(1), at(channels)},
                            steps(4, at(1));
  // Inferred of a shape, the one dimension might be another of as many.
  auto whole = cast<MemRefType>(memref::SubViewOp::inferResultType(
      cast<MemRefType>(x.getType()), from, sizes, steps));
  auto layout = cast<StridedLayoutAttr>(whole.getLayout());
  auto type =
      MemRefType::get(channels, e.getF32Type(),
                      StridedLayoutAttr::get(e.getContext(), layout.getOffset(),
                                             layout.getStrides().back()));
  Value pixel = e.create<memref::SubViewOp>(type, x, from, sizes, steps);
  return e.create<arith::SelectOp>(inside, pixel,
                                   e.create<memref::CastOp>(type, zeros));
}

// Squares of one phase follow each other.
PixelTransform::Origin PixelTransform::originOf(Value inputTile) {
  if (tilesAcross) {
    Value row = e.create<arith::DivUIOp>(inputTile, tilesAcross);
    Value column = e.create<arith::RemUIOp>(inputTile, tilesAcross);
    return {e.create<arith::DivUIOp>(row, tilesDown),
            e.times(e.create<arith::RemUIOp>(row, tilesDown), down.tile),
            e.times(column, across.tile)};
  }
  Value image = e.dividedBy(inputTile, tilesOfImage);
  inputTile = e.modulo(inputTile, tilesOfImage);
  int64_t ofPhase = down.tiles * across.tiles;
  Value phase = e.dividedBy(inputTile, ofPhase);
  if (down.phases * across.phases > 1)
    inputTile = e.modulo(inputTile, ofPhase);
  auto at = [&](const OutputAxis &axis, Value tile, Value phase) {
    Value begin = e.times(tile, axis.tile * axis.dilation);
    return axis.phases > 1 ? e.plus(begin, phase) : begin;
  };
  return {image,
          at(down, e.dividedBy(inputTile, across.tiles),
             e.dividedBy(phase, across.phases)),
          at(across, e.modulo(inputTile, across.tiles),
             e.modulo(phase, across.phases))};
}

// Rows of an image of few channels, which are read a part of a line at a time,
// some input tiles ahead: all are more streams than a core follows by itself.
void PixelTransform::fetchAhead(Value image, ArrayRef<Value> rows, Value left) {
  constexpr int64_t fewBytes = 256, tilesAhead = 4;
  int64_t pixel = 4 * channels, step = across.tile * window.x.stride * pixel;
  if (window.x.reach() * pixel > fewBytes || across.dilation > 1 ||
      4 * ShapedType::getNumElements(e.shape(x)) < fewBytes * 1024)
    return;
  Value column = e.plus(left, tilesAhead * step / pixel);
  for (Value row : rows)
    for (int64_t byte = 0; byte < step; byte += Emitter::lineBytes)
      e.prefetch(x, {image, row, e.plus(column, byte / pixel), e.index(0)}, 1);
}

void PixelTransform::transform(Value t, Value inputTile) {
  Origin origin = originOf(inputTile);
  Value image = origin.image;
  Value top = e.plus(e.times(origin.y, window.y.stride), -op.getPadding()[0]);
  Value left = e.plus(e.times(origin.x, window.x.stride), -op.getPadding()[1]);
  int64_t reachY = window.y.reach(), reachX = window.x.reach();
  SmallVector<Value> rows, columns, inRow, inColumn;
  for (int64_t i = 0; i < reachY; ++i) {
    rows.push_back(e.plus(top, i * down.dilation));
    inRow.push_back(isInside(rows[i], height));
  }
  for (int64_t i = 0; i < reachX; ++i) {
    columns.push_back(e.plus(left, i * across.dilation));
    inColumn.push_back(isInside(columns[i], width));
  }
  fetchAhead(image, rows, left);
  auto both = [&](Value a, Value b) -> Value {
    return e.create<arith::AndIOp>(a, b);
  };
  auto inside = [&] {
    eachChannels([&](Value c, int64_t valid) {
      channelsOfTile(t, c, [&](int64_t i, int64_t j) {
        return e.load(x, {image, rows[i], columns[j], c}, lanesOf(valid),
                      valid);
      });
    });
  };
  auto border = [&] {
    SmallVector<Value> pixels;
    for (int64_t i = 0; i < reachY; ++i)
      for (int64_t j = 0; j < reachX; ++j)
        pixels.push_back(pixelOrZeros(both(inRow[i], inColumn[j]), image,
                                      rows[i], columns[j]));
    eachChannels([&](Value c, int64_t valid) {
      channelsOfTile(t, c, [&](int64_t i, int64_t j) -> Value {
        return e.load(pixels[i * reachX + j], c, lanesOf(valid), valid);
      });
    });
  };
  if (isCovered())
    return inside();
  // Sizes are not negative: the first and last row tell of those between.
  Value whole = both(both(inRow.front(), inRow.back()),
                     both(inColumn.front(), inColumn.back()));
  e.ifElse(whole, inside, border);
}

} // namespace weir::cpu
