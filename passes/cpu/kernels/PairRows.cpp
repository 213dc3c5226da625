// Rows of the left side of a product of pairs, scaled and looked at.

#include "passes/cpu/kernels/Pairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

using kernel::Pairs;

// Vectors of a step over a row: the signs of pairs are the same in each.
static constexpr int64_t together = 3, step = together * PairRows::lanes;
static_assert(step % Pairs::group == 0 && PairRows::lanes % 2 == 0);

PairRows::PairRows(Emitter &e, Value a, int64_t tiles, int64_t linesATile)
    : e(e), a(a), depth(e.shape(a).back()), linesATile(linesATile) {
  auto allocate = [&](ArrayRef<int64_t> shape, Type element) {
    return e.create<memref::AllocOp>(MemRefType::get(shape, element),
                                     e.getI64IntegerAttr(64));
  };
  int64_t lines = tiles * linesATile;
  // An odd number of lines of the cache: rows of a tile do not meet in a set.
  int64_t line = (llvm::divideCeil(depth, lanes) | 1) * lanes;
  scaled = allocate({lines, line}, e.getF32Type());
  alone = allocate({lines}, e.getF32Type());
  scales = allocate({lines}, e.getF32Type());
  fits = allocate({tiles}, e.getI32Type());
}

Emitter::Values PairRows::placeOf(Value row) {
  Emitter::Values at = e.indicesOf(row, e.shape(a).drop_back());
  at.push_back(e.index(0));
  return at;
}

Value PairRows::fit(Value slot) {
  Value word = e.create<memref::LoadOp>(fits, slot);
  Value none = e.create<arith::ConstantIntOp>(0, 32);
  return e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, word, none);
}

Value PairRows::load(ValueRange row, Value k, int64_t valid) {
  if (valid <= 0)
    return e.zeros(e.getF32Type(), lanes);
  Emitter::Values at(row);
  at.back() = k;
  return e.load(a, at, lanes, valid);
}

// In each lane.
Value PairRows::sumOf(ValueRange vectors) {
  Value sum = vectors[0];
  for (Value other : vectors.drop_front())
    sum = e.sum(sum, other);
  for (int64_t apart = lanes / 2; apart > 0; apart /= 2) {
    SmallVector<int64_t> turned;
    for (int64_t i = 0; i < lanes; ++i)
      turned.push_back((i + apart) % lanes);
    sum = e.sum(sum, e.create<vector::ShuffleOp>(sum, sum, turned));
  }
  return sum;
}

// By which the products of the elements from `k` on and their neighbours are
// added up.
Value PairRows::signs(int64_t k) {
  SmallVector<float> signs;
  for (int64_t i = 0; i < lanes; ++i)
    signs.push_back(float(Pairs::sign(k + i, depth)));
  auto type = VectorType::get(lanes, e.getF32Type());
  return e.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, ArrayRef<float>(signs)));
}

// `body` adds a step to sums: the vectors from element `k` on, of which there
// are `left` left; their signs are those from its last argument on.
Emitter::Values PairRows::overRow(ValueRange begin, Body body) {
  // Of each element its neighbour, too.
  int64_t whole = (depth - 1) / step * step;
  Emitter::Values sums = e.loop(e.index(0), e.index(whole), step, begin,
                                [&](Value k, ValueRange carried) {
                                  Emitter::Values sums(carried);
                                  body(sums, k, step + 1, 0);
                                  return sums;
                                });
  body(sums, e.index(whole), depth - whole, whole);
  return sums;
}

Value PairRows::squareOf(ValueRange row) {
  Emitter::Values zeros(together, e.zeros(e.getF32Type(), lanes));
  return sumOf(overRow(zeros, [&](auto &sums, Value k, int64_t left, int64_t) {
    for (int64_t i = 0; i < together; ++i) {
      Value x = load(row, e.plus(k, i * lanes), left - i * lanes);
      sums[i] = e.multiplyAdd(x, x, sums[i]);
    }
  }));
}

// Stores a row scaled by `factor`. In lanes what its pairs have alone, the
// squares of that, and how many elements are not zero.
Emitter::Values PairRows::scale(ValueRange row, Value line, Value factor) {
  // Of a step even lanes have pairs by one sign and odd lanes those by the
  // other: what these have in common goes before it is rounded.
  SmallVector<int64_t> turned;
  for (int64_t i = 0; i < lanes; ++i)
    turned.push_back(i ^ 1);
  Value zeros = e.zeros(e.getF32Type(), lanes);
  Value one = e.create<arith::ConstantOp>(e.getF32FloatAttr(1));
  Value ones = e.splat(one, lanes);
  auto scaledFrom = [&](Value k, int64_t valid) -> Value {
    return e.create<arith::MulFOp>(load(row, k, valid), factor);
  };
  auto body = [&](auto &sums, Value k, int64_t left, int64_t from) {
    Value own = zeros;
    for (int64_t i = 0; i < step && i < left; i += lanes) {
      Value here = e.plus(k, i), x = scaledFrom(here, left - i);
      e.store(x, scaled, {line, here}, lanes);
      Value counts =
          e.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, zeros);
      sums[2] = e.sum(sums[2], e.create<arith::SelectOp>(counts, ones, zeros));
      Value next = scaledFrom(e.plus(here, 1), left - i - 1);
      own =
          e.multiplyAdd(e.create<arith::MulFOp>(x, next), signs(from + i), own);
    }
    Value other = e.create<vector::ShuffleOp>(own, own, turned);
    sums[0] = e.sum(sums[0], e.sum(own, other));
    sums[1] = e.multiplyAdd(own, own, sums[1]);
  };
  return overRow({zeros, zeros, zeros}, body);
}

// Scales a row to a mean square of 1/2 to 2, sums up what its pairs have alone,
// and returns whether no sum is less exact for that.
Value PairRows::takeRow(Value row, Value line) {
  Emitter::Values at = placeOf(row);
  auto integer = [&](int64_t value) -> Value {
    return e.create<arith::ConstantIntOp>(value, 32);
  };
  auto real = [&](double value) -> Value {
    return e.create<arith::ConstantOp>(e.getF32FloatAttr(float(value)));
  };
  auto first = [&](Value vector) -> Value {
    return e.create<vector::ExtractOp>(vector, 0);
  };
  auto powerOfTwo = [&](Value exponent) -> Value {
    Value biased = e.create<arith::AddIOp>(exponent, integer(127));
    return e.create<arith::BitcastOp>(
        e.getF32Type(), e.create<arith::ShLIOp>(biased, integer(23)));
  };

  Value mean =
      e.create<arith::MulFOp>(first(squareOf(at)), real(1. / double(depth)));
  // Of what is infinite or no number it is past all bounds.
  Value bits = e.create<arith::BitcastOp>(e.getI32Type(), mean);
  Value exponent =
      e.create<arith::SubIOp>(e.create<arith::ShRUIOp>(bits, integer(23)),
                              integer(127 - 1)); // of twice the mean
  Value scalable = e.create<arith::CmpIOp>(
      arith::CmpIPredicate::ule,
      e.create<arith::AddIOp>(exponent, integer(Pairs::mostExponent)),
      integer(2 * Pairs::mostExponent));
  Value half = e.create<arith::SelectOp>(
      scalable, e.create<arith::ShRSIOp>(exponent, integer(1)), integer(0));
  e.create<memref::StoreOp>(powerOfTwo(half), scales, line);

  Value factor = powerOfTwo(e.create<arith::SubIOp>(integer(0), half));
  Emitter::Values made = scale(at, line, e.splat(factor, lanes));
  // Both lanes of two have the sum of these.
  e.create<memref::StoreOp>(
      e.create<arith::MulFOp>(first(sumOf(made[0])), real(0.5)), alone, line);
  Value even = e.create<arith::CmpFOp>(
      arith::CmpFPredicate::OLE, first(sumOf(made[1])),
      real(double(Pairs::mostSquare * Pairs::count(depth))));
  // Sums of few terms, as of a row that selects one of the weights, are exact,
  // or nearly so.
  Value many =
      e.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, first(sumOf(made[2])),
                              real(double(depth) / double(Pairs::sparse)));
  return e.create<arith::AndIOp>(scalable, e.create<arith::AndIOp>(even, many));
}

void PairRows::take(Value row, Value count, Value slot) {
  Value first = e.times(slot, linesATile);
  Value yes = e.create<arith::ConstantIntOp>(1, e.getI1Type());
  Value all = e.loop(e.index(0), count, 1, yes,
                     [&](Value i, ValueRange soFar) -> Emitter::Values {
                       Value own = takeRow(e.plus(row, i), e.plus(first, i));
                       return {e.create<arith::AndIOp>(soFar[0], own)};
                     })[0];
  e.create<memref::StoreOp>(e.create<arith::ExtUIOp>(e.getI32Type(), all), fits,
                            slot);
}

} // namespace weir
