// Packs run-time operands for inner-product pairing, as weir-pack-weights does
// with constants. Panels are copied, tested for eligibility, and scaled in
// place while they are in the caches. Threads share panels.

#include "passes/cpu/pairing/PairingPanels.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/pairing/PairingScales.h"

#include "dialects/kernel/PairingScheme.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace weir::cpu {
namespace {

using kernel::PairingScheme;

// Packs a panel row after row; each vector has as many columns as lanes.
struct PairingPanel {
  static constexpr int64_t turns = 2; // of sums of lines, which do not wait

  Emitter &e;
  Value panels, panel;
  int64_t depth;
  int64_t lanes, vectors = PairingScheme::panelWidth / lanes;

  // Of each column, sums of squares and how many elements are not zero; of
  // each lane, the bits of the largest magnitude.
  struct Looks {
    Emitter::Values squares, counts, most;
  };
  // The correction terms as two vectors of f64 each, and their squares. For
  // each lane: whether an element is off a fixed-point grid.
  struct Corrections {
    Emitter::Values sums, squares, uneven;
  };

  Value load(Value line, int64_t v) {
    return e.load(panels, {panel, line, e.index(v * lanes)}, lanes, lanes);
  }
  void store(Value vector, Value line, int64_t v) {
    e.store(vector, panels, {panel, line, e.index(v * lanes)}, lanes);
  }
  Value zero() { return e.zeros(e.getF32Type(), lanes); }
  Type words() { return VectorType::get(lanes, e.getI32Type()); }

  Value isSet(Value x) {
    return e.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, zero());
  }

  Looks look();
  Value least(Value most);
  Value scaled(Value line, int64_t v, Value factor, Value least, Value &uneven);
  Corrections scale(ArrayRef<Value> factors, Value least);
  Value floats(Value low, Value high);
  void finish();
};

PairingPanel::Looks PairingPanel::look() {
  int64_t each = turns * vectors;
  Emitter::Values begin(2 * each, zero());
  begin.append(each, e.zeros(e.getI32Type(), lanes));
  Value one = reals(e, 1, lanes), magnitude = integers(e, 0x7fffffff, lanes);
  auto lines = [&](int64_t count) {
    return [&, count](Value line, ValueRange carried) {
      Emitter::Values sums(carried);
      for (int64_t i = 0; i < count; ++i)
        for (int64_t v = 0; v < vectors; ++v) {
          int64_t at = i * vectors + v;
          Value x = load(e.plus(line, i), v);
          sums[at] = e.multiplyAdd(x, x, sums[at]);
          Value counts = e.create<arith::SelectOp>(isSet(x), one, zero());
          sums[each + at] = e.sum(sums[each + at], counts);
          Value bits = e.create<arith::AndIOp>(
              e.create<arith::BitcastOp>(words(), x), magnitude);
          sums[2 * each + at] =
              e.create<arith::MaxUIOp>(sums[2 * each + at], bits);
        }
      return sums;
    };
  };
  int64_t whole = depth / turns * turns;
  Emitter::Values sums =
      e.loop(e.index(0), e.index(whole), turns, begin, lines(turns));
  sums = e.loop(e.index(whole), e.index(depth), 1, sums, lines(1));
  Looks looks;
  for (int64_t v = 0; v < vectors; ++v) {
    looks.squares.push_back(e.sum(sums[v], sums[vectors + v]));
    looks.counts.push_back(e.sum(sums[each + v], sums[each + vectors + v]));
    looks.most.push_back(e.create<arith::MaxUIOp>(
        sums[2 * each + v], sums[2 * each + vectors + v]));
  }
  return looks;
}

// A float that holds, beside a multiple of itself, no less of an element than
// the steps of which the panel's largest has fewer than `fewSteps`.
Value PairingPanel::least(Value most) {
  static_assert(PairingScheme::fewSteps == 1 << 12);
  auto word = [&](int64_t value) -> Value {
    return e.create<arith::ConstantIntOp>(value, 32);
  };
  Value bits =
      e.create<vector::ReductionOp>(vector::CombiningKind::MAXUI, most);
  // 1.5 times 2^12 times the power of two that it is not below.
  Value exponent = e.create<arith::AddIOp>(
      e.create<arith::ShRUIOp>(bits, word(23)), word(12));
  Value made = e.create<arith::AddIOp>(
      e.create<arith::ShLIOp>(exponent, word(23)), word(1 << 22));
  return e.splat(e.create<arith::BitcastOp>(e.getF32Type(), made), lanes);
}

Value PairingPanel::scaled(Value line, int64_t v, Value factor, Value least,
                           Value &uneven) {
  Value x = load(line, v);
  Value rounded = e.create<arith::SubFOp>(e.sum(x, least), least);
  uneven = e.create<arith::OrIOp>(
      uneven, e.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, rounded, x));
  x = e.create<arith::MulFOp>(x, factor);
  store(x, line, v);
  return x;
}

PairingPanel::Corrections PairingPanel::scale(ArrayRef<Value> factors,
                                              Value least) {
  Value none = e.zeros(e.getF64Type(), lanes / 2);
  Emitter::Values begin(2 * vectors, none);
  begin.append(vectors, zero());
  begin.append(vectors, e.zeros(e.getI1Type(), lanes));
  SmallVector<int64_t> halves[2];
  for (int64_t i = 0; i < lanes / 2; ++i) {
    halves[0].push_back(i);
    halves[1].push_back(lanes / 2 + i);
  }
  int64_t grouped = PairingScheme::grouped(depth);
  Emitter::Values sums = e.loop(
      e.index(0), e.index(grouped), PairingScheme::group, begin,
      [&](Value line, ValueRange carried) {
        Emitter::Values sums(carried);
        for (int64_t v = 0; v < vectors; ++v) {
          Value x[PairingScheme::group];
          for (int64_t i = 0; i < PairingScheme::group; ++i)
            x[i] = scaled(e.plus(line, i), v, factors[v], least,
                          sums[3 * vectors + v]);
          // The two signs meet before anything is added up.
          Value first = e.create<arith::MulFOp>(x[0], x[1]);
          Value second = e.create<arith::MulFOp>(x[3], x[4]);
          Value own = e.multiplyAdd(e.create<arith::NegFOp>(x[3]), x[4], first);
          for (int64_t half = 0; half < 2; ++half) {
            Value part = e.create<vector::ShuffleOp>(own, own, halves[half]);
            Value &sum = sums[2 * v + half];
            sum = e.sum(sum, e.widen(part, e.getF64Type()));
          }
          Value &squares = sums[2 * vectors + v];
          squares = e.multiplyAdd(second, second,
                                  e.multiplyAdd(first, first, squares));
        }
        return sums;
      });
  for (int64_t k = grouped; k < depth; ++k)
    for (int64_t v = 0; v < vectors; ++v)
      scaled(e.index(k), v, factors[v], least, sums[3 * vectors + v]);
  Corrections corrections;
  for (int64_t v = 0; v < vectors; ++v) {
    corrections.sums.push_back(floats(sums[2 * v], sums[2 * v + 1]));
    corrections.squares.push_back(sums[2 * vectors + v]);
    corrections.uneven.push_back(sums[3 * vectors + v]);
  }
  return corrections;
}

// Two vectors of longer floats as one.
Value PairingPanel::floats(Value low, Value high) {
  auto half = VectorType::get(lanes / 2, e.getF32Type());
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  return e.create<vector::ShuffleOp>(e.create<arith::TruncFOp>(half, low),
                                     e.create<arith::TruncFOp>(half, high),
                                     all);
}

void PairingPanel::finish() {
  Looks looks = look();
  Emitter::Values factors, scales, good;
  for (int64_t v = 0; v < vectors; ++v) {
    PairingScales by(e, looks.squares[v], depth);
    // A column of zeros has sums of zero, whatever it meets.
    Value any = isSet(looks.counts[v]);
    factors.push_back(by.factors);
    scales.push_back(e.create<arith::SelectOp>(any, by.scales, zero()));
    good.push_back(by.scalable);
  }
  Value most = looks.most[0];
  for (Value others : ArrayRef<Value>(looks.most).drop_front())
    most = e.create<arith::MaxUIOp>(most, others);
  Corrections corrections = scale(factors, least(most));
  Value all, uneven;
  for (int64_t v = 0; v < vectors; ++v) {
    Value even = e.create<arith::CmpFOp>(
        arith::CmpFPredicate::OLE, corrections.squares[v],
        reals(e, double(PairingScheme::maxSquare * PairingScheme::count(depth)),
              lanes));
    Value many = e.create<arith::CmpFOp>(
        arith::CmpFPredicate::OGT, looks.counts[v],
        reals(e, double(depth) / PairingScheme::sparse, lanes));
    Value zeros = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ,
                                          looks.counts[v], zero());
    Value fit = e.create<arith::OrIOp>(
        zeros,
        e.create<arith::AndIOp>(good[v], e.create<arith::AndIOp>(even, many)));
    all = all ? e.create<arith::AndIOp>(all, fit) : fit;
    uneven = uneven ? e.create<arith::OrIOp>(uneven, corrections.uneven[v])
                    : corrections.uneven[v];
  }
  Value makes = e.create<arith::AndIOp>(
      e.create<vector::ReductionOp>(vector::CombiningKind::AND, all),
      e.create<vector::ReductionOp>(vector::CombiningKind::OR, uneven));
  Value noNumber = reals(e, std::numeric_limits<double>::quiet_NaN(), lanes);
  for (int64_t v = 0; v < vectors; ++v) {
    store(e.create<arith::SelectOp>(makes, corrections.sums[v], noNumber),
          e.index(depth), v);
    store(scales[v], e.index(depth + 1), v);
  }
}

} // namespace

PairingPanels::PairingPanels(Emitter &e, kernel::PackOp op,
                             const kernel::Target &target)
    : e(e), depth(e.shape(op.getB())[op.getTransposeB()]),
      columns(e.shape(op.getB())[!op.getTransposeB()]),
      lanes(target.lanes(e.getF32Type())),
      copy(e, op, PairingScheme::panelWidth, target) {}

double PairingPanels::cycles() const {
  return kernel::pairingPackCycles(depth * columns);
}

void PairingPanels::pack(Value j, Value out, Value position) {
  constexpr int64_t width = PairingScheme::panelWidth;
  auto panel = [&](int64_t valid) {
    copy.run({}, e.times(j, width), valid, e.index(0), depth, out, position);
  };
  int64_t whole = columns / width;
  if (columns % width == 0) {
    panel(width);
  } else {
    Value isWhole =
        e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, j, e.index(whole));
    e.ifElse(isWhole, [&] { panel(width); }, [&] { panel(columns % width); });
  }
  PairingPanel{e, out, position, depth, lanes}.finish();
}

void emitPairingPack(Emitter &e, kernel::PackOp op,
                     const kernel::Target &target) {
  PairingPanels panels(e, op, target);
  e.share(panels.cycles());
  e.parallel(
      e.shape(op.getOut())[0], /*coarse=*/false, [&](Value low, Value high) {
        e.loop(low, high, 1, [&](Value j) { panels.pack(j, op.getOut(), j); });
      });
}

} // namespace weir::cpu
