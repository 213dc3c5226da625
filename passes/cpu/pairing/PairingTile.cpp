// The register tiles of a product by inner-product pairing.

#include "passes/cpu/pairing/PairingTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

using kernel::PairingScheme;

Value PairingTile::weights(Value line, int64_t v) {
  return e.load(b, {panel, line, e.index(v * lanes)}, lanes, lanes);
}

// Whether the panel is eligible for pairing.
Value PairingTile::isPanelEligible() {
  Value corrections = e.create<memref::LoadOp>(
      b, ValueRange{panel, e.index(left.depth), e.index(0)});
  return e.create<arith::CmpFOp>(arith::CmpFPredicate::ORD, corrections,
                                 corrections);
}

Value PairingTile::ofRow(Value buffer, int64_t i) {
  Value at = e.plus(left.lineOf(slot), i);
  return e.splat(e.create<memref::LoadOp>(buffer, at), lanes);
}

Emitter::Values PairingTile::zeros() {
  return Emitter::Values(height * vectors, e.zeros(e.getF32Type(), lanes));
}

struct PairingTile::Spilled {
  Emitter &e;
  Value memory; // sums x lanes, at `place`
  Emitter::Values position;
  int64_t count, lanes;

  Spilled(Emitter &e, ValueRange begin)
      : e(e), count(int64_t(begin.size())),
        lanes(cast<VectorType>(begin[0].getType()).getNumElements()) {
    memory = e.stack({count, lanes}, e.getF32Type());
    set(begin);
  }
  Spilled(Emitter &e, Value memory, Emitter::Values position, int64_t count)
      : e(e), memory(memory), position(std::move(position)), count(count),
        lanes(e.shape(memory).back()) {}

  Emitter::Values at(int64_t i) {
    Emitter::Values at(position);
    at.append({e.index(i), e.index(0)});
    return at;
  }
  void set(ValueRange sums) {
    for (auto [i, sum] : llvm::enumerate(sums))
      e.store(sum, memory, at(int64_t(i)), lanes);
  }
  Emitter::Values get() {
    Emitter::Values sums;
    for (int64_t i = 0; i < count; ++i)
      sums.push_back(e.load(memory, at(i), lanes, lanes));
    return sums;
  }
  void add(ValueRange others) {
    Emitter::Values sums = get();
    for (auto [sum, other] : llvm::zip_equal(sums, others))
      sum = e.sum(sum, other);
    set(sums);
  }
};

PairingTile::Spilled PairingTile::spilledSums() {
  return Spilled(e, spilled, {slot, panel}, height * vectors);
}

// `terms` adds one of what is added up.
Emitter::Values PairingTile::sumOf(Value first, Value end, Terms terms) {
  return e.loop(first, end, 1, zeros(), [&](Value i, ValueRange carried) {
    Emitter::Values sums(carried);
    terms(i, sums);
    return sums;
  });
}

// Nothing is carried from part to part: LLVM would spill it.
void PairingTile::addParts(const Chains &chains, Value first, Value end,
                           Spilled &to, Terms terms) {
  e.loop(first, end, 1, [&](Value part) {
    Value low = e.beginOf(chains.parts, part);
    to.add(sumOf(low, e.plus(low, e.sizeOf(chains.parts, part, low)), terms));
  });
}

void PairingTile::addRounds(const Chains &chains, Value low, Value high,
                            Spilled &to, Terms terms) {
  e.loop(low, high, 1, [&](Value round) {
    Spilled some(e, zeros());
    Value first = e.beginOf(chains.rounds, round);
    Value end = e.plus(first, e.sizeOf(chains.rounds, round, first));
    addParts(chains, first, end, some, terms);
    to.add(some.get());
  });
}

// All sums, which begin with some values.
Emitter::Values PairingTile::inChains(const Chains &chains,
                                      Emitter::Values begin, Terms terms) {
  const EvenSplit &parts = chains.parts;
  if (parts.count == 1) {
    Emitter::Values sums = sumOf(e.index(0), e.index(parts.size), terms);
    for (auto [sum, first] : llvm::zip_equal(sums, begin))
      sum = e.sum(sum, first);
    return sums;
  }
  Spilled all(e, begin);
  if (chains.rounds.count == 1)
    addParts(chains, e.index(0), e.index(parts.count), all, terms);
  else
    addRounds(chains, e.index(0), e.index(chains.rounds.count), all, terms);
  return all.get();
}

// The sums of a group of terms from `k` on, by lines of `left` from `lines` on:
// an index for each vector of columns.
void PairingTile::addGroup(ArrayRef<Value> lines, Value k,
                           Emitter::Values &sums) {
  for (bool second : {false, true}) {
    Value first = e.plus(k, second ? PairingScheme::group / 2 : 0);
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
    if (reusesLoads) {
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

void PairingTile::withGroups(Ahead ahead, function_ref<void(Terms)> body) {
  // Each of the one before, or LLVM would see that they are equal.
  SmallVector<Value> lines = {left.lineOf(slot)};
  while (int64_t(lines.size()) < vectors)
    lines.push_back(e.opaque(lines.back()));
  body([&](Value group, Emitter::Values &sums) {
    ahead(group);
    addGroup(lines, e.times(group, PairingScheme::group), sums);
  });
}

// What is alone, to be subtracted.
Emitter::Values PairingTile::begins() {
  Emitter::Values corrections, sums;
  for (int64_t v = 0; v < vectors; ++v)
    corrections.push_back(weights(e.index(left.depth), v));
  for (int64_t i = 0; i < height; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(e.create<arith::NegFOp>(
          e.sum(ofRow(left.corrections, i), corrections[v])));
  return sums;
}

void PairingTile::addRounds(Value low, Value high, Ahead ahead) {
  auto none = [&] {};
  e.ifElse(
      e.create<arith::AndIOp>(isPanelEligible(), left.anyEligible(slot)),
      [&] {
        Value isFirst =
            e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, low, e.index(0));
        Spilled sums = spilledSums();
        e.ifElse(isFirst, [&] { sums.set(begins()); }, none);
        withGroups(ahead, [&](Terms terms) {
          addRounds(chains, low, high, sums, terms);
        });
      },
      none);
}

Emitter::Values PairingTile::byPairing(Ahead ahead) {
  Emitter::Values sums;
  withGroups(ahead,
             [&](Terms terms) { sums = inChains(chains, begins(), terms); });
  return ended(sums);
}

// With the terms after the last group, and without the scales.
Emitter::Values PairingTile::ended(Emitter::Values sums) {
  int64_t depth = left.depth;
  Value line = left.lineOf(slot);
  for (int64_t k = PairingScheme::grouped(depth); k < depth; ++k)
    for (int64_t v = 0; v < vectors; ++v) {
      Value y = weights(e.index(k), v);
      for (int64_t i = 0; i < height; ++i) {
        Value x = e.create<memref::LoadOp>(
            left.scaled, ValueRange{e.plus(line, i), e.index(k)});
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

// By the weights as they were and the rows as they were: products of what is
// scaled may leave the range that these stay in.
Emitter::Values PairingTile::byProducts() {
  Emitter::Values scales, rowScales;
  for (int64_t i = 0; i < height; ++i)
    rowScales.push_back(ofRow(left.scales, i));
  for (int64_t v = 0; v < vectors; ++v)
    scales.push_back(weights(e.index(left.depth + 1), v));
  Value line = left.lineOf(slot);
  return inChains(plainChains, zeros(), [&](Value k, Emitter::Values &sums) {
    Emitter::Values y;
    for (int64_t v = 0; v < vectors; ++v)
      y.push_back(e.create<arith::MulFOp>(weights(k, v), scales[v]));
    for (int64_t i = 0; i < height; ++i) {
      Value x = e.splat(
          e.create<memref::LoadOp>(left.scaled, ValueRange{e.plus(line, i), k}),
          lanes);
      x = e.create<arith::MulFOp>(x, rowScales[i]);
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = sums[i * vectors + v];
        sum = e.multiplyAdd(x, y[v], sum);
      }
    }
  });
}

Emitter::Values PairingTile::sums(Ahead ahead) {
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
  Value isEligible = isPanelEligible();
  Emitter::Values viaPairing = choose(
      e.create<arith::AndIOp>(isEligible, left.anyEligible(slot)),
      [&] { return spilled ? ended(spilledSums().get()) : byPairing(ahead); },
      [&] { return zeros(); });
  auto ofEachRow = [&] {
    Emitter::Values sums = byProducts();
    for (int64_t i = 0; i < height; ++i) {
      Value eligible = e.create<arith::AndIOp>(
          isEligible, left.isEligible(e.plus(left.lineOf(slot), i)));
      for (int64_t at = i * vectors; at < (i + 1) * vectors; ++at)
        sums[at] =
            e.create<arith::SelectOp>(eligible, viaPairing[at], sums[at]);
    }
    return sums;
  };
  return choose(
      e.create<arith::AndIOp>(isEligible, left.allEligible(slot)),
      [&] { return viaPairing; }, ofEachRow);
}

} // namespace weir::cpu
