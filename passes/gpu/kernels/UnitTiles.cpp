// Emits tiles of f16, bf16 or tf32 products with the GPU's tensor cores.
//
// With mma.sync a warp multiplies 16 rows by 8 columns and adds to f32 sums.
// The depth of an instruction is 8 words of 32 bits: pairs of 16-bit floats, or
// tf32, which is f32 with 10 bits of fraction. Lane 4 g + t holds rows g and g
// + 8 of the left side, column g of the right side, words t and t + 4 of each,
// and rows g and g + 8, columns 2 t and 2 t + 1 of the sums (PTX ISA,
// mma.m16n8k16 and mma.m16n8k8). ldmatrix loads words in this order.
//
// Sums become a left side without leaving their lanes (Dao, "FlashAttention-2",
// 2023): pairs of sums of two tiles are the words of one 16-bit tile. For tf32
// a lane has columns 2 t and 2 t + 1 of the left side instead of t and t + 4.
// It loads these of the right side, too, since the order of the depth is
// arbitrary.

#include "passes/gpu/kernels/Products.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// The shape of one instruction, in 32-bit words along the depth.
constexpr int64_t rowsAtOnce = 16, columnsAtOnce = 8, wordsAtOnce = 8;
// The lanes that have a row of the sums.
constexpr int64_t quad = 4;

/// Rounds to the nearest tf32.
Value rounded(ThreadBuilder &b, Value x) {
  return b
      .create<LLVM::CallIntrinsicOp>(b.getI32Type(),
                                     b.getStringAttr("llvm.nvvm.f2tf32.rna"),
                                     ValueRange(x))
      ->getResult(0);
}

/// Packs two values as 16-bit floats, the first in the lower half.
Value packed(ThreadBuilder &b, Type element, Value low, Value high) {
  auto bits = [&](Value x) -> Value {
    return b.create<arith::ExtUIOp>(
        b.getI32Type(),
        b.create<arith::BitcastOp>(b.getI16Type(),
                                   b.create<arith::TruncFOp>(element, x)));
  };
  Value half = b.create<arith::ConstantIntOp>(16, 32);
  return b.create<arith::OrIOp>(bits(low),
                                b.create<arith::ShLIOp>(bits(high), half));
}

/// Multiplies by a warp and returns the sums of a lane. `sides` are four words
/// of the left side and two of the right one.
SmallVector<Value> multiply(ThreadBuilder &b, Type element,
                            ArrayRef<Value> sides, ArrayRef<Value> sums) {
  bool isF16 = element.isF16();
  SmallVector<Value> operands;
  for (Value word : sides)
    operands.push_back(isF16 ? b.create<LLVM::BitcastOp>(
                                    VectorType::get(2, b.getF16Type()), word)
                                   .getResult()
                             : word);
  llvm::append_range(operands, sums);
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  auto call = b.create<LLVM::CallIntrinsicOp>(
      type,
      b.getStringAttr(element.isF32() ? "llvm.nvvm.mma.m16n8k8.row.col.tf32"
                      : isF16         ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
                                      : "llvm.nvvm.mma.m16n8k16.row.col.bf16"),
      operands);
  SmallVector<Value> results;
  for (int64_t i = 0; i < 4; ++i)
    results.push_back(b.create<LLVM::ExtractValueOp>(call->getResult(0), i));
  return results;
}

class UnitThreads : public HoldingThreads {
public:
  UnitThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
              const Slice &right, Type element, Value thread)
      : b(b), left(left), right(right), element(element),
        down(tiling.rows / tiling.warpsDown / rowsAtOnce),
        across(tiling.columns / tiling.warpsAcross / columnsAtOnce),
        lane(b.modulo(thread, warp)), g(b.dividedBy(lane, quad)),
        t(b.modulo(lane, quad)) {
    Value which = b.dividedBy(thread, warp);
    ownRow = b.times(b.dividedBy(which, tiling.warpsAcross), down * rowsAtOnce);
    ownColumn =
        b.times(b.modulo(which, tiling.warpsAcross), across * columnsAtOnce);
  }

  int64_t sums() const override { return 4 * down * across; }
  int64_t rows() const override { return 2 * down; }
  int64_t rowOf(int64_t i) const override {
    return i / (4 * across) * 2 + i % 4 / 2;
  }
  int64_t lanesOfRow() const override { return quad; }

  SmallVector<Value> multiply(Value leftAt, Value rightAt,
                              ValueRange now) override {
    SmallVector<Value> sums(now);
    int64_t words = left.depth * left.elementBytes / 4;
    for (int64_t word = 0; word < words; word += wordsAtOnce) {
      SmallVector<SmallVector<Value>> rows;
      for (int64_t i = 0; i < down; ++i)
        rows.push_back(wordsOf(left, leftAt, ownRow, i, word, /*isLeft=*/true));
      multiply(rows, columnsOf(rightAt, word, /*isHeld=*/false), sums);
    }
    return sums;
  }

  SmallVector<Value> hold(ArrayRef<Placed> values, Value) override {
    int64_t count = values.size() / rows();
    SmallVector<Value> words;
    for (int64_t k = 0; k < count; k += element.isF32() ? 2 : 4)
      for (int64_t i = 0; i < down; ++i)
        for (int64_t later = 0; later < 2; ++later)
          for (int64_t half = 0; half < 2; ++half) {
            const Placed *own = &values[(2 * i + half) * count + k];
            words.push_back(element.isF32()
                                ? rounded(b, own[later].value)
                                : packed(b, element, own[2 * later].value,
                                         own[2 * later + 1].value));
          }
    return words;
  }

  SmallVector<Value> multiplyHeld(ValueRange held, int64_t begin, Value rightAt,
                                  ValueRange now) override {
    SmallVector<Value> sums(now);
    int64_t perWord = 4 / right.elementBytes;
    for (int64_t word = 0; word < right.depth / perWord; word += wordsAtOnce) {
      auto own = held.begin() + (begin / perWord + word) / 2 * down;
      SmallVector<SmallVector<Value>> rows;
      for (int64_t i = 0; i < down; ++i)
        rows.emplace_back(own + 4 * i, own + 4 * (i + 1));
      multiply(rows, columnsOf(rightAt, word, /*isHeld=*/true), sums);
    }
    return sums;
  }

  void finish(
      ValueRange sums, int64_t most,
      llvm::function_ref<void(Value, Value, ArrayRef<Value>)> group) override {
    for (int64_t i = 0; i < down; ++i)
      for (int64_t half = 0; half < 2; ++half) {
        Value row = b.plus(b.plus(ownRow, g),
                           b.index(rowsAtOnce * i + columnsAtOnce * half));
        SmallVector<SmallVector<Value>> pairs;
        for (int64_t j = 0; j < across; ++j) {
          int64_t first = 4 * (i * across + j) + 2 * half;
          pairs.push_back({sums[first], sums[first + 1]});
        }
        if (most == columnsAtOnce)
          finishQuads(row, pairs, group);
        else
          finishPairs(row, pairs, most, group);
      }
  }

private:
  /// Two words of each tile of columns.
  SmallVector<SmallVector<Value>> columnsOf(Value memory, int64_t word,
                                            bool isHeld) {
    SmallVector<SmallVector<Value>> columns;
    // Two tiles of columns have as many words as one of rows.
    for (int64_t j = 0; j < across / 2; ++j) {
      SmallVector<Value> both =
          wordsOf(right, memory, ownColumn, j, word, /*isLeft=*/false, isHeld);
      columns.push_back({both[0], both[1]});
      columns.push_back({both[2], both[3]});
    }
    return columns;
  }

  void multiply(ArrayRef<SmallVector<Value>> rows,
                ArrayRef<SmallVector<Value>> columns,
                SmallVector<Value> &sums) {
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j) {
        SmallVector<Value> sides(rows[i]);
        llvm::append_range(sides, columns[j]);
        auto *own = sums.begin() + 4 * (i * across + j);
        llvm::copy(gpu::multiply(b, element, sides, ArrayRef(own, 4)), own);
      }
  }

  /// Four words of 16 lines, block `block` of the warp. On the left side they
  /// are one tile, on the right side two.
  SmallVector<Value> wordsOf(const Slice &slice, Value memory, Value own,
                             int64_t block, int64_t word, bool isLeft,
                             bool isHeld = false) {
    constexpr int64_t half = 8;
    int64_t perWord = 4 / slice.elementBytes;
    // The matrix and the row whose address the lane passes.
    Value matrix = b.dividedBy(lane, half), line = b.modulo(lane, half);
    Value low = b.modulo(matrix, 2), high = b.dividedBy(matrix, 2);
    Value forLine = isLeft ? low : high, forWord = isLeft ? high : low;
    Value lines = b.plus(own, b.index(2 * half * block));
    SmallVector<Value> words;
    if (slice.byDepth) {
      Value chunk = b.plus(forWord, b.index(word * 4 / chunkBytes));
      Value at = b.plus(b.plus(own, line), b.times(forLine, half));
      // The swizzle is equal for all blocks of lines.
      Value offset = b.plus(slice.offsetOf(b, at, chunk),
                            b.index(2 * half * block * slice.bytesOfLine()));
      words = loadMatrices(b, after(b, memory, offset), /*transposed=*/false);
    } else if (perWord == 2) {
      Value depth =
          b.plus(b.plus(line, b.times(forWord, half)), b.index(word * perWord));
      Value chunk =
          b.plus(b.dividedBy(lines, slice.elementsOfChunk()), forLine);
      words = loadMatrices(b, after(b, memory, slice.offsetOf(b, depth, chunk)),
                           /*transposed=*/true);
    } else {
      for (int64_t i = 0; i < 4; ++i) {
        int64_t second = isLeft ? i % 2 : i / 2, later = isLeft ? i / 2 : i % 2;
        Value at = b.plus(b.plus(lines, g), b.index(half * second));
        Value depth = isHeld ? b.plus(b.times(t, 2), b.index(word + later))
                             : b.plus(t, b.index(word + 4 * later));
        Value offset = b.plus(
            slice.offsetOf(b, depth, b.dividedBy(at, slice.elementsOfChunk())),
            b.times(b.modulo(at, slice.elementsOfChunk()), 4));
        words.push_back(loadAt(b, b.getI32Type(), after(b, memory, offset)));
      }
    }
    if (element.isF32())
      for (Value &value : words)
        value = rounded(b, b.create<arith::BitcastOp>(b.getF32Type(), value));
    return words;
  }

  void
  finishPairs(Value row, ArrayRef<SmallVector<Value>> pairs, int64_t most,
              llvm::function_ref<void(Value, Value, ArrayRef<Value>)> group) {
    for (auto [j, pair] : llvm::enumerate(pairs)) {
      Value column =
          b.plus(b.plus(ownColumn, b.times(t, 2)), b.index(columnsAtOnce * j));
      if (most >= 2) {
        group(row, column, pair);
        continue;
      }
      group(row, column, pair[0]);
      group(row, b.plus(column, b.index(1)), pair[1]);
    }
  }

  /// Four lanes have pairs of elements of four tiles. They exchange them, so
  /// that each has a whole row of one tile.
  void
  finishQuads(Value row, ArrayRef<SmallVector<Value>> pairs,
              llvm::function_ref<void(Value, Value, ArrayRef<Value>)> group) {
    Value isOdd = b.equals(b.modulo(t, 2), 1),
          isUpper = b.equals(b.dividedBy(t, 2), 1);
    auto select = [&](Value condition, Value yes, Value no) -> Value {
      return b.create<arith::SelectOp>(condition, yes, no);
    };
    // Exchanges the values of two tiles between two lanes. The lane whose bit
    // is clear keeps the first tile.
    auto swap = [&](Value isSet, int64_t bit, ArrayRef<Value> first,
                    ArrayRef<Value> second) {
      SmallVector<Value> own, others;
      for (auto [x, y] : llvm::zip_equal(first, second)) {
        Value kept = select(isSet, y, x);
        Value got = b.exchange(select(isSet, x, y), bit);
        own.push_back(select(isSet, got, kept));
        others.push_back(select(isSet, kept, got));
      }
      llvm::append_range(own, others);
      return own;
    };
    for (int64_t j = 0; j < across; j += quad) {
      SmallVector<Value> even = swap(isUpper, 2, pairs[j], pairs[j + 2]);
      SmallVector<Value> odd = swap(isUpper, 2, pairs[j + 1], pairs[j + 3]);
      // Each has pairs of the lanes t % 2 and t % 2 + 2. In the order of lanes
      // these are lanes 0 and 1, then 2 and 3.
      SmallVector<Value> lower = swap(isOdd, 1, ArrayRef(even).take_front(2),
                                      ArrayRef(odd).take_front(2));
      SmallVector<Value> upper = swap(isOdd, 1, ArrayRef(even).drop_front(2),
                                      ArrayRef(odd).drop_front(2));
      llvm::append_range(lower, upper);
      Value column = b.plus(b.plus(ownColumn, b.times(t, columnsAtOnce)),
                            b.index(columnsAtOnce * j));
      group(row, column, lower);
    }
  }

  ThreadBuilder &b;
  Slice left, right;
  Type element;
  int64_t down, across;
  Value lane, g, t, ownRow, ownColumn;
};

} // namespace

std::unique_ptr<HoldingThreads>
makeUnitThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                const Slice &right, Type element, Value thread) {
  return std::make_unique<UnitThreads>(b, tiling, left, right, element, thread);
}

} // namespace weir::gpu
