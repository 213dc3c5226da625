// Register tiles of a product of pairs.

#include "passes/cpu/pairs/PairTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

using kernel::Pairs;

Value PairTile::weights(Value line, int64_t v) {
  return e.load(b, {panel, line, e.index(v * lanes)}, lanes, lanes);
}

Value PairTile::ofRow(Value buffer, int64_t i) {
  Value at = e.plus(left.lineOf(slot), i);
  return e.splat(e.create<memref::LoadOp>(buffer, at), lanes);
}

namespace {

// Sums in memory.
struct Waiting {
  Emitter &e;
  Value memory; // sums x lanes

  Waiting(Emitter &e, ValueRange begin) : e(e) {
    auto type = cast<VectorType>(begin[0].getType());
    memory = e.stack({int64_t(begin.size()), type.getNumElements()},
                     type.getElementType());
    set(begin);
  }
  void set(ValueRange sums) {
    for (auto [i, sum] : llvm::enumerate(sums))
      e.store(sum, memory, {e.index(i), e.index(0)}, PairTile::lanes);
  }
  Emitter::Values get() {
    Emitter::Values sums;
    for (int64_t i = 0; i < e.shape(memory)[0]; ++i)
      sums.push_back(e.load(memory, {e.index(i), e.index(0)}, PairTile::lanes,
                            PairTile::lanes));
    return sums;
  }
  void add(ValueRange others) {
    Emitter::Values sums = get();
    for (auto [sum, other] : llvm::zip_equal(sums, others))
      sum = e.sum(sum, other);
    set(sums);
  }
};

// As few parts as there may be of half as much again, or of about `most`.
EvenSplit partsOf(int64_t count, int64_t most) {
  EvenSplit parts(count, most + most / 2);
  if (parts.count > 1)
    parts.setCount(count, (count + most / 2) / most);
  return parts;
}

} // namespace

// Sums of `count` things that begin with some values, of about `most` at a
// time, while the others wait in memory, and of many of those, some at a time:
// errors grow with the length of each chain of additions. `terms` adds one.
Emitter::Values PairTile::inChains(int64_t count, int64_t most,
                                   Emitter::Values begin, Terms terms) {
  constexpr int64_t together = 6;
  EvenSplit parts = partsOf(count, most);
  EvenSplit rounds = partsOf(parts.count, together);
  Emitter::Values zeros(begin.size(), e.zeros(e.getF32Type(), lanes));
  auto sumOf = [&](Value first, Value end) {
    return e.loop(first, end, 1, zeros, [&](Value i, ValueRange carried) {
      Emitter::Values sums(carried);
      terms(i, sums);
      return sums;
    });
  };
  if (parts.count == 1) {
    Emitter::Values sums = sumOf(e.index(0), e.index(count));
    for (auto [sum, first] : llvm::zip_equal(sums, begin))
      sum = e.sum(sum, first);
    return sums;
  }
  // Nothing is carried from part to part: LLVM would spill it.
  auto addParts = [&](Waiting &to, Value first, Value end) {
    e.loop(first, end, 1, [&](Value part) {
      Value low = e.beginOf(parts, part);
      to.add(sumOf(low, e.plus(low, e.sizeOf(parts, part, low))));
    });
  };
  Waiting all(e, begin);
  if (rounds.count == 1) {
    addParts(all, e.index(0), e.index(parts.count));
    return all.get();
  }
  e.loop(rounds.count, [&](Value round) {
    Waiting some(e, zeros);
    Value first = e.beginOf(rounds, round);
    addParts(some, first, e.plus(first, e.sizeOf(rounds, round, first)));
    all.add(some.get());
  });
  return all.get();
}

// The sums of a group of terms from `k` on, by lines of `left` from `lines` on:
// an index for each vector of columns.
void PairTile::addGroup(ArrayRef<Value> lines, Value k, Emitter::Values &sums) {
  for (bool second : {false, true}) {
    Value first = e.plus(k, second ? Pairs::group / 2 : 0);
    Emitter::Values y[3];
    auto hold = [&](int64_t t) {
      for (int64_t v = 0; v < vectors; ++v)
        y[t].push_back(weights(e.plus(first, t), v));
    };
    auto x = [&](int64_t i, int64_t v, int64_t t) {
      return e.splat(
          e.create<memref::LoadOp>(
              left.scaled, ValueRange{e.plus(lines[v], i), e.plus(first, t)}),
          lanes);
    };
    auto addPair = [&](Value &sum, int64_t v, Value x0, Value x1) {
      if (second) {
        Value one = e.create<arith::SubFOp>(y[1][v], x0);
        Value other = e.create<arith::SubFOp>(y[0][v], x1);
        sum = e.multiplyAdd(e.create<arith::NegFOp>(one), other, sum);
      } else {
        sum = e.multiplyAdd(e.sum(y[1][v], x0), e.sum(y[0][v], x1), sum);
      }
    };
    hold(0);
    hold(1);
    if (sharesLoads) {
      for (int64_t i = 0; i < height; ++i) {
        Value x0 = x(i, 0, 0), x1 = x(i, 0, 1);
        for (int64_t v = 0; v < vectors; ++v)
          addPair(sums[i * vectors + v], v, x0, x1);
        e.compilerFence();
      }
      hold(2);
      for (int64_t i = 0; i < height; ++i) {
        Value x2 = x(i, 0, 2);
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = sums[i * vectors + v];
          sum = e.multiplyAdd(x2, y[2][v], sum);
        }
      }
    } else {
      // All that a multiplication or addition reads of the left side it loads
      // itself, as a load for several would take a turn of their pipes; so LLVM
      // must not see that these are one.
      hold(2);
      for (int64_t i = 0; i < height; ++i)
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = sums[i * vectors + v];
          addPair(sum, v, x(i, v, 0), x(i, v, 1));
          sum = e.multiplyAdd(x(i, v, 2), y[2][v], sum);
        }
    }
    e.compilerFence();
  }
}

Emitter::Values PairTile::byPairs(function_ref<void(Value)> ahead) {
  int64_t depth = left.depth;
  int64_t most = depth < fewTerms ? chainOfFew : chain;
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
  sums = inChains(depth / Pairs::group, most / Pairs::group, sums,
                  [&](Value group, Emitter::Values &sums) {
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
  auto choose = [&](Value condition, function_ref<Emitter::Values()> then,
                    function_ref<Emitter::Values()> otherwise) {
    auto choice = e.create<scf::IfOp>(types, condition);
    OpBuilder::InsertionGuard guard(e);
    e.createBlock(&choice.getThenRegion());
    e.create<scf::YieldOp>(then());
    e.createBlock(&choice.getElseRegion());
    e.create<scf::YieldOp>(otherwise());
    return Emitter::Values(choice.getResults());
  };
  // Each row as it alone says, so that it is the same beside any others.
  Emitter::Values zeros(height * vectors, e.zeros(e.getF32Type(), lanes));
  Emitter::Values pairs = choose(
      left.anyFits(slot), [&] { return byPairs(ahead); },
      [&] { return zeros; });
  auto ofEachRow = [&] {
    Emitter::Values sums = byProducts();
    for (int64_t i = 0; i < height; ++i) {
      Value fits = left.fit(e.plus(left.lineOf(slot), i));
      for (int64_t at = i * vectors; at < (i + 1) * vectors; ++at)
        sums[at] = e.create<arith::SelectOp>(fits, pairs[at], sums[at]);
    }
    return sums;
  };
  return choose(left.allFit(slot), [&] { return pairs; }, ofEachRow);
}

} // namespace weir
