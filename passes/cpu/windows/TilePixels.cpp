// The pixels of a convolution by tiles: taken apart, or multiplied in vector
// registers where they have no parts.

#include "passes/cpu/windows/TileConvolution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

// A pixel's channels to position `to` of a phase.
Emitter::Values TileConvolution::splitPixel(const Emitter::Values &from,
                                            Value phase, Value to,
                                            ValueRange soFar) {
  auto step = [&](Value c, int64_t valid, ValueRange soFar) {
    Emitter::Values range(soFar);
    SmallVector<Value> halves;
    for (int64_t i = 0; i < stepDepth; i += half) {
      Emitter::Values at(from);
      at.push_back(e.plus(e.times(c, stepDepth), i));
      halves.push_back(
          valid > i
              ? e.load(convolution.getX(), at, half, std::min(half, valid - i))
              : e.zeros(e.element(convolution.getX()), half));
      addToRange(range, e.widen(halves.back(), sumType));
    }
    storeApart(halves, {c, e.index(0), phase, to, e.index(0)}, /*part=*/1);
    return range;
  };
  int64_t whole = channels / stepDepth;
  Emitter::Values range =
      e.loop(e.index(0), e.index(whole), 1, soFar,
             [&](Value c, ValueRange so) { return step(c, stepDepth, so); });
  if (whole < channelSteps)
    range = step(e.index(whole), channels % stepDepth, range);
  return range;
}

void TileConvolution::clear(Value phase, Value first, Value end) {
  Value zero = e.zeros(e.getBF16Type(), stepDepth);
  e.loop(channelSteps, [&](Value c) {
    for (int64_t i = 0; i < parts; ++i)
      e.loop(first, end, 1, [&](Value at) {
        e.store(zero, split, {c, e.index(i), phase, at, e.index(0)}, stepDepth);
      });
  });
}

// Of one phase the lines that the strip from `line` on reads.
Emitter::Values TileConvolution::splitPhase(int64_t phaseY, int64_t phaseX,
                                            Value line, Value lines,
                                            ValueRange soFar) {
  Value phase = e.index(phaseY * x.phases() + phaseX);
  Value first = e.index(x.first(phaseX)), end = e.index(x.end(phaseX));
  auto inside = [&](int64_t position) {
    return e.smaller(lines,
                     e.larger(e.index(0), minus(e.index(position), line)));
  };
  Value top = inside(y.first(phaseY)), bottom = inside(y.end(phaseY));
  Value pitch = e.index(windows.pitch());
  clear(phase, e.index(0), e.times(top, windows.pitch()));
  clear(phase, e.times(bottom, windows.pitch()),
        e.times(lines, windows.pitch()));
  return e.loop(top, bottom, 1, soFar, [&](Value i, ValueRange soFar) {
    Value to = e.times(i, windows.pitch());
    clear(phase, to, e.plus(to, first));
    clear(phase, e.plus(to, end), e.plus(to, pitch));
    Value row = e.plus(e.times(e.plus(line, i), y.stride), phaseY - y.low);
    return e.loop(first, end, 1, soFar, [&](Value at, ValueRange soFar) {
      Value column = e.plus(e.times(at, x.stride), phaseX - x.low);
      return splitPixel(pixel(row, column), phase, e.plus(to, at), soFar);
    });
  });
}

void TileConvolution::takeApart(Value first, Value count) {
  Value line = firstLine(first);
  Value lastTile = e.plus(firstTile(e.plus(first, count)), -1);
  Value lastLine = startOf(lastTile).first;
  if (!windows.byLine) // its last row may be of another line
    lastLine = e.dividedBy(e.plus(e.times(lastTile, height), height - 1),
                           windows.pitch());
  lastLine = e.smaller(lastLine, e.index(y.results - 1));
  Value lines = e.plus(minus(lastLine, line), 1 + y.reach());
  Emitter::Values range = emptyRange();
  for (int64_t phaseY = 0; phaseY < y.phases(); ++phaseY)
    for (int64_t phaseX = 0; phaseX < x.phases(); ++phaseX)
      if (y.reads(phaseY) && x.reads(phaseX))
        range = splitPhase(phaseY, phaseX, line, lines, range);
  storeFit(range, convolution.getLayout().getSafeRange(), e.index(0));
}

// Where the tap of a result is along an axis, and whether that is outside.
std::pair<Value, Value> TileConvolution::reads(const kernel::TileAxis &axis,
                                               Value result, Value tap) {
  Value at =
      e.plus(e.plus(e.times(result, axis.stride), e.times(tap, axis.dilation)),
             -axis.low);
  // What is before the image is a large number, too.
  return {at, e.create<arith::CmpIOp>(arith::CmpIPredicate::uge, at,
                                      e.index(axis.size))};
}

// Zero past the last channel, where a line of the filter is of another tap.
Value TileConvolution::channelOrZero(Emitter::Values at, Value channel) {
  bool isInside = channels % rowsALine() == 0;
  Value last = e.index(channels - 1);
  at.push_back(isInside ? channel : e.smaller(channel, last));
  Value x = e.widen(e.create<memref::LoadOp>(convolution.getX(), at), sumType);
  if (isInside)
    return x;
  return e.create<arith::SelectOp>(
      e.create<arith::CmpIOp>(arith::CmpIPredicate::ule, channel, last), x,
      e.create<arith::ConstantOp>(e.getZeroAttr(sumType)));
}

// The channels of one step times the filter's, pixel by pixel.
Emitter::Values TileConvolution::addStep(const Emitter::Values &from,
                                         Value panel, Value step,
                                         ValueRange soFar) {
  Value firstChannel = e.times(e.modulo(step, channelSteps), stepDepth);
  Value end =
      e.smaller(e.index(stepDepth), minus(e.index(channels), firstChannel));
  auto pair = [&](Value c, ValueRange soFar) {
    Emitter::Values made(soFar);
    for (auto [j, sum] : llvm::enumerate(made)) {
      Emitter::Values right =
          weights(panel, step, e.dividedBy(c, rowsALine()), j);
      for (int64_t k = 0; k < rowsALine(); ++k) {
        Value x = channelOrZero(from, e.plus(e.plus(firstChannel, c), k));
        sum = e.multiplyAdd(e.splat(x, half), right[k], sum);
      }
    }
    return made;
  };
  return e.loop(e.index(0), end, rowsALine(), soFar, pair);
}

void TileConvolution::byVectors(const Unit &unit, const Depth &d) {
  int64_t wide = columns > half ? 2 : 1;
  Emitter::Values sumsAt = sumsOf(unit);
  e.loop(e.index(0), validRows(unit), 1, [&](Value i) {
    atResult(unit, i, [&](const Emitter::Values &at) {
      Value row = flat ? e.index(0) : at[1], column = at.back();
      auto indicesOf = [&](int64_t j) {
        return Emitter::Values{sumsAt[0], sumsAt[1], i, e.index(j * half)};
      };
      Emitter::Values made;
      for (int64_t j = 0; j < wide; ++j)
        made.push_back(d.begins ? e.zeros(sumType, half)
                                : e.load(sums, indicesOf(j), half, half));
      made = e.loop(
          d.first, e.plus(d.first, d.count), 1, made,
          [&](Value step, ValueRange soFar) {
            auto [tapY, tapX] = tapOf(step);
            auto [fromY, aboveOrBelow] = reads(y, row, tapY);
            auto [fromX, beside] = reads(x, column, tapX);
            Value outside = e.create<arith::OrIOp>(aboveOrBelow, beside);
            // An image of zeros is not read: what is infinite times it is not
            // zero.
            Value zero = e.index(0);
            Value ends = e.create<arith::SelectOp>(outside, zero, e.index(1));
            Emitter::Values from = pixel(fromY, fromX);
            return e.loop(zero, ends, 1, soFar, [&](Value, ValueRange so) {
              return addStep(from, unit.panel, step, so);
            });
          });
      for (int64_t j = 0; j < wide; ++j)
        e.store(made[j], sums, indicesOf(j), half);
    });
  });
}

} // namespace weir::cpu
