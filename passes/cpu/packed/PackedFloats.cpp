// Products with weights of few bits, which are unpacked to f32 in registers.
//
// A vector has a word of codes of as many columns. Masks take the codes out of
// it where they stand: a code that is `s` bits up in its word counts `2^s`
// times, which is an exact factor of the element of A that it is multiplied by.
// So a code takes a mask, a conversion to f32 and a multiply-add for each row.
// Words are halved first, so that a code is at most 16 bits up and its word is
// no negative number.
//
// A chain of additions sums the codes of a block, or of a part of it, times A;
// it begins with the zero point times the sum of these elements of A, and is
// then scaled and added to the sum of a result. All rows of a matrix add in the
// same order, however many they are.

#include "passes/cpu/packed/PackedProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>

using namespace mlir;

namespace weir::cpu {
namespace {

struct PackedFloats : PackedProduct {
  int64_t chain;
  Value scaled, less; // A times factors, and zero points' parts of chains

  PackedFloats(Emitter &e, kernel::PackedMatmulOp op,
               const kernel::Target &target)
      // Sums, and as many that wait for the next block, beside the codes.
      : PackedProduct(e, op, target, target.registers / 4,
                      target.registers / 2),
        chain(layout.chain()) {}

  int64_t chains() const { return llvm::divideCeil(layout.depth, chain); }
  /// Codes of a word until the factors begin anew.
  int64_t period() const { return layout.perWord() / 2; }

  void allocate(int64_t height) override {
    scaled = e.buffer({height, chains() * chain}, f32);
    less = e.buffer({height, chains()}, f32);
  }

  // Makes `scaled` and `less` of `count` elements of row `row` from `chain * c`
  // on, at line `line`.
  void prepareChain(Value row, Value line, Value c, int64_t count) {
    int64_t width = lanes;
    while (chain % width)
      width /= 2;
    // Words of codes are multiplied whole: of the last, zeros too.
    width = std::max(width, layout.perWord());
    std::vector<float> powers(width);
    for (int64_t i = 0; i < width; ++i)
      powers[i] =
          std::ldexp(1.f, -static_cast<int>(i % period() * layout.bits));
    Value factors = e.create<arith::ConstantOp>(DenseElementsAttr::get(
        VectorType::get(width, f32), ArrayRef<float>(powers)));
    Value first = e.times(c, chain);
    auto part = [&](Value k, int64_t valid, Value sum) {
      Value at = e.plus(first, k);
      Value x = e.load(op.getA(), {row, at}, width, valid);
      e.store(e.create<arith::MulFOp>(x, factors), scaled, {line, at}, width);
      return e.sum(sum, x);
    };
    int64_t whole = count / width * width;
    Value sum = e.loop(e.index(0), e.index(whole), width, e.zeros(f32, width),
                       [&](Value k, ValueRange sums) {
                         return Emitter::Values{part(k, width, sums[0])};
                       })[0];
    if (whole < count)
      sum = part(e.index(whole), count - whole, sum);
    Value total = joined(sum, [&](Value a, Value b) { return e.sum(a, b); });
    Value factor = number(-static_cast<float>(op.getZero().value_or(1)));
    e.create<memref::StoreOp>(e.create<arith::MulFOp>(total, factor), less,
                              ValueRange{line, c});
  }

  void prepare(Value row, int64_t height) override {
    int64_t whole = layout.depth / chain, rest = layout.depth % chain;
    e.loop(height, [&](Value line) {
      Value own = e.plus(row, line);
      e.loop(whole, [&](Value c) { prepareChain(own, line, c, chain); });
      if (rest)
        prepareChain(own, line, e.index(whole), rest);
    });
  }

  // Adds the products of word `word` of the record at `record`, whose codes are
  // multiplied by the elements of A from `k` on.
  void addWord(const Group &group, Value record, Value word, Value k,
               Emitter::Values &sums) {
    Emitter::Values codes = words(group, record, word);
    for (int64_t half = 0; half < 2; ++half) {
      for (int64_t j = 0; j < period(); ++j) {
        int32_t mask = ((1 << layout.bits) - 1) << (j * layout.bits);
        Value masks = integers(mask);
        Emitter::Values numbers;
        for (Value word : codes)
          numbers.push_back(
              e.create<arith::SIToFPOp>(VectorType::get(lanes, f32),
                                        e.create<arith::AndIOp>(word, masks)));
        Value column = e.plus(k, half * period() + j);
        for (int64_t i = 0; i < group.height; ++i) {
          Value x = e.splat(
              e.create<memref::LoadOp>(scaled, ValueRange{e.index(i), column}),
              lanes);
          for (int64_t v = 0; v < group.vectors; ++v) {
            Value &sum = sums[i * group.vectors + v];
            sum = e.multiplyAdd(numbers[v], x, sum);
          }
        }
      }
      for (Value &word : codes)
        word = e.create<arith::ShRUIOp>(word, integers(16));
    }
  }

  // Adds the scaled products of a block with `count` rows to `totals`.
  Emitter::Values addBlock(const Group &group, Value block, int64_t count,
                           Emitter::Values totals) override {
    Value record = e.times(block, layout.recordBytes());
    Emitter::Values scales = this->scales(group, record), zeros;
    if (layout.hasZeros)
      zeros = this->zeros(group, record);
    int64_t perWord = layout.perWord(), wordsOfChain = chain / perWord;
    Value firstChain = e.times(block, layout.block / chain);
    auto addChain = [&](Value c, int64_t words, Emitter::Values totals) {
      Emitter::Values sums;
      Value chainOfAll = e.plus(firstChain, c);
      for (int64_t i = 0; i < group.height; ++i) {
        Value first = e.splat(
            e.create<memref::LoadOp>(less, ValueRange{e.index(i), chainOfAll}),
            lanes);
        for (int64_t v = 0; v < group.vectors; ++v)
          sums.push_back(layout.hasZeros
                             ? e.create<arith::MulFOp>(first, zeros[v])
                             : first);
      }
      Value firstWord = e.times(c, wordsOfChain),
            k = e.times(chainOfAll, chain);
      constexpr int64_t unroll = 4;
      auto step = [&](Value w, Emitter::Values &sums) {
        addWord(group, record, e.plus(firstWord, w),
                e.plus(k, e.times(w, perWord)), sums);
      };
      sums = e.sumLoop(words, std::min(unroll, words), sums, step);
      for (auto [i, total] : llvm::enumerate(totals))
        total = e.multiplyAdd(sums[i], scales[i % group.vectors], total);
      return totals;
    };
    int64_t whole = count / chain, rest = count % chain;
    totals =
        e.loop(e.index(0), e.index(whole), 1, totals,
               [&](Value c, ValueRange carried) {
                 return addChain(c, wordsOfChain, Emitter::Values(carried));
               });
    if (rest)
      totals =
          addChain(e.index(whole), llvm::divideCeil(rest, perWord), totals);
    return totals;
  }
};

} // namespace

void emitPackedFloats(Emitter &e, kernel::PackedMatmulOp op,
                      const kernel::Target &target) {
  PackedFloats(e, op, target).run();
}

} // namespace weir::cpu
