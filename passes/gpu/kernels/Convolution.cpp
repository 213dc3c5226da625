// A thread computes one element of a convolution.

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::gpu {
namespace {

struct Window {
  ArrayRef<int64_t> taps, strides, padding, dilations, sizes;
};

/// Adds up `body` over the taps of the window at `at` that are inside the
/// image; it takes the taps, the places in the image and the sum so far.
Value overWindow(ThreadBuilder &b, const Window &window, ValueRange at,
                 Value sum,
                 llvm::function_ref<Value(ValueRange, ValueRange, Value)> body,
                 SmallVector<Value> taps = {}, SmallVector<Value> places = {}) {
  size_t d = taps.size();
  if (d == window.taps.size())
    return body(taps, places, sum);
  auto sums = b.loop(window.taps[d], sum, [&](Value tap, ValueRange carried) {
    Value place = b.plus(
        b.times(at[d], window.strides[d]),
        b.plus(b.times(tap, window.dilations[d]), b.index(-window.padding[d])));
    // Below 0 is above every size, without a sign.
    Value inside = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, place,
                                           b.index(window.sizes[d]));
    auto branch = b.create<scf::IfOp>(TypeRange(carried), inside,
                                      /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.elseBlock());
    b.create<scf::YieldOp>(carried);
    b.setInsertionPointToEnd(branch.thenBlock());
    SmallVector<Value> innerTaps(taps), innerPlaces(places);
    innerTaps.push_back(tap);
    innerPlaces.push_back(place);
    b.create<scf::YieldOp>(
        overWindow(b, window, at, carried[0], body, innerTaps, innerPlaces));
    return SmallVector<Value>(branch.getResults());
  });
  return sums[0];
}

} // namespace

void shareConvolution(ThreadBuilder &b, kernel::ConvolutionOp op) {
  auto x = cast<MemRefType>(op.getX().getType());
  auto filter = cast<MemRefType>(op.getFilter().getType());
  auto out = cast<MemRefType>(op.getOut().getType());
  int64_t spatial = out.getRank() - 2, groups = op.getGroups();
  int64_t outputs = out.getShape().back() / groups;
  int64_t inputs = x.getShape().back() / groups;
  int64_t width = filter.getShape().back();
  Window window = {filter.getShape().slice(1, spatial), op.getStrides(),
                   op.getPadding(), op.getDilations(),
                   x.getShape().slice(1, spatial)};
  Type sumType = op.getEpilogue().front().getArgument(0).getType();
  b.grains(out.getNumElements(), [&](Value grain) {
    SmallVector<Value> at = b.delinearize(grain, out.getShape());
    Value group = b.dividedBy(at.back(), outputs);
    Value channel = groups == 1 ? at.back() : b.modulo(at.back(), outputs);
    Value panel = b.plus(b.times(group, llvm::divideCeil(outputs, width)),
                         b.dividedBy(channel, width));
    Value lane = b.modulo(channel, width);
    Value firstInput = b.times(group, inputs);
    Value sum =
        overWindow(b, window, ValueRange(at).slice(1, spatial), b.zero(sumType),
                   [&](ValueRange taps, ValueRange places, Value sum) {
                     return b.loop(inputs, sum, [&](Value i, ValueRange sum) {
                       SmallVector<Value> pixel = {at[0]}, weight = {panel};
                       llvm::append_range(pixel, places);
                       pixel.push_back(b.plus(firstInput, i));
                       llvm::append_range(weight, taps);
                       weight.append({i, lane});
                       return SmallVector<Value>{b.multiplyAdd(
                           b.load(op.getX(), pixel),
                           b.load(op.getFilter(), weight), sum[0])};
                     })[0];
                   });
    finish(b, op, sum, at);
  });
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
  b.grains(out.getNumElements(), [&](Value grain) {
    SmallVector<Value> at = b.delinearize(grain, out.getShape());
    Value sum =
        overWindow(b, window, ValueRange(at).slice(1, spatial), b.zero(sumType),
                   [&](ValueRange taps, ValueRange places, Value sum) {
                     SmallVector<Value> pixel = {at[0]}, weight(taps);
                     llvm::append_range(pixel, places);
                     pixel.push_back(at.back());
                     weight.push_back(at.back());
                     return b.multiplyAdd(b.load(op.getX(), pixel),
                                          b.load(op.getFilter(), weight), sum);
                   });
    finish(b, op, sum, at);
  });
}

} // namespace weir::gpu
