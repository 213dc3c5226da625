// The layout for inner-product pairing: panels of scaled columns, with two
// trailer rows.

#include "dialects/kernel/layouts/Pairing.h"

#include "dialects/kernel/PairingScheme.h"

#include "llvm/ADT/bit.h"

#include <climits>
#include <cmath>
#include <limits>

using namespace mlir;

namespace weir::kernel {
namespace {

constexpr int64_t width = PairingScheme::panelWidth;

// Elements that are small multiples of one power of two.
class Steps {
public:
  // Whether all are, with one more.
  bool take(float value) {
    if (value == 0 || !std::isfinite(value))
      return true;
    int exponent;
    auto digits = int64_t(std::ldexp(std::frexp(value, &exponent), 24));
    least =
        std::min(least, exponent - 24 +
                            int(llvm::countr_zero(uint64_t(std::abs(digits)))));
    most = std::max(most, std::fabs(double(value)));
    return std::ldexp(most, -least) < double(PairingScheme::fewSteps);
  }

private:
  int least = INT_MAX;
  double most = 0;
};

// Up to a panel of columns, as they are scaled.
struct Columns {
  const WeightsSource &weights;
  const float *first;
  int64_t rows, count;
  std::array<double, width> squares = {}; // of each, their mean
  std::array<double, width> factors = {}; // a power of two; 0 for zeros

  Columns(const WeightsSource &weights, int64_t column)
      : weights(weights), first(reinterpret_cast<const float *>(weights.data) +
                                column * weights.columnStride),
        rows(weights.rows()), count(std::min(width, weights.columns - column)) {
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t n = 0; n < count; ++n)
        squares[n] += at(k, n) * at(k, n) / double(rows);
    for (int64_t n = 0; n < count; ++n)
      if (squares[n] > 0 && std::isfinite(squares[n]))
        factors[n] = std::ldexp(1., -int(std::floor(exponent(n) / 2.)));
  }

  double at(int64_t k, int64_t n) const {
    return first[k * weights.depthStride + n * weights.columnStride];
  }

  double scaled(int64_t k, int64_t n) const { return at(k, n) * factors[n]; }

  // Of twice the square.
  int exponent(int64_t n) const { return std::ilogb(squares[n]) + 1; }

  // Whether sums of products of the columns are to be as exact as plain ones:
  // of steps, and where a row selects an element of a nearly empty column.
  bool makeNone() const {
    std::array<int64_t, width> counts = {};
    Steps steps;
    bool areSteps = true;
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t n = 0; n < count; ++n) {
        areSteps = areSteps && steps.take(float(at(k, n)));
        counts[n] += at(k, n) != 0;
      }
    return areSteps ||
           llvm::any_of(ArrayRef(counts).take_front(count), [&](int64_t some) {
             return some > 0 && some <= rows / PairingScheme::sparse;
           });
  }

  // The correction terms of each column: their sums, or those of their
  // squares.
  std::array<double, width> correction(bool squared) const {
    std::array<double, width> sums = {};
    for (int64_t k = 0; k < rows; ++k)
      if (auto sign = double(PairingScheme::sign(k, rows)); sign != 0)
        for (int64_t n = 0; n < count; ++n) {
          double x = scaled(k, n) * scaled(k + 1, n);
          sums[n] += squared ? x * x : sign * x;
        }
    return sums;
  }
};

} // namespace

bool suitsPairing(const WeightsSource &weights) {
  bool any = false;
  auto most =
      double(PairingScheme::maxSquare * PairingScheme::count(weights.rows()));
  for (int64_t column = 0; column < weights.columns; column += width) {
    Columns some(weights, column);
    any = any || !some.makeNone();
    std::array<double, width> correction = some.correction(/*squared=*/true);
    for (int64_t n = 0; n < some.count; ++n) {
      bool zeros = some.squares[n] == 0;
      bool scales = some.factors[n] > 0 &&
                    std::abs(some.exponent(n)) <= PairingScheme::maxExponent;
      if (!zeros && !(scales && correction[n] <= most))
        return false;
    }
  }
  return any;
}

namespace {

struct Pairing : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return llvm::all_of(numbers, [](int64_t size) { return size > 0; });
  }

  bool serves(LayoutAttr layout, const LayoutUser &user) const override {
    const WeightsShape &weights = user.weights;
    if (!user.stored.isF32() || !weights.batches.empty() ||
        weights.groups != 1 || weights.depth <= 0)
      return false;
    // The filter of a convolution that has become a product has no window.
    ArrayRef<int64_t> window = layout.getWindow();
    if (user.kind == LayoutUser::Pack)
      return window.empty() || window == ArrayRef<int64_t>(weights.taps);
    bool isWindowed = user.kind == LayoutUser::Convolution;
    return user.isProduct() &&
           window.size() == (isWindowed ? weights.taps.size() : 0) &&
           user.left.isF32() && user.sum.isF32() && !user.isUnsigned &&
           !user.transposesLeft;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr,
                               const WeightsShape &weights) const override {
    int64_t rows = weights.depth;
    for (int64_t size : weights.taps)
      if (llvm::MulOverflow(rows, size, rows))
        return {};
    if (llvm::AddOverflow(rows, PairingScheme::trailerRows, rows))
      return {};
    return {llvm::divideCeilSigned(weights.columns, PairingScheme::panelWidth),
            rows, PairingScheme::panelWidth};
  }

  // A column of zeros has a scale of zero, so that its sums are zeros.
  void pack(LayoutAttr, const WeightsSource &from,
            char *packed) const override {
    auto *to = reinterpret_cast<float *>(packed);
    for (int64_t column = 0; column < from.columns; column += width) {
      Columns some(from, column);
      for (int64_t k = 0; k < from.rows(); ++k, to += width)
        for (int64_t n = 0; n < some.count; ++n)
          to[n] = static_cast<float>(some.scaled(k, n));
      std::array<double, width> correction = some.correction(/*squared=*/false);
      if (some.makeNone())
        correction.fill(std::numeric_limits<double>::quiet_NaN());
      for (int64_t n = 0; n < some.count; ++n) {
        to[n] = static_cast<float>(correction[n]);
        to[width + n] =
            static_cast<float>(some.factors[n] > 0 ? 1 / some.factors[n] : 0);
      }
      to += PairingScheme::trailerRows * width;
    }
  }
};

} // namespace

const LayoutFormat &formatOfPairing() {
  static const Pairing format;
  return format;
}

} // namespace weir::kernel
