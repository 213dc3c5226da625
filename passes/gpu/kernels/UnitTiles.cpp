// Tiles of products of f16, bf16 or tf32, by the GPU's units for matrices.
//
// mma.sync has a warp multiply 16 rows by 8 columns and add to sums of f32.
// Along the depth it takes 8 words: 16 elements of 16 bits, in pairs, or 8 of
// tf32, which are f32 whose fractions are rounded to 10 bits. Lane 4 g + t
// holds of the left side rows g and g + 8, of the right side column g, words t
// and t + 4, and of the sums rows g and g + 8, columns 2 t and 2 t + 1 (PTX
// ISA, mma.m16n8k16 and mma.m16n8k8). Shared memory has the words of a row of
// the left side, or of a column of the right side, one behind the other.

#include "passes/gpu/kernels/Blocks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// Elements of a tile along a side, and words of a slice along the depth.
constexpr int64_t tile = 64, words = 16;
// Words that are multiplied at once.
constexpr int64_t wordsAtOnce = 8;
// Four warps, of which each has a quarter: 32 x 32 elements.
constexpr int64_t threads = 128, quarter = 32;
constexpr int64_t down = quarter / 16, across = quarter / 8;
// Words of a row in memory: lanes that read a column are in other banks.
constexpr int64_t padded = words + 4;

/// One of the 16-bit floats above the other, in a word.
Value packed(ThreadBuilder &b, Value low, Value high) {
  auto bits = [&](Value x) -> Value {
    return b.create<arith::ExtUIOp>(
        b.getI32Type(), b.create<arith::BitcastOp>(b.getI16Type(), x));
  };
  Value half = b.create<arith::ConstantIntOp>(16, 32);
  return b.create<arith::OrIOp>(bits(low),
                                b.create<arith::ShLIOp>(bits(high), half));
}

/// The nearest tf32, as a word.
Value rounded(ThreadBuilder &b, Value x) {
  return b
      .create<LLVM::CallIntrinsicOp>(b.getI32Type(),
                                     b.getStringAttr("llvm.nvvm.f2tf32.rna"),
                                     ValueRange(x))
      ->getResult(0);
}

/// The sums of a lane after a warp has multiplied: `sides` are four words of
/// the left side and two of the right.
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

} // namespace

void TiledProduct::shareUnits(ThreadBuilder &b) const {
  int64_t perWord = element.isF32() ? 1 : 2, slice = words * perWord;
  int64_t tilesDown = llvm::divideCeil(rows, tile),
          tilesAcross = llvm::divideCeil(columns, tile);
  auto body = [&](Value block, Value thread) {
    SmallVector<Value> place =
        b.delinearize(block, {batches, tilesDown, tilesAcross});
    Value batch = place[0], firstRow = b.times(place[1], tile),
          firstColumn = b.times(place[2], tile);
    Value lane = b.modulo(thread, warp), which = b.dividedBy(thread, warp);
    Value g = b.dividedBy(lane, 4), t = b.modulo(lane, 4);
    Value ownRow = b.plus(b.times(b.dividedBy(which, 2), quarter), g),
          ownColumn = b.times(b.modulo(which, 2), quarter);
    Value a = b.shared({tile, padded}, b.getI32Type()),
          c = b.shared({tile, padded}, b.getI32Type());
    auto fill = [&](Value word, bool byDepth, Value memory,
                    llvm::function_ref<Value(Value line, Value k)> at) {
      // Neighbouring threads read neighbours.
      Value line = byDepth ? b.dividedBy(word, words) : b.modulo(word, tile),
            place = byDepth ? b.modulo(word, words) : b.dividedBy(word, tile);
      Value k = b.times(place, perWord);
      b.store(perWord == 1
                  ? rounded(b, at(line, k))
                  : packed(b, at(line, k), at(line, b.plus(k, b.index(1)))),
              memory, {line, place});
    };
    auto round = [&](Value step, ValueRange now) {
      Value first = b.times(step, slice);
      for (int64_t i = 0; i < tile * words / threads; ++i) {
        Value word = b.plus(thread, b.index(i * threads));
        fill(word, !leftByRows, a, [&](Value line, Value within) {
          Value row = b.plus(firstRow, line), k = b.plus(first, within);
          return b.orZero(
              b.both(b.isInside(row, rows), b.isInside(k, depth)),
              left(batch, b.clamped(row, rows), b.clamped(k, depth)));
        });
        fill(word, rightByDepth, c, [&](Value line, Value within) {
          Value column = b.plus(firstColumn, line), k = b.plus(first, within);
          return b.orZero(
              b.both(b.isInside(column, columns), b.isInside(k, depth)),
              right(batch, b.clamped(k, depth), b.clamped(column, columns)));
        });
      }
      b.meet();
      SmallVector<Value> sums(now);
      for (int64_t begin = 0; begin < words; begin += wordsAtOnce) {
        auto wordAt = [&](Value memory, Value line, int64_t word) {
          return b.load(memory, {line, b.plus(t, b.index(begin + word))});
        };
        for (int64_t i = 0; i < down; ++i) {
          Value upper = b.plus(ownRow, b.index(16 * i)),
                lower = b.plus(ownRow, b.index(16 * i + 8));
          SmallVector<Value> sides{wordAt(a, upper, 0), wordAt(a, lower, 0),
                                   wordAt(a, upper, 4), wordAt(a, lower, 4)};
          for (int64_t j = 0; j < across; ++j) {
            Value column = b.plus(b.plus(ownColumn, g), b.index(8 * j));
            SmallVector<Value> all(sides);
            all.append({wordAt(c, column, 0), wordAt(c, column, 4)});
            auto *own = sums.begin() + 4 * (i * across + j);
            llvm::copy(multiply(b, element, all, ArrayRef(own, 4)), own);
          }
        }
      }
      b.meet();
      return sums;
    };
    SmallVector<Value> sums =
        b.loop(llvm::divideCeil(depth, slice),
               SmallVector<Value>(4 * down * across, b.zero(sumType)), round);
    for (auto [number, sum] : llvm::enumerate(sums)) {
      int64_t i = number / 4 / across, j = number / 4 % across;
      Value row = b.plus(b.plus(firstRow, ownRow),
                         b.index(16 * i + number % 4 / 2 * 8));
      Value column = b.plus(b.plus(firstColumn, ownColumn),
                            b.plus(b.times(t, 2), b.index(8 * j + number % 2)));
      b.onlyIf(b.both(b.isInside(row, rows), b.isInside(column, columns)),
               [&, sum = sum] { finish(batch, row, column, sum); });
    }
  };
  b.blocks(batches * tilesDown * tilesAcross, threads, body);
}

} // namespace weir::gpu
