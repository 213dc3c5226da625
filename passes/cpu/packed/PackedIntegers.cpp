// Products with weights of few bits by integers: A is quantized.
//
// Each block of a row of A has a scale of its own, so that its greatest
// magnitude is 127. A vector has a word of codes of as many columns; masks make
// four bytes of it, whose codes are some rows apart, and so are the four bytes
// of A that they are multiplied by. An instruction adds two products in 16
// bits, whose chains are so short that nothing saturates, or four in 32 bits.
// Sums of a block are exact; they are then scaled and added in f32.

#include "passes/cpu/packed/PackedProduct.h"

#include "dialects/isa/Isa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct PackedIntegers : PackedProduct {
  std::unique_ptr<Isa> isa;
  int64_t sumBits;            // of sums of products of bytes
  Value bytes, factors, less; // A, its scales, and zero points' parts of sums

  PackedIntegers(Emitter &e, kernel::PackedMatmulOp op,
                 const kernel::Target &target)
      : PackedProduct(e, op, target, target.registers / 4,
                      target.registers / 2),
        isa(Isa::of(target)), sumBits(isa->byteSumBits(lanes)) {}

  /// Codes of a word that are one byte's.
  int64_t perByte() const { return 8 / layout.bits; }
  /// Words whose products two of a time fit 16 bits.
  int64_t wordsOfChain() const { return layout.bits == 4 ? 4 : 8; }

  void allocate(int64_t height) override {
    bytes = e.buffer({height, layout.blocks() * layout.block}, e.getI8Type());
    factors = e.buffer({height, layout.blocks()}, f32);
    less = e.buffer({height, layout.blocks()}, f32);
  }

  /// The bytes of words in the order in which masks make the codes.
  Value ordered(Value numbers) {
    int64_t width = cast<VectorType>(numbers.getType()).getNumElements();
    SmallVector<int64_t> from;
    for (int64_t word = 0; word < width; word += layout.perWord())
      for (int64_t j = 0; j < perByte(); ++j)
        for (int64_t i = 0; i < 4; ++i)
          from.push_back(word + j + perByte() * i);
    return e.create<vector::ShuffleOp>(numbers, numbers, from);
  }

  // Quantizes `count` elements of row `row` from block `block` on, at `line`.
  void prepareBlock(Value row, Value line, Value block, int64_t count) {
    int64_t width = std::max(lanes, layout.perWord());
    while (layout.block % width)
      width /= 2;
    width = std::max(width, layout.perWord());
    auto type = VectorType::get(width, f32);
    Value first = e.times(block, layout.block);
    int64_t whole = count / width * width, rest = count - whole;
    auto each = [&](ValueRange sums, auto part) {
      Emitter::Values results =
          e.loop(e.index(0), e.index(whole), width, sums,
                 [&](Value k, ValueRange carried) {
                   Value at = e.plus(first, k);
                   Value x = e.load(op.getA(), {row, at}, width, width);
                   return Emitter::Values{part(at, x, carried[0])};
                 });
      if (!rest)
        return results[0];
      Value at = e.plus(first, whole);
      return part(at, e.load(op.getA(), {row, at}, width, rest), results[0]);
    };
    auto larger = [&](Value a, Value b) -> Value {
      return e.create<arith::MaximumFOp>(a, b);
    };
    Value most = joined(each(e.zeros(f32, width),
                             [&](Value, Value x, Value most) {
                               return larger(most, e.create<math::AbsFOp>(x));
                             }),
                        larger);
    Value none =
        e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, most, number(0));
    Value inverse = e.create<arith::DivFOp>(number(127), most);
    inverse = e.create<arith::SelectOp>(none, number(0), inverse);
    // An infinity less itself is NaN, and a finite number less itself is 0.
    Value scale = e.sum(e.create<arith::MulFOp>(most, number(1 / 127.f)),
                        e.create<arith::SubFOp>(most, most));
    Value inverses = e.splat(inverse, width);
    auto integer = VectorType::get(width, i32);
    Value total =
        joined(each(e.zeros(i32, width),
                    [&](Value at, Value x, Value sum) {
                      x = e.create<arith::MulFOp>(type, x, inverses);
                      x = e.create<math::RoundEvenOp>(x);
                      Value number = e.create<arith::FPToSIOp>(integer, x);
                      Value byte = e.create<arith::TruncIOp>(
                          VectorType::get(width, e.getI8Type()), number);
                      e.store(ordered(byte), bytes, {line, at}, width);
                      return e.sum(sum, number);
                    }),
               [&](Value a, Value b) { return e.sum(a, b); });
    Value sum = e.create<arith::SIToFPOp>(f32, total);
    Value zero = number(-static_cast<float>(op.getZero().value_or(1)));
    e.create<memref::StoreOp>(e.create<arith::MulFOp>(sum, zero), less,
                              ValueRange{line, block});
    e.create<memref::StoreOp>(scale, factors, ValueRange{line, block});
  }

  void prepare(Value row, int64_t height) override {
    int64_t whole = layout.depth / layout.block,
            rest = layout.depth % layout.block;
    e.loop(height, [&](Value line) {
      Value own = e.plus(row, line);
      e.loop(whole, [&](Value b) { prepareBlock(own, line, b, layout.block); });
      if (rest)
        prepareBlock(own, line, e.index(whole), rest);
    });
  }

  void addWord(const Group &group, Value record, Value word, Value k,
               Emitter::Values &sums) {
    int32_t mask = layout.bits == 4 ? 0x0F0F0F0F : 0x03030303;
    Emitter::Values codes = words(group, record, word);
    for (int64_t j = 0; j < perByte(); ++j) {
      Emitter::Values masked;
      for (Value word : codes) {
        if (j)
          word = e.create<arith::ShRUIOp>(word, integers(j * layout.bits));
        masked.push_back(e.create<arith::AndIOp>(word, integers(mask)));
      }
      for (int64_t i = 0; i < group.height; ++i) {
        Value a = e.splatWord(bytes, {e.index(i), e.plus(k, 4 * j)}, lanes);
        for (int64_t v = 0; v < group.vectors; ++v) {
          Value &sum = sums[i * group.vectors + v];
          sum = isa->addByteProducts(e, sum, masked[v], a);
        }
      }
    }
  }

  Emitter::Values addBlock(const Group &group, Value block, int64_t count,
                           Emitter::Values totals) override {
    Value record = e.times(block, layout.recordBytes());
    Emitter::Values scales = this->scales(group, record), zeros;
    if (layout.hasZeros)
      zeros = this->zeros(group, record);
    int64_t perWord = layout.perWord();
    int64_t words = llvm::divideCeil(count, perWord);
    Value first = e.times(block, layout.block);
    Type narrow = e.getIntegerType(sumBits);
    auto chain = [&](Value word, int64_t some) {
      Emitter::Values sums(totals.size(),
                           e.zeros(narrow, lanes * 32 / sumBits));
      for (int64_t w = 0; w < some; ++w) {
        Value at = e.plus(word, w);
        addWord(group, record, at, e.plus(first, e.times(at, perWord)), sums);
      }
      for (Value &sum : sums)
        sum = isa->widenByteSums(e, sum);
      return sums;
    };
    auto more = [&](Value word, int64_t some, ValueRange carried) {
      Emitter::Values sums = chain(word, some);
      for (auto [sum, before] : llvm::zip_equal(sums, carried))
        sum = e.sum(before, sum);
      return sums;
    };
    int64_t most = wordsOfChain(), whole = words / most * most;
    Emitter::Values sums;
    if (words <= most) {
      sums = chain(e.index(0), words);
    } else {
      sums.assign(totals.size(), e.zeros(i32, lanes));
      sums = e.loop(e.index(0), e.index(whole), most, sums,
                    [&](Value word, ValueRange carried) {
                      return more(word, most, carried);
                    });
      if (whole < words)
        sums = more(e.index(whole), words - whole, sums);
    }
    for (int64_t i = 0; i < group.height; ++i) {
      auto ofBlock = [&](Value numbers) {
        Value number =
            e.create<memref::LoadOp>(numbers, ValueRange{e.index(i), block});
        return e.splat(number, lanes);
      };
      Value factor = ofBlock(factors), minus = ofBlock(less);
      for (int64_t v = 0; v < group.vectors; ++v) {
        int64_t position = i * group.vectors + v;
        Value sum = e.create<arith::SIToFPOp>(VectorType::get(lanes, f32),
                                              sums[position]);
        sum = layout.hasZeros ? e.multiplyAdd(zeros[v], minus, sum)
                              : e.sum(sum, minus);
        Value scale = e.create<arith::MulFOp>(factor, scales[v]);
        totals[position] = e.multiplyAdd(sum, scale, totals[position]);
      }
    }
    return totals;
  }
};

} // namespace

bool multipliesPackedIntegers(kernel::PackedMatmulOp op,
                              const kernel::Target &target) {
  if (!op.getQuantized() || op.getBits() == 8)
    return false;
  int64_t lanes = target.lanesWithin(Float32Type::get(op.getContext()),
                                     kernel::PackedWeights::panel);
  return Isa::of(target)->byteSumBits(lanes) != 0;
}

void emitPackedIntegers(Emitter &e, kernel::PackedMatmulOp op,
                        const kernel::Target &target) {
  PackedIntegers(e, op, target).run();
}

} // namespace weir::cpu
