// Lowers singular value decompositions: one-sided Jacobi rotations.

#include "passes/lower/linear/LinearShared.h"

#include "dialects/graph/Linear.h"

using namespace mlir;

namespace weir::lower {
namespace {

/// Rotations make the columns of a tall matrix W = x * V orthogonal; their
/// lengths are the singular values and their directions the left vectors.
class Jacobi {
public:
  Jacobi(Matrices &m, int64_t rows, int64_t columns, Value at)
      : m(m), rows(m.index(rows)), columns(m.index(columns)), at(at),
        zero(m.index(0)), nothing(m.number(0)), one(m.number(1)),
        epsilon(m.type.isF64() ? 0x1p-52 : 0x1p-23), rowCount(rows) {}

  /// Rotates each two columns of W, state[0], and of V, state[1], until all
  /// are orthogonal. Convergence is quadratic: this many sweeps are enough.
  Matrices::State rotate(ValueRange state) {
    Value sweeps = m.index(m.type.isF64() ? 24 : 16);
    return m.loop(zero, sweeps, state, [&](Value, ValueRange state) {
      return m.loop(zero, columns, state, [&](Value p, ValueRange state) {
        return m.loop(
            m.next(p), columns, state,
            [&](Value q, ValueRange state) { return rotatePair(p, q, state); });
      });
    });
  }

  /// W over `size`, that of its largest element.
  Value divided(Value w, Value size) {
    return m.eachElement(w, at, rows, columns,
                         [&](Value x) { return m.div(x, size); });
  }
  Value largest(Value w) { return m.largest(w, at, rows, columns); }

  /// The lengths times `size`.
  Value multiplied(Value lengths, Value size) {
    return m.loop(zero, columns, lengths, [&](Value k, Value s) -> Value {
      return m.set(m.mul(m.get(s, {at, k}), size), s, {at, k});
    });
  }

  /// The lengths of the columns, descending; W, V and they.
  Matrices::State sort(Value w, Value v, Value lengths) {
    lengths = m.loop(zero, columns, lengths, [&](Value k, Value s) -> Value {
      return m.set(m.sqrt(dot(w, k, w, k)), s, {at, k});
    });
    return m.loop(zero, columns, {w, v, lengths},
                  [&](Value k, ValueRange state) -> Matrices::State {
                    Value s = state[2];
                    Value p = m.loop(
                        m.next(k), columns, {m.get(s, {at, k}), k},
                        [&](Value i, ValueRange best) -> Matrices::State {
                          Value length = m.get(s, {at, i});
                          Value longer = m.above(length, best[0]);
                          return {m.select(longer, length, best[0]),
                                  m.select(longer, i, best[1])};
                        })[1];
                    Value here = m.get(s, {at, k}), there = m.get(s, {at, p});
                    s = m.set(here, m.set(there, s, {at, k}), {at, p});
                    return {exchange(state[0], rows, k, p),
                            exchange(state[1], columns, k, p), s};
                  });
  }

  /// Orthonormal columns in U: those of W divided by their lengths, and others
  /// where there is none or its length is no more than rounding.
  Value directions(Value u, Value w, Value lengths, int64_t count) {
    auto sorted = cast<RankedTensorType>(lengths.getType());
    int64_t known = sorted.getShape().back();
    if (known > 0) {
      Value limit = m.mul(m.get(lengths, {at, zero}),
                          m.number(epsilon * static_cast<double>(rowCount)));
      u = m.loop(zero, columns, u, [&](Value k, Value u) -> Value {
        Value length = m.get(lengths, {at, k});
        Value usable = m.above(length, limit);
        Value row = farthestRow(u, k);
        u = m.loop(zero, rows, u, [&](Value i, Value u) -> Value {
          Value unit = m.select(m.same(i, row), one, nothing);
          Value element = m.div(m.get(w, {at, i, k}), length);
          return m.set(m.select(usable, element, unit), u, {at, i, k});
        });
        return straighten(u, k);
      });
    }
    return m.loop(m.index(known), m.index(count), u,
                  [&](Value k, Value u) -> Value {
                    Value row = farthestRow(u, k);
                    u = m.loop(zero, rows, u, [&](Value i, Value u) -> Value {
                      Value unit = m.select(m.same(i, row), one, nothing);
                      return m.set(unit, u, {at, i, k});
                    });
                    return straighten(u, k);
                  });
  }

private:
  Value dot(Value x, Value p, Value y, Value q) {
    return m.loop(zero, rows, nothing, [&](Value i, Value sum) -> Value {
      return m.add(sum, m.mul(m.get(x, {at, i, p}), m.get(y, {at, i, q})));
    });
  }

  Matrices::State rotatePair(Value p, Value q, ValueRange state) {
    Value w = state[0];
    Value alpha = dot(w, p, w, p), beta = dot(w, q, w, q);
    Value gamma = dot(w, p, w, q);
    // The product of roots, since that of squares may overflow.
    Value limit = m.mul(m.mul(m.sqrt(alpha), m.sqrt(beta)), m.number(epsilon));
    Value needed = m.above(m.abs(gamma), limit);
    Value zeta = m.div(m.sub(beta, alpha), m.mul(m.number(2), gamma));
    Value length = m.sqrt(m.add(one, m.mul(zeta, zeta)));
    Value size = m.div(one, m.add(m.abs(zeta), length));
    Value t = m.select(m.above(nothing, zeta), m.neg(size), size);
    Value cosine = m.div(one, m.sqrt(m.add(one, m.mul(t, t))));
    Value sine = m.mul(cosine, t);
    cosine = m.select(needed, cosine, one);
    sine = m.select(needed, sine, nothing);
    auto turn = [&](Value x, Value count) {
      return m.loop(zero, count, x, [&](Value i, Value x) -> Value {
        Value left = m.get(x, {at, i, p}), right = m.get(x, {at, i, q});
        Value first = m.sub(m.mul(cosine, left), m.mul(sine, right));
        Value second = m.add(m.mul(sine, left), m.mul(cosine, right));
        return m.set(second, m.set(first, x, {at, i, p}), {at, i, q});
      });
    };
    return {turn(w, rows), turn(state[1], columns)};
  }

  Value exchange(Value x, Value count, Value p, Value q) {
    return m.loop(zero, count, x, [&](Value i, Value x) -> Value {
      Value left = m.get(x, {at, i, p}), right = m.get(x, {at, i, q});
      return m.set(left, m.set(right, x, {at, i, p}), {at, i, q});
    });
  }

  /// The unit vector that the first `count` columns of U span least.
  Value farthestRow(Value u, Value count) {
    return m.loop(
        zero, rows, {m.number(2), zero},
        [&](Value i, ValueRange best) -> Matrices::State {
          Value part =
              m.loop(zero, count, nothing, [&](Value k, Value sum) -> Value {
                Value element = m.get(u, {at, i, k});
                return m.add(sum, m.mul(element, element));
              });
          Value less = m.above(best[0], part);
          return {m.select(less, part, best[0]), m.select(less, i, best[1])};
        })[1];
  }

  /// Column k of U made orthogonal to those before, and of length 1; twice is
  /// enough.
  Value straighten(Value u, Value k) {
    u = m.loop(zero, m.index(2), u, [&](Value, Value u) -> Value {
      return m.loop(zero, k, u, [&](Value j, Value u) -> Value {
        Value part = dot(u, j, u, k);
        return m.loop(zero, rows, u, [&](Value i, Value u) -> Value {
          Value element =
              m.sub(m.get(u, {at, i, k}), m.mul(part, m.get(u, {at, i, j})));
          return m.set(element, u, {at, i, k});
        });
      });
    });
    Value length = m.sqrt(dot(u, k, u, k));
    return m.loop(zero, rows, u, [&](Value i, Value u) -> Value {
      return m.set(m.div(m.get(u, {at, i, k}), length), u, {at, i, k});
    });
  }

  Matrices &m;
  Value rows, columns, at, zero, nothing, one;
  double epsilon;
  int64_t rowCount;
};

struct LowerSvd : OpConversionPattern<graph::SvdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::SvdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(adaptor.getX().getType());
    int64_t batch = batchOf(type), rows = type.getShape().end()[-2],
            columns = type.getShape().back();
    Matrices m(rewriter, op.getLoc(), type.getElementType());
    Value w = m.copyBatched(adaptor.getX());
    // A wide matrix is decomposed as its transpose.
    bool wide = rows < columns;
    if (wide) {
      std::swap(rows, columns);
      Value x = w;
      w = generateTensor(
          rewriter, op.getLoc(),
          RankedTensorType::get({batch, rows, columns}, m.type),
          [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
            return b.create<tensor::ExtractOp>(loc, x,
                                               ValueRange{at[0], at[2], at[1]});
          });
    }
    int64_t directions = op.getFull() ? rows : columns;
    Matrices::State result = m.loop(
        m.index(0), m.index(batch),
        {w, m.identity(batch, columns), m.zeros({batch, columns}),
         m.zeros({batch, rows, directions})},
        [&](Value at, ValueRange state) -> Matrices::State {
          Jacobi jacobi(m, rows, columns, at);
          Value size = jacobi.largest(state[0]);
          Matrices::State turned =
              jacobi.rotate({jacobi.divided(state[0], size), state[1]});
          Matrices::State sorted = jacobi.sort(turned[0], turned[1], state[2]);
          Value u =
              jacobi.directions(state[3], sorted[0], sorted[2], directions);
          Value lengths = jacobi.multiplied(sorted[2], size);
          return {sorted[0], sorted[1], lengths, u};
        });
    Value u = result[3], v = result[1];
    if (wide)
      std::swap(u, v);
    rewriter.replaceOp(op, {m.split(result[2], op.getS().getType()),
                            m.split(u, op.getU().getType()),
                            m.split(v, op.getV().getType())});
    return success();
  }
};

} // namespace

void addSvdPatterns(const TypeConverter &converter,
                    RewritePatternSet &patterns) {
  patterns.add<LowerSvd>(converter, patterns.getContext());
}

} // namespace weir::lower
