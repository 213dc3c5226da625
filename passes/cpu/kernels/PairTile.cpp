// Register tiles of a product of pairs.

#include "passes/cpu/kernels/PairTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

using kernel::Pairs;

int64_t PairTile::chainOf(int64_t depth, int64_t chain) {
  // Of few terms, what pairs round more of is as much of one chain as of
  // several.
  constexpr int64_t fewTerms = 128;
  return depth < fewTerms ? std::min(chain, fewTerms / 4) : chain;
}

Value PairTile::weights(Value line, int64_t v) {
  return e.load(b, {panel, line, e.index(v * lanes)}, lanes, lanes);
}

Value PairTile::ofRow(Value buffer, int64_t i) {
  Value at = e.plus(left.lineOf(slot), i);
  return e.splat(e.create<memref::LoadOp>(buffer, at), lanes);
}

// Sums of `count` things that begin with some values, of about `most` at a
// time, while the others wait in memory. `terms` adds one.
Emitter::Values PairTile::inChains(int64_t count, int64_t most,
                                   Emitter::Values begin, Terms terms) {
  Emitter::Values zeros(begin.size(), e.zeros(e.getF32Type(), lanes));
  auto part = [&](Value first, Value end) {
    return e.loop(first, end, 1, zeros, [&](Value i, ValueRange carried) {
      Emitter::Values sums(carried);
      terms(i, sums);
      return sums;
    });
  };
  EvenSplit parts(count, most + most / 2);
  if (parts.count > 1)
    parts.setCount(count, (count + most / 2) / most);
  auto addTo = [&](Emitter::Values sums, ValueRange others) {
    for (auto [sum, other] : llvm::zip_equal(sums, others))
      sum = e.sum(sum, other);
    return sums;
  };
  if (parts.count == 1)
    return addTo(part(e.index(0), e.index(count)), begin);
  Value memory = e.stack({int64_t(begin.size()), lanes}, e.getF32Type());
  auto store = [&](ValueRange sums) {
    for (auto [i, sum] : llvm::enumerate(sums))
      e.store(sum, memory, {e.index(i), e.index(0)}, lanes);
  };
  auto stored = [&] {
    Emitter::Values sums;
    for (size_t i = 0; i < begin.size(); ++i)
      sums.push_back(e.load(memory, {e.index(i), e.index(0)}, lanes, lanes));
    return sums;
  };
  store(begin);
  // Nothing is carried from part to part: LLVM would spill it.
  e.loop(parts.count, [&](Value p) {
    Value first = e.beginOf(parts, p);
    Emitter::Values sums =
        part(first, e.plus(first, e.sizeOf(parts, p, first)));
    store(addTo(sums, stored()));
  });
  return stored();
}

// The sums of a group of terms from `k` on, by lines of `left` from `lines` on:
// an index for each vector of columns. All that a multiplication or addition
// reads of the left side it loads itself, as a load for several would take a
// turn of their pipes; so LLVM must not see that these are one.
void PairTile::addGroup(ArrayRef<Value> lines, Value k, Emitter::Values &sums) {
  for (bool second : {false, true}) {
    Value first = e.plus(k, second ? Pairs::group / 2 : 0);
    Emitter::Values y[3];
    for (int64_t t = 0; t < 3; ++t)
      for (int64_t v = 0; v < vectors; ++v)
        y[t].push_back(weights(e.plus(first, t), v));
    for (int64_t i = 0; i < height; ++i)
      for (int64_t v = 0; v < vectors; ++v) {
        auto x = [&](int64_t t) {
          return e.splat(e.create<memref::LoadOp>(
                             left.scaled,
                             ValueRange{e.plus(lines[v], i), e.plus(first, t)}),
                         lanes);
        };
        Value &sum = sums[i * vectors + v];
        if (second) {
          Value one = e.create<arith::SubFOp>(y[1][v], x(0));
          Value other = e.create<arith::SubFOp>(y[0][v], x(1));
          sum = e.multiplyAdd(e.create<arith::NegFOp>(one), other, sum);
        } else {
          sum = e.multiplyAdd(e.sum(y[1][v], x(0)), e.sum(y[0][v], x(1)), sum);
        }
        sum = e.multiplyAdd(x(2), y[2][v], sum);
      }
    e.compilerFence();
  }
}

Emitter::Values PairTile::byPairs(function_ref<void(Value)> ahead) {
  int64_t depth = left.depth;
  // Each of the one before, or LLVM would see that they are equal.
  SmallVector<Value> lines = {left.lineOf(slot)};
  while (int64_t(lines.size()) < vectors)
    lines.push_back(e.opaque(lines.back()));
  Emitter::Values alone;
  for (int64_t v = 0; v < vectors; ++v)
    alone.push_back(weights(e.index(depth), v));
  Emitter::Values sums;
  for (int64_t i = 0; i < height; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(
          e.create<arith::NegFOp>(e.sum(ofRow(left.alone, i), alone[v])));
  sums =
      inChains(depth / Pairs::group, std::max<int64_t>(1, chain / Pairs::group),
               sums, [&](Value group, Emitter::Values &sums) {
                 ahead(group);
                 addGroup(lines, e.times(group, Pairs::group), sums);
               });
  for (int64_t k = Pairs::grouped(depth); k < depth; ++k)
    for (int64_t v = 0; v < vectors; ++v) {
      Value y = weights(e.index(k), v);
      for (int64_t i = 0; i < height; ++i) {
        Value x = e.create<memref::LoadOp>(
            left.scaled, ValueRange{e.plus(lines[0], i), e.index(k)});
        Value &sum = sums[i * vectors + v];
        sum = e.multiplyAdd(e.splat(x, lanes), y, sum);
      }
    }
  for (int64_t v = 0; v < vectors; ++v) {
    Value scale = weights(e.index(depth + 1), v);
    for (int64_t i = 0; i < height; ++i) {
      Value &sum = sums[i * vectors + v];
      sum = e.create<arith::MulFOp>(sum, scale);
      sum = e.create<arith::MulFOp>(sum, ofRow(left.scales, i));
    }
  }
  return sums;
}

// By the weights as they were. Rows keep what scale they have, if any.
Emitter::Values PairTile::byProducts() {
  Emitter::Values scales;
  for (int64_t v = 0; v < vectors; ++v)
    scales.push_back(weights(e.index(left.depth + 1), v));
  Value line = left.lineOf(slot);
  Emitter::Values begin(height * vectors, e.zeros(e.getF32Type(), lanes));
  Emitter::Values sums =
      inChains(left.depth, chain, begin, [&](Value k, Emitter::Values &sums) {
        Emitter::Values y;
        for (int64_t v = 0; v < vectors; ++v)
          y.push_back(e.create<arith::MulFOp>(weights(k, v), scales[v]));
        for (int64_t i = 0; i < height; ++i) {
          Value x = e.splat(e.create<memref::LoadOp>(
                                left.scaled, ValueRange{e.plus(line, i), k}),
                            lanes);
          for (int64_t v = 0; v < vectors; ++v) {
            Value &sum = sums[i * vectors + v];
            sum = e.multiplyAdd(x, y[v], sum);
          }
        }
      });
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = e.create<arith::MulFOp>(sum, ofRow(left.scales, i / vectors));
  return sums;
}

Emitter::Values PairTile::sums(function_ref<void(Value)> ahead) {
  auto type = VectorType::get(lanes, e.getF32Type());
  SmallVector<Type> types(height * vectors, type);
  auto choice = e.create<scf::IfOp>(types, left.fit(slot));
  OpBuilder::InsertionGuard guard(e);
  e.createBlock(&choice.getThenRegion());
  e.create<scf::YieldOp>(byPairs(ahead));
  e.createBlock(&choice.getElseRegion());
  e.create<scf::YieldOp>(byProducts());
  return Emitter::Values(choice.getResults());
}

} // namespace weir
