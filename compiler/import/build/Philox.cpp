// The generator of random numbers, and floats made of its bits.

#include "compiler/import/build/Philox.h"

#include "compiler/import/Trained.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

// The constants of the generator: multipliers, and what is added to the key
// from round to round.
constexpr uint64_t multipliers[2] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t increments[2] = {0x9E3779B9, 0xBB67AE85};
constexpr int rounds = 10;

static Expr bitAnd(Expr x, uint32_t mask) {
  return apply<graph::BitwiseAndOp>(x, x.like(mask));
}
static Expr bitOr(Expr x, Expr y) { return apply<graph::BitwiseOrOp>(x, y); }
static Expr bitXor(Expr x, Expr y) { return apply<graph::BitwiseXorOp>(x, y); }
static Expr shiftLeft(Expr x, int by) {
  return apply<graph::ShiftLeftOp>(x, x.like(by));
}
static Expr shiftRight(Expr x, int by) {
  return apply<graph::ShiftRightOp>(x, x.like(by));
}

Expr wide(ImplicitLocOpBuilder &b, uint64_t number) {
  auto type = RankedTensorType::get({}, b.getIntegerType(64, false));
  return Expr(b, b.create<graph::ConstantOp>(
                     DenseElementsAttr::get(type, APInt(64, number))));
}

Generator ofStep(ImplicitLocOpBuilder &b, Generator generator) {
  if (Value steps = stepsSoFar(b, b.getLoc())) {
    // An odd number, so that no two steps have one key.
    Expr moved = wide(b, 0x9E3779B97F4A7C15) *
                 cast(Expr(b, steps), generator.key.elementType());
    generator.key = generator.key + moved;
  }
  return generator;
}

std::array<Expr, 4> wordsAt(const Generator &generator, Expr steps) {
  Expr low = steps, high = generator.high;
  if (generator.low) {
    low = low + generator.low;
    Expr carries = apply<graph::LessOp>(low, generator.low);
    high = high + cast(carries, low.elementType());
  }
  std::array<Expr, 4> x = {bitAnd(low, UINT32_MAX), shiftRight(low, 32),
                           bitAnd(high, UINT32_MAX), shiftRight(high, 32)};
  Expr keys[2] = {bitAnd(generator.key, UINT32_MAX),
                  shiftRight(generator.key, 32)};
  for (int round = 0; round < rounds; ++round) {
    Expr first = x[0] * static_cast<double>(multipliers[0]),
         second = x[2] * static_cast<double>(multipliers[1]);
    x = {bitXor(bitXor(shiftRight(second, 32), x[1]), keys[0]),
         bitAnd(second, UINT32_MAX),
         bitXor(bitXor(shiftRight(first, 32), x[3]), keys[1]),
         bitAnd(first, UINT32_MAX)};
    for (int k : {0, 1})
      keys[k] =
          bitAnd(keys[k] + static_cast<double>(increments[k]), UINT32_MAX);
  }
  return x;
}

Expr wordsOf(ImplicitLocOpBuilder &b, const Generator &generator,
             int64_t count) {
  Type type = b.getIntegerType(64, /*isSigned=*/false);
  int64_t groups = llvm::divideCeil(std::max<int64_t>(count, 1), 4);
  Expr steps(b, make<graph::IotaOp>(b, RankedTensorType::get({groups}, type),
                                    /*axis=*/0));
  SmallVector<Expr> columns;
  for (Expr word : wordsAt(generator, steps))
    columns.push_back(reshape(broadcast(word, {groups}), {groups, 1}));
  return concat(columns, 1);
}

Expr joined(Expr first, Expr second, bool firstIsLow) {
  return firstIsLow ? bitOr(first, shiftLeft(second, 32))
                    : bitOr(shiftLeft(first, 32), second);
}

Expr pairs(Expr words, bool firstIsLow) {
  int64_t count = words.type().getNumElements() / 2;
  words = reshape(words, {count, 2});
  return joined(reshape(slice(words, 1, 0, 1), {count}),
                reshape(slice(words, 1, 1, 1), {count}), firstIsLow);
}

Expr unitFloats(Expr bits, FloatType type) {
  ImplicitLocOpBuilder &b = *bits.b;
  unsigned width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1;
  Type whole = b.getIntegerType(width, /*isSigned=*/false);
  // Random bits behind the exponent of 1, less 1. The exponent is the bits of 1
  // without those of the fraction.
  uint64_t one = llvm::APFloat(type.getFloatSemantics(), 1)
                     .bitcastToAPInt()
                     .getZExtValue() >>
                 fraction;
  // Shifted up and down again, so that no constant needs 64 bits.
  int above = 64 - static_cast<int>(fraction);
  bits = shiftRight(shiftLeft(bits, above), above);
  bits = bitOr(bits, shiftLeft(bits.like(static_cast<double>(one)),
                               static_cast<int>(fraction)));
  bits = cast(bits, whole);
  if (!bits)
    return {};
  return Expr(b,
              make<graph::BitcastOp>(b, bits.type().clone(type), bits.value)) -
         1.0;
}

Expr uniform(Expr words, FloatType type) {
  return unitFloats(type.getWidth() == 64 ? pairs(words, false) : words, type);
}

std::pair<Expr, Expr> normals(Expr u, Expr v) {
  u = maximum(u, u.like(1e-7));
  Expr radius = apply<graph::SqrtOp>(apply<graph::LogOp>(u) * -2.0);
  Expr angle = v * (2 * M_PI);
  return {apply<graph::SinOp>(angle) * radius,
          apply<graph::CosOp>(angle) * radius};
}

uint32_t Stream::next() {
  if (used < 4)
    return words[used++];
  uint32_t x[4] = {
      static_cast<uint32_t>(group), static_cast<uint32_t>(group >> 32),
      static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32)};
  uint32_t keys[2] = {static_cast<uint32_t>(key),
                      static_cast<uint32_t>(key >> 32)};
  for (int round = 0; round < rounds; ++round) {
    uint64_t first = multipliers[0] * x[0], second = multipliers[1] * x[2];
    uint32_t next[4] = {static_cast<uint32_t>(second >> 32) ^ x[1] ^ keys[0],
                        static_cast<uint32_t>(second),
                        static_cast<uint32_t>(first >> 32) ^ x[3] ^ keys[1],
                        static_cast<uint32_t>(first)};
    std::copy(std::begin(next), std::end(next), std::begin(x));
    for (int k : {0, 1})
      keys[k] += increments[k];
  }
  std::copy(std::begin(x), std::end(x), std::begin(words));
  ++group;
  used = 1;
  return words[0];
}

Expr firstOf(Expr x, int64_t count) {
  return slice(reshape(x, {x.type().getNumElements()}), 0, 0, count);
}

Expr uniformNumbers(const Generator &generator, int64_t count, FloatType type) {
  int64_t words = type.getWidth() == 64 ? 2 * count : count;
  return firstOf(uniform(wordsOf(*generator.key.b, generator, words), type),
                 count);
}

Expr normalNumbers(const Generator &generator, int64_t count, FloatType type) {
  ImplicitLocOpBuilder &b = *generator.key.b;
  // Short floats are rounded from f32.
  bool isWide = type.getWidth() == 64;
  FloatType work = isWide ? b.getF64Type() : b.getF32Type();
  int64_t couples = std::max<int64_t>(llvm::divideCeil(count, 2), 1);
  Expr words = wordsOf(b, generator, couples * (isWide ? 4 : 2));
  Expr numbers = uniform(words, work);
  if (!numbers)
    return {};
  numbers = reshape(numbers, {numbers.type().getNumElements() / 2, 2});
  auto [x, y] = normals(slice(numbers, 1, 0, 1), slice(numbers, 1, 1, 1));
  return cast(firstOf(concat({x, y}, 1), count), type);
}

} // namespace weir
