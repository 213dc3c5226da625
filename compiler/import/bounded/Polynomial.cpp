// Sizes as polynomials, so that n + 1 - 1 is n, and n * 4 * m is m * 4 * n.

#include "compiler/import/bounded/Polynomial.h"

#include "compiler/import/Elements.h"
#include "compiler/import/bounded/Sizes.h"

#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/bounded/ranges/Intervals.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"

#include <cmath>

using namespace mlir;

namespace weir {

/// Computations of sizes are short; longer ones count as scalars of their own.
constexpr unsigned depthLimit = 32;
constexpr size_t maxProducts = 16, maxFactors = 8;

/// Whether two scalars are computed alike, a few steps back.
static bool isAlike(Value x, Value y, unsigned depth) {
  if (x == y)
    return true;
  if (!x || !y || depth == 0 || x.getType() != y.getType())
    return false;
  Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
  if (!a || !b || a->getName() != b->getName() || a->getNumRegions() ||
      a->getNumResults() != 1 ||
      a->getAttrDictionary() != b->getAttrDictionary() ||
      a->getNumOperands() != b->getNumOperands())
    return false;
  for (auto [p, q] : llvm::zip_equal(a->getOperands(), b->getOperands()))
    if (!isAlike(p, q, depth - 1))
      return false;
  return true;
}

Polynomials::Polynomial Polynomials::leaf(Value scalar) {
  constexpr unsigned steps = 6;
  auto *found = llvm::find_if(
      scalars, [&](Value other) { return isAlike(scalar, other, steps); });
  unsigned number = found - scalars.begin();
  if (found == scalars.end())
    scalars.push_back(scalar);
  return {{{number}, 1}};
}

static bool addTo(Polynomials::Polynomial &sum,
                  const Polynomials::Polynomial &x, int64_t factor) {
  for (const auto &[product, count] : x) {
    int64_t times, total;
    if (llvm::MulOverflow(count, factor, times) ||
        llvm::AddOverflow(sum[product], times, total))
      return false;
    sum[product] = total;
    if (total == 0)
      sum.erase(product);
  }
  return sum.size() <= maxProducts;
}

static bool multiply(Polynomials::Polynomial &result,
                     const Polynomials::Polynomial &x,
                     const Polynomials::Polynomial &y) {
  for (const auto &[product, count] : y) {
    Polynomials::Polynomial moved;
    for (const auto &[other, times] : x) {
      Polynomials::Product both(product);
      both.insert(both.end(), other.begin(), other.end());
      if (both.size() > maxFactors)
        return false;
      llvm::sort(both);
      moved[both] = times;
    }
    if (!addTo(result, moved, count))
      return false;
  }
  return true;
}

/// Whether the scalar is an integer that its type holds for certain. Sizes of
/// 64 bits do.
static bool cannotWrap(Value scalar) {
  auto type = dyn_cast<IntegerType>(typeOf(scalar).getElementType());
  if (!type || type.getWidth() < 32)
    return false;
  if (type.getWidth() == 64)
    return !type.isUnsigned();
  Interval values = intervalOf(scalar);
  double limit = std::ldexp(1.0, 31) - 1;
  return values.high < limit && values.low > -limit;
}

Polynomials::Polynomial Polynomials::of(Value scalar, unsigned depth) {
  if (std::optional<int64_t> number = knownNumber(scalar))
    return *number ? Polynomial{{{}, *number}} : Polynomial();
  if (auto found = known.find(scalar); found != known.end())
    return found->second;
  Operation *op = scalar.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(scalar.getType());
  bool isNumber = op && depth < depthLimit && type &&
                  type.getNumElements() == 1 && cannotWrap(scalar);
  Polynomial result;
  bool isMade = false;
  if (isNumber && isa<graph::AddOp, graph::SubOp>(op)) {
    result = of(op->getOperand(0), depth + 1);
    isMade = addTo(result, of(op->getOperand(1), depth + 1),
                   isa<graph::AddOp>(op) ? 1 : -1);
  } else if (isNumber && isa<graph::MulOp>(op)) {
    isMade = multiply(result, of(op->getOperand(0), depth + 1),
                      of(op->getOperand(1), depth + 1));
  } else if (isNumber && isa<graph::NegOp>(op)) {
    isMade = addTo(result, of(op->getOperand(0), depth + 1), -1);
  } else if (isNumber && isa<graph::ReshapeOp>(op)) {
    result = of(op->getOperand(0), depth + 1);
    isMade = true;
  } else if (auto cast = dyn_cast_or_null<graph::CastOp>(op);
             cast && isNumber && cannotWrap(cast.getX())) {
    result = of(cast.getX(), depth + 1);
    isMade = true;
  }
  if (!isMade)
    result = leaf(scalar);
  known[scalar] = result;
  return result;
}

Value Polynomials::simplified(ImplicitLocOpBuilder &b, Value scalar) {
  Polynomial sum = of(scalar);
  bool isNumber =
      sum.empty() || (sum.size() == 1 && sum.begin()->first.empty());
  bool isOne = sum.size() == 1 && sum.begin()->first.size() == 1 &&
               sum.begin()->second == 1;
  return isNumber || isOne ? build(b, sum).value : scalar;
}

std::optional<Polynomials::Polynomial>
Polynomials::productOf(ArrayRef<Value> factors) {
  Polynomial result{{{}, 1}};
  for (Value factor : factors) {
    Polynomial next;
    if (!multiply(next, result, of(factor)))
      return std::nullopt;
    result = std::move(next);
  }
  return result;
}

std::optional<Polynomials::Polynomial>
Polynomials::quotient(const Polynomial &x, const Polynomial &y) {
  if (y.size() != 1)
    return std::nullopt;
  const auto &[divisor, by] = *y.begin();
  Polynomial result;
  for (const auto &[product, count] : x) {
    if (count % by || !std::includes(product.begin(), product.end(),
                                     divisor.begin(), divisor.end()))
      return std::nullopt;
    Product left;
    std::set_difference(product.begin(), product.end(), divisor.begin(),
                        divisor.end(), std::back_inserter(left));
    result[left] = count / by;
  }
  return result;
}

Expr Polynomials::build(ImplicitLocOpBuilder &b,
                        const Polynomial &polynomial) const {
  Expr sum;
  for (const auto &[product, count] : polynomial) {
    Expr term;
    for (unsigned number : product) {
      // It may be the one element of a list.
      Value one = reshapeTo(b, scalars[number], {});
      Expr scalar(b, castTo(b, one, b.getI64Type()));
      term = term ? term * scalar : scalar;
    }
    if (!term)
      term = number(b, count);
    else if (count != 1)
      term = term * number(b, count);
    sum = sum ? sum + term : term;
  }
  return sum ? sum : number(b, 0);
}

bool isSame(Value x, Value y) {
  if (x == y)
    return true;
  return x && y && x.getType() == y.getType() && Polynomials().areEqual(x, y);
}

} // namespace weir
