// Random numbers of one distribution, and random orders.

#include "compiler/import/tensorflow/random/RandomNodes.h"

#include "compiler/import/tensorflow/random/Random.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace weir::tensorflow {

Generator generatorOf(Node &node) {
  return ofStep(node.b,
                {wide(node.b, static_cast<uint64_t>(node.intAttr("seed"))),
                 Expr(),
                 wide(node.b, static_cast<uint64_t>(node.intAttr("seed2")))});
}

Expr truncatedNumbers(const Generator &generator, int64_t count,
                      FloatType type) {
  ImplicitLocOpBuilder &b = *generator.key.b;
  bool isWide = type.getWidth() == 64;
  FloatType work = isWide ? b.getF64Type() : b.getF32Type();
  // Each group of results takes the first that fit of a stretch of the
  // generator of its own: 256 words for each. Too few of these normal numbers
  // fit once in 10^13 groups.
  int64_t together = isWide ? 2 : 4, tried = isWide ? 12 : 16;
  int64_t groups = std::max<int64_t>(llvm::divideCeil(count, together), 1);
  int64_t steps = tried * (isWide ? 2 : 1) / 4;
  auto type64 =
      RankedTensorType::get({groups, steps}, b.getIntegerType(64, false));
  Expr group(b, make<graph::IotaOp>(b, type64, 0)),
      step(b, make<graph::IotaOp>(b, type64, 1));
  SmallVector<Expr> columns;
  for (Expr word : wordsAt(generator, group * (together * 64.0) + step))
    columns.push_back(
        reshape(broadcast(word, type64.getShape()), {groups, steps, 1}));
  Expr numbers =
      reshape(uniform(concat(columns, 2), work), {groups * tried / 2, 2});
  if (!numbers)
    return {};
  auto [x, y] = normals(slice(numbers, 1, 0, 1), slice(numbers, 1, 1, 1));
  Expr all = reshape(concat({x, y}, 1), {groups, tried});
  Expr fits = apply<graph::LessOp>(apply<graph::AbsOp>(all), all.like(2));
  Expr ranks = cast(fits, b.getI32Type());
  ranks = Expr(b, make<graph::CumulativeSumOp>(b, ranks.type(), ranks.value,
                                               uint64_t(1), /*exclusive=*/true,
                                               /*reverse=*/false));
  SmallVector<Expr> chosen;
  for (int64_t k = 0; k < together; ++k) {
    Expr own = apply<graph::EqualOp>(ranks, ranks.like(static_cast<double>(k)));
    own = apply<graph::LogicalAndOp>(own, fits);
    chosen.push_back(sum(select(own, all, all.like(0)), {1}, /*keep=*/true));
  }
  return cast(firstOf(concat(chosen, 1), count), type);
}

Expr integerNumbers(const Generator &generator, int64_t count, Expr low,
                    Expr high) {
  ImplicitLocOpBuilder &b = *generator.key.b;
  Type type = low.elementType();
  bool isWide = type.getIntOrFloatBitWidth() == 64;
  Expr words = wordsOf(b, generator, isWide ? 2 * count : count);
  Expr bits = firstOf(isWide ? pairs(words, true) : words, count);
  // The span as an unsigned number, which holds the widest.
  Type narrow = b.getIntegerType(isWide ? 64 : 32, /*isSigned=*/false);
  Expr span = cast(cast(high - low, narrow), bits.elementType());
  return low + cast(apply<graph::FloorModOp>(bits, span), type);
}

bool isFullInteger(Type type) {
  return isa<IntegerType>(type) && (type.getIntOrFloatBitWidth() == 32 ||
                                    type.getIntOrFloatBitWidth() == 64);
}

Expr fullIntegers(const Generator &generator, int64_t count, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  Expr words = wordsOf(*generator.key.b, generator, width / 32 * count);
  words = width == 64 ? pairs(words, true)
                      : reshape(words, {words.type().getNumElements()});
  return cast(slice(words, 0, 0, count), type);
}

LogicalResult checkRange(Node &node, Expr low, Expr high) {
  Type type = low.elementType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (low.rank() == 0 && high.type() == low.type() && isa<IntegerType>(type) &&
      (width == 32 || width == 64))
    return success();
  return node.error() << "has no range from " << low.type() << " to "
                      << high.type();
}

LogicalResult giveShaped(Node &node, MakeNumbers make, unsigned shapeAt) {
  if (failed(wantOperands(node, shapeAt + 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  for (unsigned i = 0; i < node.size(); ++i)
    if (i != shapeAt && node.traced(i).isBounded())
      return node.unsupported("parameters of a size known only at run time");
  Sizes sizes;
  if (node.tryConstant(shapeAt)) {
    auto shape = node.integers(shapeAt);
    if (failed(shape) || failed(countOrError(node, *shape)))
      return failure();
    for (int64_t size : *shape)
      sizes.push_back({size, {}});
  } else {
    auto given = sizesAt(node, shapeAt);
    if (failed(given))
      return failure();
    sizes = *given;
  }
  auto count = countOrError(node, boundsOf(sizes));
  if (failed(count))
    return failure();
  // The generator makes up to some tens of words for each.
  if (*count > int64_t(1) << 44)
    return node.error() << "cannot make " << *count << " random numbers";
  Expr exact = product(b, sizes, 0, sizes.size());
  Expr numbers = make(*count, exact);
  if (!numbers)
    return give(node, numbers);
  // The index of a number counts in the sizes, not in the bounds.
  Sizes row(1, Size{*count, {}});
  if (!knownNumber(exact.value))
    row[0].exact = exact.value;
  for (int64_t size : numbers.shape().drop_front()) {
    row.push_back({size, {}});
    sizes.push_back({size, {}});
  }
  return node.tracedResults(
      {reshapeBounded(b, withSizes(numbers.value, row), sizes)});
}

namespace {

template <auto numbers>
LogicalResult importFloats(Node &node) {
  auto type = dyn_cast_or_null<FloatType>(node.typeAttr("dtype"));
  if (!type)
    return node.unsupported("its element type");
  return giveShaped(node, [&](int64_t count, Expr) {
    return numbers(generatorOf(node), count, type);
  });
}

/// Integers from a minimum up to, not including, a maximum.
LogicalResult importUniformInt(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr low = operand(node, 1), high = operand(node, 2);
  if (failed(checkRange(node, low, high)))
    return failure();
  return giveShaped(node, [&](int64_t count, Expr) {
    return integerNumbers(generatorOf(node), count, low, high);
  });
}

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
  Stream stream(static_cast<uint64_t>(node.intAttr("seed")),
                static_cast<uint64_t>(node.intAttr("seed2")));
  for (size_t i = 0; i + 1 < order.size(); ++i)
    std::swap(
        order[i],
        order[i + stream.next() % static_cast<uint32_t>(order.size() - i)]);
  return give(node, gather(x, integers(node, node.b.getI64Type(), order), 0));
}

/// Where only the run knows how many rows there are: as random keys are
/// ordered, which is another order than TensorFlow's.
LogicalResult importBoundedShuffle(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes = sizesOf(node.traced(0));
  if (sizes.empty() || sizes[0].bound < 2)
    return node.tracedResults({node.traced(0)});
  int64_t rows = sizes[0].bound;
  Expr keys =
      slice(pairs(wordsOf(b, generatorOf(node), 2 * rows), true), 0, 0, rows);
  // Rows beyond the size stay there.
  keys = select(within(b, sizes[0]), keys, wide(b, UINT64_MAX));
  auto sort = b.create<graph::SortOp>(
      ValueRange{keys.value, iota(b, rows).value}, /*descending=*/false);
  Expr x = gather(operand(node, 0), Expr(b, sort.getOutputs()[1]), 0);
  return node.tracedResults({withSizes(x.value, sizes)});
}

} // namespace

void addRandomHandlers(Handlers &handlers) {
  handlers["RandomUniform"] = importFloats<uniformNumbers>;
  handlers["RandomStandardNormal"] = importFloats<normalNumbers>;
  handlers["TruncatedNormal"] = importFloats<truncatedNumbers>;
  handlers["RandomUniformInt"] = importUniformInt;
  handlers["RandomShuffle"] = importShuffle;
  addSampleHandlers(handlers);
  addStatelessHandlers(handlers);
}

void addBoundedRandomHandlers(BoundedHandlers &bounded) {
  // By the shape; of Multinomial by the number of samples.
  Handlers handlers;
  addRandomHandlers(handlers);
  for (const auto &entry : handlers)
    if (!entry.getKey().starts_with("StatelessRandomGet"))
      bounded[entry.getKey()] = {entry.getValue().run, {0}};
  for (const char *name : {"Multinomial", "StatelessMultinomial"})
    bounded[name].deciding = {1};
  bounded["RandomShuffle"] = importBoundedShuffle;
}

} // namespace weir::tensorflow
