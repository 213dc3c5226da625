// Gathers the windows of a convolution as rows for inner-product pairing.

#include "passes/cpu/pairing/PairingRows.h"
#include "passes/cpu/windows/LineTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct WindowRows {
  Emitter &e;
  int64_t lanes; // of a vector
  Value x;
  SpatialWindows s;
  ArrayRef<int64_t> results; // images and places
  int64_t channels;

  WindowRows(Emitter &e, kernel::ConvolutionOp op, int64_t lanes)
      : e(e), lanes(lanes), x(op.getX()), s(op, op.getLayout().getWindow()),
        results(e.shape(op.getOut()).drop_back()), channels(e.shape(x).back()) {
  }

  int64_t depth() const { return s.windowHeight * s.windowWidth * channels; }

  // The channels of a pixel, or zeros.
  void copy(ValueRange pixel, bool isInside, Value lines, Value line,
            Value first) {
    auto some = [&](Value c, int64_t valid) {
      Value vector = e.zeros(e.getF32Type(), lanes);
      if (isInside) {
        Emitter::Values at(pixel);
        at.push_back(c);
        vector = e.load(x, at, lanes, valid);
      }
      e.store(vector, lines, {line, e.plus(first, c)}, valid);
    };
    int64_t whole = channels / lanes * lanes;
    e.loop(e.index(0), e.index(whole), lanes, [&](Value c) { some(c, lanes); });
    if (whole != channels)
      some(e.index(whole), channels - whole);
  }

  // Whether a place along an axis of `size` elements is inside; null where all
  // are that `results` windows of `taps` reach.
  Value inside(Value at, int64_t size, int64_t results, int64_t stride,
               int64_t taps, int64_t dilation, int64_t low) {
    int64_t last = (results - 1) * stride + (taps - 1) * dilation - low;
    if (low == 0 && last < size)
      return nullptr;
    return e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, at,
                                   e.index(size));
  }

  void gather(Value row, Value lines, Value line) {
    Emitter::Values at = e.indicesOf(row, results);
    Value down = s.flat ? e.index(0) : at[1], across = at.back();
    e.loop(s.windowHeight, [&](Value tapY) {
      Value y = position(down, s.strideY, tapY, s.dilationY, s.lowY);
      Value isY = inside(y, s.height, s.outHeight, s.strideY, s.windowHeight,
                         s.dilationY, s.lowY);
      e.loop(s.windowWidth, [&](Value tapX) {
        Value x = position(across, s.strideX, tapX, s.dilationX, s.lowX);
        Value isX = inside(x, s.width, s.outWidth, s.strideX, s.windowWidth,
                           s.dilationX, s.lowX);
        Value tap = e.plus(e.times(tapY, s.windowWidth), tapX);
        Value first = e.times(tap, channels);
        Emitter::Values pixel =
            s.flat ? Emitter::Values{at[0], x} : Emitter::Values{at[0], y, x};
        Value both = isX && isY ? e.create<arith::AndIOp>(isX, isY)
                     : isX      ? isX
                                : isY;
        auto copies = [&](bool isInside) {
          return [&, isInside] { copy(pixel, isInside, lines, line, first); };
        };
        if (both)
          e.ifElse(both, copies(true), copies(false));
        else
          copies(true)();
      });
    });
  }

  // Of a tap, along an axis; before its begin a large number.
  Value position(Value result, int64_t stride, Value tap, int64_t dilation,
                 int64_t low) {
    Value at = e.plus(e.times(result, stride), e.times(tap, dilation));
    return low ? e.plus(at, -low) : at;
  }
};

} // namespace

LeftSide windowRows(Emitter &e, kernel::ConvolutionOp op, int64_t lanes) {
  WindowRows rows(e, op, lanes);
  auto gather = [rows](Value row, Value lines, Value line) mutable {
    rows.gather(row, lines, line);
  };
  return {nullptr, rows.depth(), gather};
}

} // namespace weir::cpu
