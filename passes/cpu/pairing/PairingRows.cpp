// Scales the rows of the left side of a product by inner-product pairing, and
// tests their eligibility.

#include "passes/cpu/pairing/PairingRows.h"
#include "passes/cpu/kernels/LaneSums.h"
#include "passes/cpu/pairing/PairingScales.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

using kernel::PairingScheme;

PairingRows::PairingRows(Emitter &e, const LeftSide &from, int64_t lanes,
                         int64_t tiles, int64_t linesATile)
    : e(e), from(from), lanes(lanes), depth(from.depth),
      linesATile(linesATile) {
  assert(step() % PairingScheme::group == 0 && lanes % 2 == 0);
  int64_t lines = tiles * linesATile;
  // An odd number of lines of the cache: rows of a tile do not meet in a set.
  int64_t line = (llvm::divideCeil(depth, lanes) | 1) * lanes;
  scaled = e.buffer({lines, line}, e.getF32Type());
  corrections = e.buffer({lines}, e.getF32Type());
  scales = e.buffer({lines}, e.getF32Type());
  eligible = e.buffer({lines}, e.getI32Type());
  tileEligible = e.buffer({tiles}, e.getI32Type());
}

// Where the first element of row number `row` lies, or that of the line that it
// was gathered to.
Emitter::Values PairingRows::positionOf(Value row, Value line) {
  if (!from.buffer)
    return {line, e.index(0)};
  Emitter::Values at = e.indicesOf(row, e.shape(from.buffer).drop_back());
  at.push_back(e.index(0));
  return at;
}

Value PairingRows::isSet(Value words, Value at, int64_t bit) {
  Value word = e.create<memref::LoadOp>(words, at);
  word = e.create<arith::AndIOp>(word, e.create<arith::ConstantIntOp>(bit, 32));
  Value none = e.create<arith::ConstantIntOp>(0, 32);
  return e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, word, none);
}

Value PairingRows::isEligible(Value line) { return isSet(eligible, line, 1); }

Value PairingRows::load(ValueRange row, Value k, int64_t valid) {
  if (valid <= 0)
    return e.zeros(e.getF32Type(), lanes);
  Emitter::Values at(row);
  at.back() = k;
  return e.load(from.buffer ? from.buffer : scaled, at, lanes, valid);
}

// For each of `count` rows of a tile some sums, of whose lanes `ofRow` makes
// vectors: in the lane of that row.
Emitter::Values PairingRows::sumsOfRows(Value count, int64_t sums,
                                        OfRow ofRow) {
  Value spilledSums = e.stack({linesATile, sums, lanes}, e.getF32Type());
  auto at = [&](Value row, int64_t i) {
    return Emitter::Values{row, e.index(i), e.index(0)};
  };
  e.loop(e.index(0), count, 1, [&](Value row) {
    for (auto [i, sum] : llvm::enumerate(ofRow(row)))
      e.store(sum, spilledSums, at(row, i), lanes);
  });
  Emitter::Values results;
  for (int64_t i = 0; i < sums; ++i) {
    Emitter::Values rows;
    for (int64_t row = 0; row < linesATile; ++row)
      rows.push_back(e.load(spilledSums, at(e.index(row), i), lanes, lanes));
    results.push_back(sumEach(e, rows));
  }
  return results;
}

// By which the products of the elements from `k` on and their neighbours are
// added up.
Value PairingRows::signs(int64_t k) {
  SmallVector<float> signs;
  for (int64_t i = 0; i < lanes; ++i)
    signs.push_back(float(PairingScheme::sign(k + i, depth)));
  auto type = VectorType::get(lanes, e.getF32Type());
  return e.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, ArrayRef<float>(signs)));
}

// `body` adds a step to sums: the vectors from element `k` on, of which there
// are `left` left; their signs are those from its last argument on.
Emitter::Values PairingRows::overRow(ValueRange begin, Body body) {
  // Of each element its neighbour, too.
  int64_t step = this->step(), whole = (depth - 1) / step * step;
  Emitter::Values sums = e.loop(e.index(0), e.index(whole), step, begin,
                                [&](Value k, ValueRange carried) {
                                  Emitter::Values sums(carried);
                                  body(sums, k, step + 1, 0);
                                  return sums;
                                });
  body(sums, e.index(whole), depth - whole, whole);
  return sums;
}

Value PairingRows::squareOf(ValueRange row) {
  Emitter::Values zeros(together, e.zeros(e.getF32Type(), lanes));
  Emitter::Values sums =
      overRow(zeros, [&](auto &sums, Value k, int64_t left, int64_t) {
        for (int64_t i = 0; i < together; ++i) {
          Value x = load(row, e.plus(k, i * lanes), left - i * lanes);
          sums[i] = e.multiplyAdd(x, x, sums[i]);
        }
      });
  return e.sum(e.sum(sums[0], sums[1]), sums[2]);
}

// Stores a row scaled by `factor`. Returns in lanes the terms of its
// correction, their squares, and the number of nonzero elements.
Emitter::Values PairingRows::scale(ValueRange row, Value line, Value factor) {
  // Of a step even lanes have pairs by one sign and odd lanes those by the
  // other. What these have in common goes first, and sums are longer floats:
  // all results of the row have their errors.
  SmallVector<int64_t> turned, even, widened;
  for (int64_t i = 0; i < lanes; ++i) {
    turned.push_back(i ^ 1);
    widened.push_back(i);
    if (i % 2 == 0)
      even.push_back(i);
  }
  Value zeros = e.zeros(e.getF32Type(), lanes);
  Value one = e.create<arith::ConstantOp>(e.getF32FloatAttr(1));
  Value ones = e.splat(one, lanes);
  auto scaledFrom = [&](Value k, int64_t valid) -> Value {
    return e.create<arith::MulFOp>(load(row, k, valid), factor);
  };
  auto body = [&](auto &sums, Value k, int64_t left, int64_t from) {
    Value own = zeros;
    for (int64_t i = 0; i < step() && i < left; i += lanes) {
      // Gathered rows are scaled where they lie.
      Value here = e.plus(k, i), x = scaledFrom(here, left - i);
      Value next = scaledFrom(e.plus(here, 1), left - i - 1);
      e.store(x, scaled, {line, here}, lanes);
      Value counts =
          e.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, zeros);
      sums[2] = e.sum(sums[2], e.create<arith::SelectOp>(counts, ones, zeros));
      own =
          e.multiplyAdd(e.create<arith::MulFOp>(x, next), signs(from + i), own);
    }
    Value both = e.sum(own, e.create<vector::ShuffleOp>(own, own, turned));
    Value half = e.create<vector::ShuffleOp>(both, both, even);
    sums[0] = e.sum(sums[0], e.widen(half, e.getF64Type()));
    sums[1] = e.multiplyAdd(own, own, sums[1]);
  };
  Value none = e.zeros(e.getF64Type(), lanes / 2);
  Emitter::Values sums = overRow({none, zeros, zeros}, body);
  Value corrections = e.create<arith::TruncFOp>(
      VectorType::get(lanes / 2, e.getF32Type()), sums[0]);
  sums[0] = e.create<vector::ShuffleOp>(
      corrections, e.zeros(e.getF32Type(), lanes / 2), widened);
  return sums;
}

// Scales rows to mean squares of 1/2 to 2, sums their correction terms, and
// tests whether pairing loses accuracy.
void PairingRows::take(Value row, Value count, Value slot) {
  Value first = lineOf(slot);
  Value squares = sumsOfRows(count, 1, [&](Value i) -> Emitter::Values {
    Value at = e.plus(row, i), line = e.plus(first, i);
    if (from.gather)
      from.gather(at, scaled, line);
    return {squareOf(positionOf(at, line))};
  })[0];
  PairingScales by(e, squares, depth);
  e.store(by.scales, scales, first, linesATile);

  Value factors = e.stack({lanes}, e.getF32Type());
  e.store(by.factors, factors, e.index(0), lanes);
  Emitter::Values sums = sumsOfRows(count, 3, [&](Value i) {
    Value factor = e.create<memref::LoadOp>(factors, i);
    Value line = e.plus(first, i);
    return scale(positionOf(e.plus(row, i), line), line,
                 e.splat(factor, lanes));
  });
  e.store(sums[0], corrections, first, linesATile);
  Value even = e.create<arith::CmpFOp>(
      arith::CmpFPredicate::OLE, sums[1],
      reals(e, double(PairingScheme::maxSquare * PairingScheme::count(depth)),
            lanes));
  // Sums of few terms, as of a row that selects one of the weights, are exact,
  // or nearly so.
  Value many = e.create<arith::CmpFOp>(
      arith::CmpFPredicate::OGT, sums[2],
      reals(e, double(depth) / double(PairingScheme::sparse), lanes));
  Value isEligible =
      e.create<arith::AndIOp>(by.scalable, e.create<arith::AndIOp>(even, many));
  e.store(e.create<arith::ExtUIOp>(VectorType::get(lanes, e.getI32Type()),
                                   isEligible),
          eligible, first, linesATile);
  // Lanes after the last row say nothing.
  Value lane = e.create<arith::ConstantOp>(
      e.getI32VectorAttr(llvm::to_vector(llvm::seq<int32_t>(0, lanes))));
  Value end =
      e.splat(e.create<arith::IndexCastOp>(e.getI32Type(), count), lanes);
  auto reduced = [&](vector::CombiningKind kind, Value booleans) -> Value {
    return e.create<arith::ExtUIOp>(
        e.getI32Type(), e.create<vector::ReductionOp>(kind, booleans));
  };
  Value any =
      reduced(vector::CombiningKind::OR,
              e.create<arith::AndIOp>(
                  isEligible, e.create<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                      lane, end)));
  Value all =
      reduced(vector::CombiningKind::AND,
              e.create<arith::OrIOp>(
                  isEligible, e.create<arith::CmpIOp>(arith::CmpIPredicate::uge,
                                                      lane, end)));
  Value two = e.create<arith::ConstantIntOp>(2, 32);
  e.create<memref::StoreOp>(
      e.create<arith::OrIOp>(any, e.create<arith::MulIOp>(all, two)),
      tileEligible, slot);
}

} // namespace weir::cpu
