// Depthwise convolutions of bytes by dot products of four bytes.
//
// The four bytes of a product are those of one channel in four rows. Shuffles
// interleave the bytes of 64 channels of each row, within lanes of 16 channels,
// to four vectors of words. These serve all results whose windows have that
// column. The sums get the order of their channels back before the epilogue.
// Rows of the window outside x are read as zeros; columns outside of x have no
// products.

#include "dialects/isa/Isa.h"
#include "dialects/kernel/cost/Cost.h"
#include "dialects/kernel/schedule/LineShape.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/windows/LineTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <map>

using namespace mlir;

namespace weir::cpu {
namespace {

struct DepthwiseDots {
  static constexpr int64_t parts = 4; // vectors of words of a block

  Emitter &e;
  std::unique_ptr<Isa> isa;
  kernel::DepthwiseOp op;
  Value x, filter;
  kernel::LineSchedule schedule;
  int64_t images, height, width, channels, outHeight, outWidth;
  int64_t rows, across;
  // The channels of a block of the filter's layout, and the words of a vector:
  // the layout is for one vector width.
  int64_t block, lanes;
  Value image;
  // Of the row of results at hand: the rows of x under its windows, and whether
  // they are in x; null where all are.
  SmallVector<Value> rowOf, inside;

  DepthwiseDots(Emitter &e, kernel::DepthwiseOp op,
                const kernel::Target &target)
      : e(e), isa(Isa::of(target)), op(op), x(op.getX()),
        schedule(
            cast<kernel::LineScheduleAttr>(op.getScheduleAttr()).getValue()),
        rows(op.getLayout().getRows()), block(e.shape(op.getFilter())[3]),
        lanes(block / parts) {
    ArrayRef<int64_t> xs = e.shape(x), ys = e.shape(op.getOut());
    images = xs[0], height = xs[1], width = xs[2], channels = xs[3];
    outHeight = ys[1], outWidth = ys[2];
    across = e.shape(op.getFilter())[1];
    SmallVector<ReassociationIndices> lines = {{0}, {1}, {2}, {3, 4}};
    filter = e.create<memref::CollapseShapeOp>(op.getFilter(), lines);
  }

  /// The column of x for result `i` and column `k` of its window.
  int64_t columnOf(int64_t i, int64_t k) {
    return i * op.getStrides()[1] + k * op.getDilations()[1] -
           op.getPadding()[1];
  }

  /// For each column of x, by its distance from that under the first result,
  /// which results it has products for, and with which columns of the window.
  using Products = std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>>;
  Products products(int64_t first, int64_t wide) {
    Products result;
    for (int64_t i = 0; i < wide; ++i)
      for (int64_t k = 0; k < across; ++k) {
        int64_t column = columnOf(first + i, k);
        if (column >= 0 && column < width)
          result[columnOf(i, k)].push_back({i, k});
      }
    return result;
  }

  /// Where lanes of 16 bytes each have the pieces of two vectors in turns:
  /// `half` of them, from the first on or, with `upper`, the second half.
  Value interleave(Value a, Value b, bool upper) {
    int64_t count = cast<VectorType>(a.getType()).getNumElements();
    int64_t lane = count / 4;
    SmallVector<int64_t> order;
    for (int64_t first = upper ? lane / 2 : 0; first < count; first += lane)
      for (int64_t i = 0; i < lane / 2; ++i)
        order.append({first + i, count + first + i});
    return e.create<vector::ShuffleOp>(a, b, order);
  }

  Value bitcast(Value vector, Type element, int64_t count) {
    return e.create<vector::BitCastOp>(VectorType::get(count, element), vector);
  }

  Value loadRow(int64_t row, Value column, Value channel, int64_t valid) {
    if (row >= rows)
      return e.zeros(e.element(x), block);
    Emitter::Values at = {image, rowOf[row], column, channel};
    if (!inside[row])
      return e.load(x, at, block, valid);
    Type mask = VectorType::get(block, e.getI1Type());
    Value use = e.splat(inside[row], block);
    if (valid < block)
      use = e.create<arith::AndIOp>(use, e.create<vector::ConstantMaskOp>(
                                             mask, e.getI64ArrayAttr(valid)));
    auto type = VectorType::get(block, e.element(x));
    return e.create<vector::MaskedLoadOp>(type, x, at, use,
                                          e.zeros(e.element(x), block));
  }

  /// Words of the four rows from `row` on; part `j` has channels `4 j` to `4 j
  /// + 3` of each 16.
  Emitter::Values wordsOf(int64_t row, Value column, Value channel,
                          int64_t valid) {
    Value four[4];
    for (int64_t i = 0; i < 4; ++i)
      four[i] = loadRow(row + i, column, channel, valid);
    Emitter::Values words;
    for (bool upper : {false, true}) {
      Value low = bitcast(interleave(four[0], four[1], upper), e.getI16Type(),
                          block / 2);
      Value high = bitcast(interleave(four[2], four[3], upper), e.getI16Type(),
                           block / 2);
      for (bool second : {false, true})
        words.push_back(
            bitcast(interleave(low, high, second), e.getI32Type(), lanes));
    }
    return words;
  }

  /// Transposes squares of lanes of four words, so that each vector has one
  /// lane of all four.
  void transposeLanes(MutableArrayRef<Value> sums) {
    auto lanesOf = [&](Value a, Value b, ArrayRef<int64_t> four) {
      SmallVector<int64_t> order;
      for (int64_t lane : four)
        for (int64_t i = 0; i < 4; ++i)
          order.push_back(4 * lane + i);
      return e.create<vector::ShuffleOp>(a, b, order).getResult();
    };
    Value halves[2][2];
    for (int64_t pair = 0; pair < 2; ++pair)
      for (int64_t half = 0; half < 2; ++half)
        halves[pair][half] =
            lanesOf(sums[2 * pair], sums[2 * pair + 1],
                    {2 * half, 2 * half + 1, 4 + 2 * half, 5 + 2 * half});
    for (int64_t v = 0; v < 4; ++v) {
      int64_t in = v % 2;
      sums[v] = lanesOf(halves[0][v / 2], halves[1][v / 2],
                        {in, in + 2, in + 4, in + 6});
    }
  }

  void tile(Value y, Value first, int64_t wide, const Products &products,
            Value channel, int64_t valid) {
    Emitter::Values sums(wide * parts, e.zeros(e.getI32Type(), lanes));
    Value left = e.times(first, op.getStrides()[1]);
    Value blockIndex = e.dividedBy(channel, block);
    for (const auto &[distance, pairs] : products)
      for (int64_t row = 0; row < rows; row += 4) {
        Emitter::Values words =
            wordsOf(row, e.plus(left, distance), channel, valid);
        for (auto [i, k] : pairs)
          for (int64_t j = 0; j < parts; ++j) {
            Value weights =
                e.loadWords(filter,
                            {blockIndex, e.index(k), e.index(row / 4),
                             e.index(j * lanes * 4)},
                            lanes);
            Value &sum = sums[i * parts + j];
            sum = isa->addByteProducts(e, sum, words[j], weights);
          }
      }
    auto position = [&](Value, Value dx) {
      return Emitter::Values{image, y, e.plus(first, dx)};
    };
    Tile shape{1, wide, valid, lanes, position, channel};
    Emitter::Values made;
    for (int64_t i = 0; i < wide; ++i) {
      MutableArrayRef<Value> four(&sums[i * parts], parts);
      transposeLanes(four);
      llvm::append_range(made, four.take_front(shape.vectors()));
    }
    finishTile(e, op, shape, made);
  }

  void findRows(Value y) {
    rowOf.clear(), inside.clear();
    int64_t low = op.getPadding()[0], stride = op.getStrides()[0];
    for (int64_t k = 0; k < rows; ++k) {
      int64_t shift = k * op.getDilations()[0] - low;
      Value row = e.plus(e.times(y, stride), shift), use;
      if (shift < 0 || (outHeight - 1) * stride + shift >= height) {
        // As an unsigned number, a negative position is larger than any size.
        use = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, row,
                                      e.index(height));
        row = e.larger(e.smaller(row, e.index(height - 1)), e.index(0));
      }
      rowOf.push_back(row), inside.push_back(use);
    }
  }

  void row(Value y) {
    findRows(y);
    eachTileOfLine(
        e, outWidth, schedule.tileColumns,
        [&](int64_t first, int64_t wide) { return products(first, wide); },
        [&](Value first, int64_t wide, const Products &these) {
          int64_t whole = channels / block * block;
          e.loop(e.index(0), e.index(whole), block, [&](Value channel) {
            tile(y, first, wide, these, channel, block);
          });
          if (channels > whole)
            tile(y, first, wide, these, e.index(whole), channels - whole);
        });
  }

  void run() {
    auto shape = kernel::LineShape::of(op, kernel::Target::of(op));
    e.share(kernel::cyclesOf(shape), schedule.share != kernel::LineShare::none);
    e.parallel(images * outHeight, /*coarse=*/false,
               [&](Value first, Value last) {
                 e.loop(first, last, 1, [&](Value t) {
                   image = images == 1 ? e.index(0) : e.dividedBy(t, outHeight);
                   row(images == 1 ? t : e.modulo(t, outHeight));
                 });
               });
  }
};

} // namespace

void emitDepthwiseDots(Emitter &e, kernel::DepthwiseOp op,
                       const kernel::Target &target) {
  DepthwiseDots(e, op, target).run();
}

} // namespace weir::cpu
