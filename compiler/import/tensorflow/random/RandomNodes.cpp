// Random numbers: TensorFlow's generator, Philox 4x32-10, whose numbers depend
// on the seeds and on the place in the result alone. They are computed by ops
// on whole tensors, so that they fuse with what uses them. A library gives in
// each run the numbers of TensorFlow's first; without seeds, those of seeds 0.

#include "compiler/import/tensorflow/random/Random.h"

#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace {

// The constants of the generator: multipliers, and what is added to the key
// from round to round.
constexpr uint64_t multipliers[2] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t increments[2] = {0x9E3779B9, 0xBB67AE85};
constexpr int rounds = 10;

struct Seeds {
  uint64_t key = 0, counter = 0;
};

Seeds seedsOf(Node &node) {
  return {static_cast<uint64_t>(node.intAttr("seed")),
          static_cast<uint64_t>(node.intAttr("seed2"))};
}

Expr bitAnd(Expr x, uint32_t mask) {
  return apply<graph::BitwiseAndOp>(x, x.like(mask));
}
Expr bitOr(Expr x, Expr y) { return apply<graph::BitwiseOrOp>(x, y); }
Expr bitXor(Expr x, Expr y) { return apply<graph::BitwiseXorOp>(x, y); }
Expr shiftLeft(Expr x, int by) {
  return apply<graph::ShiftLeftOp>(x, x.like(by));
}
Expr shiftRight(Expr x, int by) {
  return apply<graph::ShiftRightOp>(x, x.like(by));
}

/// The first `count` numbers of 32 bits, or somewhat more, as ui64 of shape
/// [groups, 4].
Expr philox(Node &node, Seeds seeds, int64_t count) {
  ImplicitLocOpBuilder &b = node.b;
  Type type = b.getIntegerType(64, /*isSigned=*/false);
  int64_t groups = llvm::divideCeil(count, 4);
  Expr index(b, make<graph::IotaOp>(b, RankedTensorType::get({groups}, type),
                                    /*axis=*/0));
  Expr x[4] = {bitAnd(index, UINT32_MAX), shiftRight(index, 32),
               index.like(static_cast<uint32_t>(seeds.counter)),
               index.like(static_cast<double>(seeds.counter >> 32))};
  uint32_t key[2] = {static_cast<uint32_t>(seeds.key),
                     static_cast<uint32_t>(seeds.key >> 32)};
  for (int round = 0; round < rounds; ++round) {
    Expr first = x[0] * static_cast<double>(multipliers[0]),
         second = x[2] * static_cast<double>(multipliers[1]);
    Expr next[4] = {
        bitXor(bitXor(shiftRight(second, 32), x[1]), index.like(key[0])),
        bitAnd(second, UINT32_MAX),
        bitXor(bitXor(shiftRight(first, 32), x[3]), index.like(key[1])),
        bitAnd(first, UINT32_MAX)};
    std::copy(std::begin(next), std::end(next), std::begin(x));
    for (int k : {0, 1})
      key[k] += increments[k];
  }
  SmallVector<Expr> columns;
  for (Expr word : x)
    columns.push_back(reshape(broadcast(word, {groups}), {groups, 1}));
  return concat(columns, 1);
}

/// Numbers of 64 bits of pairs, the first of each the lower half or, as
/// floats are made, the upper.
Expr pairs(Expr words, bool firstIsLow) {
  int64_t count = words.type().getNumElements() / 2;
  words = reshape(words, {count, 2});
  Expr first = reshape(slice(words, 1, 0, 1), {count}),
       second = reshape(slice(words, 1, 1, 1), {count});
  return firstIsLow ? bitOr(first, shiftLeft(second, 32))
                    : bitOr(shiftLeft(first, 32), second);
}

Expr firstOf(Expr x, int64_t count, ArrayRef<int64_t> shape) {
  return reshape(slice(reshape(x, {x.type().getNumElements()}), 0, 0, count),
                 shape);
}

/// Numbers of the float `type` in [0, 1): random bits behind the exponent of
/// 1, less 1.
Expr uniform(Node &node, Expr words, FloatType type) {
  ImplicitLocOpBuilder &b = node.b;
  unsigned width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1;
  Expr bits = width == 64 ? pairs(bitAnd(words, UINT32_MAX), false) : words;
  Type whole = b.getIntegerType(width, /*isSigned=*/false);
  // The exponent of 1 is its sign-less bits below the fraction's.
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
  Expr number(b,
              make<graph::BitcastOp>(b, bits.type().clone(type), bits.value));
  return number - 1.0;
}

/// The shape, a constant operand, and its number of elements.
FailureOr<int64_t> shapeOf(Node &node, Integers &shape) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto numbers = node.integers(0);
  if (failed(numbers))
    return failure();
  shape = *numbers;
  auto count = countOrError(node, shape);
  // The generator makes up to four numbers of 32 bits for each.
  if (succeeded(count) && *count > int64_t(1) << 48)
    return node.error() << "cannot make " << *count << " random numbers";
  return count;
}

LogicalResult importUniform(Node &node) {
  Integers shape;
  auto count = shapeOf(node, shape);
  if (failed(count))
    return failure();
  auto type = dyn_cast_or_null<FloatType>(node.typeAttr("dtype"));
  if (!type)
    return node.unsupported("its element type");
  int64_t words = type.getWidth() == 64 ? 2 * *count : *count;
  Expr bits = philox(node, seedsOf(node), std::max<int64_t>(words, 1));
  return give(node, firstOf(uniform(node, bits, type), *count, shape));
}

/// Integers from a minimum up to, not including, a maximum.
LogicalResult importUniformInt(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Integers shape;
  auto count = shapeOf(node, shape);
  if (failed(count))
    return failure();
  Expr low = operand(node, 1), high = operand(node, 2);
  Type type = low.elementType();
  bool isWide = type.isInteger(64);
  if (low.rank() != 0 || high.type() != low.type() ||
      !(isWide || type.isInteger(32)))
    return node.error() << "has no range from " << low.type() << " to "
                        << high.type();
  ImplicitLocOpBuilder &b = node.b;
  Expr words = philox(node, seedsOf(node),
                      std::max<int64_t>(isWide ? 2 * *count : *count, 1));
  Expr bits = firstOf(isWide ? pairs(words, true) : words, *count, shape);
  // The span as an unsigned number, which holds the widest.
  Type narrow = b.getIntegerType(isWide ? 64 : 32, /*isSigned=*/false);
  Expr span = cast(cast(high - low, narrow), bits.elementType());
  return give(node, low + cast(apply<graph::FloorModOp>(bits, span), type));
}

/// Two normal numbers from two uniform ones, by their polar coordinates.
LogicalResult importNormal(Node &node) {
  Integers shape;
  auto count = shapeOf(node, shape);
  if (failed(count))
    return failure();
  auto type = dyn_cast_or_null<FloatType>(node.typeAttr("dtype"));
  if (!type)
    return node.unsupported("its element type");
  ImplicitLocOpBuilder &b = node.b;
  // Short floats are rounded from f32.
  bool isWide = type.getWidth() == 64;
  FloatType work = isWide ? b.getF64Type() : b.getF32Type();
  int64_t couples = std::max<int64_t>(llvm::divideCeil(*count, 2), 1);
  Expr words = philox(node, seedsOf(node), couples * (isWide ? 4 : 2));
  Expr numbers = uniform(node, words, work);
  if (!numbers)
    return give(node, numbers);
  couples = numbers.type().getNumElements() / 2;
  numbers = reshape(numbers, {couples, 2});
  Expr u = slice(numbers, 1, 0, 1), v = slice(numbers, 1, 1, 1);
  u = maximum(u, u.like(1e-7));
  Expr radius = apply<graph::SqrtOp>(apply<graph::LogOp>(u) * -2.0);
  Expr angle = v * (2 * M_PI);
  Expr both = concat({apply<graph::SinOp>(angle) * radius,
                      apply<graph::CosOp>(angle) * radius},
                     1);
  return give(node, cast(firstOf(both, *count, shape), type));
}

/// The generator once more, on numbers: for what is decided now.
class Stream {
public:
  explicit Stream(Seeds seeds) : seeds(seeds) {}

  uint32_t next() {
    if (used == 4)
      refill();
    return words[used++];
  }

private:
  void refill() {
    uint32_t x[4] = {static_cast<uint32_t>(group),
                     static_cast<uint32_t>(group >> 32),
                     static_cast<uint32_t>(seeds.counter),
                     static_cast<uint32_t>(seeds.counter >> 32)};
    uint32_t key[2] = {static_cast<uint32_t>(seeds.key),
                       static_cast<uint32_t>(seeds.key >> 32)};
    for (int round = 0; round < rounds; ++round) {
      uint64_t first = multipliers[0] * x[0], second = multipliers[1] * x[2];
      uint32_t next[4] = {static_cast<uint32_t>(second >> 32) ^ x[1] ^ key[0],
                          static_cast<uint32_t>(second),
                          static_cast<uint32_t>(first >> 32) ^ x[3] ^ key[1],
                          static_cast<uint32_t>(first)};
      std::copy(std::begin(next), std::end(next), std::begin(x));
      for (int k : {0, 1})
        key[k] += increments[k];
    }
    std::copy(std::begin(x), std::end(x), std::begin(words));
    ++group;
    used = 0;
  }

  Seeds seeds;
  uint64_t group = 0;
  uint32_t words[4] = {};
  int used = 4;
};

/// The rows in an order that the seeds decide, and so now.
LogicalResult importShuffle(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  if (x.rank() == 0 || x.size(0) < 2)
    return give(node, x);
  if (x.size(0) > (1 << 24))
    return node.unsupported("more than 2^24 rows");
  Integers order(x.size(0));
  std::iota(order.begin(), order.end(), 0);
  Stream stream(seedsOf(node));
  for (size_t i = 0; i + 1 < order.size(); ++i)
    std::swap(
        order[i],
        order[i + stream.next() % static_cast<uint32_t>(order.size() - i)]);
  return give(node, gather(x, integers(node, node.b.getI64Type(), order), 0));
}

} // namespace

void weir::tensorflow::addRandomHandlers(Handlers &handlers) {
  handlers["RandomUniform"] = importUniform;
  handlers["RandomUniformInt"] = importUniformInt;
  handlers["RandomStandardNormal"] = importNormal;
  handlers["RandomShuffle"] = importShuffle;
}
