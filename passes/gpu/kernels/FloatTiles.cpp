// Tiles of products of f32, whose threads multiply and add themselves.
//
// A thread has 8 x 8 sums. Of a side whose slice has lines along the depth it
// loads four elements of a line at once, and its lines are as far apart as
// there are threads beside it; else four neighbouring lines, in two groups. The
// eight lanes that load at a time find all banks either way.

#include "passes/gpu/kernels/Products.h"

using namespace mlir;

namespace weir::gpu {
namespace {

constexpr int64_t each = 8, atOnce = 4;
// The lanes of a warp, along the rows and along the columns.
constexpr int64_t lanesDown = 4, lanesAcross = 8;

/// A thread's lines of one side.
struct Lines {
  Slice slice;
  Value number;    // of the thread, along this side
  int64_t threads; // along this side

  /// Where line `i` of a thread is: so far from the thread's first.
  int64_t distance(int64_t i) const {
    return slice.byDepth ? i * threads
                         : i / atOnce * threads * atOnce + i % atOnce;
  }
  Value first(ThreadBuilder &b) const {
    return slice.byDepth ? number : b.times(number, atOnce);
  }

  /// Where four elements of line `i`, or of it and its neighbours, lie.
  Value offsetOf(ThreadBuilder &b, int64_t i, int64_t k) const {
    // Lines that are so far apart turn their chunks alike.
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

  /// Elements of each line at each of four depths from `k` on.
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

class FloatThreads : public TileThreads {
public:
  FloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
               const Slice &right, Value thread)
      : b(b) {
    Value lane = b.modulo(thread, warp), which = b.dividedBy(thread, warp);
    auto number = [&](Value warps, int64_t lanes, Value own) {
      return b.plus(b.times(warps, lanes), own);
    };
    rows = {left,
            number(b.dividedBy(which, tiling.warpsAcross), lanesDown,
                   b.dividedBy(lane, lanesAcross)),
            tiling.rows / each};
    columns = {right,
               number(b.modulo(which, tiling.warpsAcross), lanesAcross,
                      b.modulo(lane, lanesAcross)),
               tiling.columns / each};
  }

  int64_t sums() const override { return each * each; }

  SmallVector<Value> multiply(Value leftAt, Value rightAt,
                              ValueRange now) override {
    SmallVector<Value> sums(now);
    for (int64_t k = 0; k < rows.slice.depth; k += atOnce) {
      auto x = rows.load(b, leftAt, k), y = columns.load(b, rightAt, k);
      for (int64_t d = 0; d < atOnce; ++d)
        for (int64_t i = 0; i < each * each; ++i)
          sums[i] = b.multiplyAdd(x[i / each][d], y[i % each][d], sums[i]);
    }
    return sums;
  }

  void finish(
      ValueRange sums, int64_t most,
      llvm::function_ref<void(Value, Value, ArrayRef<Value>)> group) override {
    int64_t together =
        columns.slice.byDepth ? 1 : std::min<int64_t>(most, atOnce);
    SmallVector<Value> all(sums);
    for (int64_t i = 0; i < each; ++i)
      for (int64_t j = 0; j < each; j += together)
        group(b.plus(rows.first(b), b.index(rows.distance(i))),
              b.plus(columns.first(b), b.index(columns.distance(j))),
              ArrayRef(all).slice(i * each + j, together));
  }

private:
  ThreadBuilder &b;
  Lines rows, columns;
};

} // namespace

std::unique_ptr<TileThreads>
makeFloatThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, Value thread) {
  return std::make_unique<FloatThreads>(b, tiling, left, right, thread);
}

} // namespace weir::gpu
