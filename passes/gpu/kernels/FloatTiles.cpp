// Emits tiles of f32 products that are computed by the threads themselves.
//
// A thread has 8 x 8 sums, or fewer in a smaller tile. If the lines of a slice
// are along the depth, a thread loads four elements of a line at once, and its
// lines are strided by the number of threads. Otherwise it loads four adjacent
// lines, in two groups. In both cases the eight lanes of a load access
// different banks.

#include "passes/gpu/kernels/Products.h"

using namespace mlir;

namespace weir::gpu {
namespace {

constexpr int64_t atOnce = 4;
// The lanes of a warp, along the rows and along the columns.
constexpr int64_t lanesDown = 4, lanesAcross = 8;

/// A thread's lines of one side.
struct Lines {
  Slice slice;
  Value number;    // the index of the thread along this side
  int64_t threads; // along this side
  int64_t each;    // lines of a thread

  /// The distance of the thread's line `i` from its first line.
  int64_t distance(int64_t i) const {
    return slice.byDepth ? i * threads
                         : i / atOnce * threads * atOnce + i % atOnce;
  }
  Value first(ThreadBuilder &b) const {
    return slice.byDepth ? number : b.times(number, atOnce);
  }
  Value at(ThreadBuilder &b, int64_t i) const {
    return b.plus(first(b), b.index(distance(i)));
  }

  /// The offset of four elements of line `i`, or of it and the next lines.
  Value offsetOf(ThreadBuilder &b, int64_t i, int64_t k) const {
    // Lines at multiples of this distance have equal swizzles.
    constexpr int64_t alike = 8;
    int64_t apart = threads % alike == 0 ? 0 : distance(i), bytes = 0;
    if (!apart)
      bytes = slice.byDepth ? distance(i) * slice.bytesOfLine()
                            : distance(i) / atOnce * chunkBytes;
    Value line = b.plus(first(b), b.index(apart)), depth = b.index(k);
    Value offset = slice.byDepth
                       ? slice.offsetOf(b, line, b.index(k / atOnce))
                       : slice.offsetOf(b, depth, b.dividedBy(line, atOnce));
    return b.plus(offset, b.index(bytes));
  }

  /// The elements of each line at four depths from `k` on.
  SmallVector<SmallVector<Value>> load(ThreadBuilder &b, Value memory,
                                       int64_t k) const {
    auto type = VectorType::get(atOnce, b.getF32Type());
    SmallVector<SmallVector<Value>> found(each, SmallVector<Value>(atOnce));
    for (int64_t i = 0; i < each; i += slice.byDepth ? 1 : atOnce)
      for (int64_t d = 0; d < atOnce; d += slice.byDepth ? atOnce : 1) {
        Value offset = offsetOf(b, i, k + d);
        Value vector = loadAt(b, type, after(b, memory, offset));
        for (int64_t e = 0; e < atOnce; ++e)
          found[slice.byDepth ? i : i + e][slice.byDepth ? e : d] =
              b.create<LLVM::ExtractElementOp>(
                  vector, b.create<LLVM::ConstantOp>(b.getI32Type(),
                                                     b.getI32IntegerAttr(e)));
      }
    return found;
  }
};

class FloatThreads : public HoldingThreads {
public:
  FloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
               const Slice &right, Value thread)
      : b(b) {
    Value lane = b.modulo(thread, warp), which = b.dividedBy(thread, warp);
    auto number = [&](Value warps, int64_t lanes, Value own) {
      return b.plus(b.times(warps, lanes), own);
    };
    int64_t down = tiling.warpsDown * lanesDown,
            across = tiling.warpsAcross * lanesAcross;
    lines = {left,
             number(b.dividedBy(which, tiling.warpsAcross), lanesDown,
                    b.dividedBy(lane, lanesAcross)),
             down, tiling.rows / down};
    columns = {right,
               number(b.modulo(which, tiling.warpsAcross), lanesAcross,
                      b.modulo(lane, lanesAcross)),
               across, tiling.columns / across};
  }

  int64_t sums() const override { return lines.each * columns.each; }
  int64_t rows() const override { return lines.each; }
  int64_t rowOf(int64_t i) const override { return i / columns.each; }
  int64_t lanesOfRow() const override { return lanesAcross; }

  SmallVector<Value> multiply(Value leftAt, Value rightAt,
                              ValueRange now) override {
    return multiplyHeld(leftAt, 0, rightAt, now);
  }

  SmallVector<Value> hold(ArrayRef<Placed> values, Value scratch) override {
    for (auto [value, row, column] : values) {
      Value line = lines.slice.byDepth ? row : column,
            along = lines.slice.byDepth ? column : row;
      Value offset =
          b.plus(lines.slice.offsetOf(b, line, b.dividedBy(along, atOnce)),
                 b.times(b.modulo(along, atOnce), sizeof(float)));
      b.create<LLVM::StoreOp>(value, after(b, scratch, offset));
    }
    return {scratch};
  }

  SmallVector<Value> multiplyHeld(ValueRange held, int64_t begin, Value rightAt,
                                  ValueRange now) override {
    SmallVector<Value> sums(now);
    for (int64_t k = 0; k < columns.slice.depth; k += atOnce) {
      auto x = lines.load(b, held[0], begin + k);
      auto y = columns.load(b, rightAt, k);
      for (int64_t d = 0; d < atOnce; ++d)
        for (auto [i, sum] : llvm::enumerate(sums))
          sum = b.multiplyAdd(x[i / columns.each][d], y[i % columns.each][d],
                              sum);
    }
    return sums;
  }

  void finish(
      ValueRange sums, int64_t most,
      llvm::function_ref<void(Value, Value, ArrayRef<Value>)> group) override {
    int64_t together =
        columns.slice.byDepth ? 1 : std::min<int64_t>(most, atOnce);
    SmallVector<Value> all(sums);
    for (int64_t i = 0; i < lines.each; ++i)
      for (int64_t j = 0; j < columns.each; j += together)
        group(lines.at(b, i), columns.at(b, j),
              ArrayRef(all).slice(i * columns.each + j, together));
  }

private:
  ThreadBuilder &b;
  Lines lines, columns;
};

} // namespace

std::unique_ptr<HoldingThreads>
makeFloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, Value thread) {
  return std::make_unique<FloatThreads>(b, tiling, left, right, thread);
}

} // namespace weir::gpu
