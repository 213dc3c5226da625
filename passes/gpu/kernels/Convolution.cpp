// Emits convolutions: by tiles of a product, or an element for each thread.

#include "passes/gpu/kernels/Products.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::gpu {
namespace {

struct Window {
  ArrayRef<int64_t> taps, strides, padding, dilations, sizes;
};

/// Sums `body` over the taps of the window at `at` that are inside of the
/// image. It receives the taps, the positions in the image and the sum so far.
Value overWindow(ThreadBuilder &b, const Window &window, ValueRange at,
                 Value sum,
                 llvm::function_ref<Value(ValueRange, ValueRange, Value)> body,
                 SmallVector<Value> taps = {},
                 SmallVector<Value> positions = {}) {
  size_t d = taps.size();
  if (d == window.taps.size())
    return body(taps, positions, sum);
  auto sums = b.loop(window.taps[d], sum, [&](Value tap, ValueRange carried) {
    Value position = b.plus(
        b.times(at[d], window.strides[d]),
        b.plus(b.times(tap, window.dilations[d]), b.index(-window.padding[d])));
    // As an unsigned number, a negative position is larger than any size.
    Value inside = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, position,
                                           b.index(window.sizes[d]));
    auto branch = b.create<scf::IfOp>(TypeRange(carried), inside,
                                      /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.elseBlock());
    b.create<scf::YieldOp>(carried);
    b.setInsertionPointToEnd(branch.thenBlock());
    SmallVector<Value> innerTaps(taps), innerPositions(positions);
    innerTaps.push_back(tap);
    innerPositions.push_back(position);
    b.create<scf::YieldOp>(
        overWindow(b, window, at, carried[0], body, innerTaps, innerPositions));
    return SmallVector<Value>(branch.getResults());
  });
  return sums[0];
}

/// A convolution as a product: each window is a row, each filter a column.
class WindowProduct {
public:
  WindowProduct(ThreadBuilder &b, kernel::ConvolutionOp op)
      : b(b), op(op), x(cast<MemRefType>(op.getX().getType())),
        filter(cast<MemRefType>(op.getFilter().getType())),
        out(cast<MemRefType>(op.getOut().getType())),
        spatial(out.getRank() - 2), groups(op.getGroups()),
        outputs(out.getShape().back() / groups),
        inputs(x.getShape().back() / groups), width(filter.getShape().back()),
        sumType(op.getEpilogue().front().getArgument(0).getType()),
        window({filter.getShape().slice(1, spatial), op.getStrides(),
                op.getPadding(), op.getDilations(),
                x.getShape().slice(1, spatial)}) {}

  bool shareTiles() {
    int64_t rows = 1, depth = inputs;
    for (int64_t size : out.getShape().drop_back())
      rows *= size;
    for (int64_t size : window.taps)
      depth *= size;
    auto left = [&](Value group, Value row, Value k) {
      return pixel(group, row, k);
    };
    auto right = [&](Value group, Value column, Value k) {
      SmallVector<Value> tap = tapOf(k);
      return Position{
          weight(group, column, ArrayRef<Value>(tap).drop_back(), tap.back())};
    };
    auto store = [&](Value group, Value row, Value column,
                     ArrayRef<Value> sums) {
      SmallVector<Value> at = b.delinearize(row, out.getShape().drop_back());
      at.push_back(b.plus(b.times(group, outputs), column));
      finishTogether(b, op, sums, at);
    };
    // Channels are contiguous: those of a group in a pixel, those of a tap in a
    // panel.
    TiledProduct product = {{groups, rows, outputs, depth},
                            sumType,
                            {op.getX(), left, /*byDepth=*/true, inputs},
                            {op.getFilter(), right, /*byDepth=*/false, width},
                            store};
    if (!product.isWorthTiles())
      return false;
    product.share(b);
    return true;
  }

  void shareElements() {
    b.workItems(out.getNumElements(), [&](Value workItem) {
      SmallVector<Value> at = b.delinearize(workItem, out.getShape());
      Value group = b.dividedBy(at.back(), outputs);
      Value channel = groups == 1 ? at.back() : b.modulo(at.back(), outputs);
      Value sum = overWindow(
          b, window, ValueRange(at).slice(1, spatial), b.zero(sumType),
          [&](ValueRange taps, ValueRange positions, Value sum) {
            return b.loop(inputs, sum, [&](Value i, ValueRange sum) {
              SmallVector<Value> position = {at[0]};
              llvm::append_range(position, positions);
              position.push_back(b.plus(b.times(group, inputs), i));
              return SmallVector<Value>{b.multiplyAdd(
                  b.load(op.getX(), position),
                  b.load(op.getFilter(), weight(group, channel, taps, i)),
                  sum[0])};
            })[0];
          });
      finish(b, op, sum, at);
    });
  }

private:
  SmallVector<Value> tapOf(Value k) {
    SmallVector<int64_t> shape(window.taps);
    shape.push_back(inputs);
    return b.delinearize(k, shape);
  }

  SmallVector<Value> weight(Value group, Value channel, ValueRange taps,
                            Value input) {
    SmallVector<Value> at = {
        b.plus(b.times(group, llvm::divideCeil(outputs, width)),
               b.dividedBy(channel, width))};
    llvm::append_range(at, taps);
    at.append({input, b.modulo(channel, width)});
    return at;
  }

  /// The address of element `k` of window `row`, and whether it is inside of
  /// the image.
  Position pixel(Value group, Value row, Value k) {
    SmallVector<Value> at = b.delinearize(row, out.getShape().drop_back());
    SmallVector<Value> tap = tapOf(k), position = {at[0]};
    Value inside;
    for (int64_t d = 0; d < spatial; ++d) {
      position.push_back(b.plus(b.times(at[d + 1], window.strides[d]),
                                b.plus(b.times(tap[d], window.dilations[d]),
                                       b.index(-window.padding[d]))));
      Value here = b.create<arith::CmpIOp>(
          arith::CmpIPredicate::ult, position.back(), b.index(window.sizes[d]));
      inside =
          inside ? b.create<arith::AndIOp>(inside, here).getResult() : here;
    }
    position.push_back(b.plus(b.times(group, inputs), tap.back()));
    return {position, inside};
  }

  ThreadBuilder &b;
  kernel::ConvolutionOp op;
  MemRefType x, filter, out;
  int64_t spatial, groups, outputs, inputs, width;
  Type sumType;
  Window window;
};

} // namespace

void shareConvolution(ThreadBuilder &b, kernel::ConvolutionOp op,
                      bool mayUseBarriers) {
  WindowProduct product(b, op);
  if (!mayUseBarriers || !product.shareTiles())
    product.shareElements();
}

void shareDepthwise(ThreadBuilder &b, kernel::DepthwiseOp op) {
  auto x = cast<MemRefType>(op.getX().getType());
  auto filter = cast<MemRefType>(op.getFilter().getType());
  auto out = cast<MemRefType>(op.getOut().getType());
  int64_t spatial = out.getRank() - 2;
  Window window = {filter.getShape().take_front(spatial), op.getStrides(),
                   op.getPadding(), op.getDilations(),
                   x.getShape().slice(1, spatial)};
  Type sumType = op.getEpilogue().front().getArgument(0).getType();
  b.workItems(out.getNumElements(), [&](Value workItem) {
    SmallVector<Value> at = b.delinearize(workItem, out.getShape());
    Value sum =
        overWindow(b, window, ValueRange(at).slice(1, spatial), b.zero(sumType),
                   [&](ValueRange taps, ValueRange positions, Value sum) {
                     SmallVector<Value> pixel = {at[0]}, weight(taps);
                     llvm::append_range(pixel, positions);
                     pixel.push_back(at.back());
                     weight.push_back(at.back());
                     return b.multiplyAdd(b.load(op.getX(), pixel),
                                          b.load(op.getFilter(), weight), sum);
                   });
    finish(b, op, sum, at);
  });
}

} // namespace weir::gpu
