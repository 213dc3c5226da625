// The difference of two tensors, element by element.

#include "tools/diff/Compare.h"

#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace weir::diff {

using reference::Tensor;

static constexpr double infinite = std::numeric_limits<double>::infinity();

/// The bits of floats as numbers in the order of their values: neighbours
/// differ by 1, and both zeros are 0.
static std::vector<int64_t> orderedBits(const Tensor &tensor, Type element) {
  std::vector<char> bytes =
      tensor.reshaped(tensor.type().clone(element)).toBytes();
  size_t width = element.getIntOrFloatBitWidth() / 8;
  std::vector<int64_t> ordered(tensor.size());
  for (size_t i = 0; i < ordered.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width, width);
    uint64_t sign = uint64_t(1) << (8 * width - 1);
    ordered[i] = bits & sign ? -static_cast<int64_t>(bits & ~sign)
                             : static_cast<int64_t>(bits);
  }
  return ordered;
}

static uint64_t distanceOf(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

static bool isUnsigned(const Tensor &tensor) {
  Type type = tensor.elementType();
  return type.isUnsignedInteger() || type.isInteger(1);
}

static Element elementOf(const Tensor &tensor, int64_t i) {
  Element element = {tensor.number(i)};
  if (!tensor.isFloat())
    element.integer =
        llvm::APSInt(llvm::APInt(64, static_cast<uint64_t>(tensor.integer(i))),
                     isUnsigned(tensor));
  return element;
}

/// The distance of two integers of one type.
static uint64_t distanceOf(const Tensor &a, const Tensor &b, int64_t i) {
  int64_t left = a.integer(i), right = b.integer(i);
  if (!isUnsigned(a))
    return distanceOf(left, right);
  uint64_t x = static_cast<uint64_t>(left), y = static_cast<uint64_t>(right);
  return x > y ? x - y : y - x;
}

/// The number of bounds that an error has, at least; 1 or less is within.
static double excess(double error, double b, std::optional<uint64_t> ulp,
                     ArrayRef<Bound> bounds) {
  if (error == 0)
    return 0;
  double least = infinite;
  for (const Bound &bound : bounds) {
    double tolerance = bound.absolute + bound.relative * std::abs(b);
    if (error <= tolerance)
      return error / tolerance;
    least = std::min(least, tolerance > 0 ? error / tolerance : infinite);
    if (!bound.ulp || !ulp || std::isinf(error))
      continue;
    if (*ulp <= *bound.ulp)
      return *bound.ulp ? double(*ulp) / double(*bound.ulp) : 0;
    least = std::min(least, double(*ulp) / std::max(1.0, double(*bound.ulp)));
  }
  // Infinite errors and bounds of zero have an order, too.
  return std::isinf(least) && std::isfinite(error) ? std::max(error, 2.0) * 1e30
                                                   : std::max(least, 2.0);
}

namespace {

class TensorComparison {
public:
  TensorComparison(const Tensor &a, const Tensor &b, ArrayRef<Bound> bounds)
      : a(a), b(b), isInteger(!a.isFloat()), bounds(bounds) {
    if (!a.isFloat() || !b.isFloat())
      return;
    orderedA = orderedBits(a, a.elementType());
    orderedB = orderedBits(b, a.elementType());
    result.maxUlp = 0;
  }

  Difference run() {
    result.elements = a.size();
    for (int64_t i = 0; i < a.size(); ++i)
      add(i);
    result.isBeyond = result.beyond != 0;
    if (hasNan)
      result.maxUlp.reset();
    if (result.elements) {
      result.a = elementOf(a, result.worst);
      result.b = elementOf(b, result.worst);
    }
    return std::move(result);
  }

private:
  void add(int64_t i) {
    double left = a.number(i), right = b.number(i), error = left - right;
    bool isNan = std::isnan(left) && std::isnan(right);
    std::optional<uint64_t> ulp;
    if (result.maxUlp && !std::isnan(left) && !std::isnan(right))
      ulp = distanceOf(orderedA[i], orderedB[i]);
    bool isSameInfinity = std::isinf(left) && ulp == uint64_t(0);
    bool isSameNumber = isInteger ? distanceOf(a, b, i) == 0 : left == right;
    if (isNan || isSameNumber || isSameInfinity)
      return;
    hasNan |= std::isnan(left) || std::isnan(right);
    if (isInteger)
      error = static_cast<double>(distanceOf(a, b, i));
    error = std::isnan(error) ? infinite : std::abs(error);
    result.maxAbsolute = std::max(result.maxAbsolute, error);
    if (right != 0)
      result.maxRelative =
          std::max(result.maxRelative,
                   std::isinf(error) ? infinite : error / std::abs(right));
    if (ulp)
      result.maxUlp = std::max(*result.maxUlp, *ulp);
    double over = excess(error, right, ulp, bounds);
    result.beyond += over > 1;
    if (over > worst)
      worst = over, result.worst = i;
  }

  const Tensor &a, &b;
  bool isInteger;
  ArrayRef<Bound> bounds;
  std::vector<int64_t> orderedA, orderedB;
  Difference result;
  double worst = 0;
  /// Whether an element is NaN on one side only.
  bool hasNan = false;
};

} // namespace

Difference compare(const Tensor &a, const Tensor &b, ArrayRef<Bound> bounds) {
  bool sameKind =
      a.isFloat() ? b.isFloat() : a.elementType() == b.elementType();
  if (sameKind && a.shape() == b.shape())
    return TensorComparison(a, b, bounds).run();
  Difference difference;
  difference.isBeyond = true;
  difference.mismatch = "A is " + typeText(a) + ", and B is " + typeText(b);
  difference.maxAbsolute = difference.maxRelative = infinite;
  return difference;
}

std::string typeText(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tensor.elementType() << '[';
  llvm::interleave(tensor.shape(), os, ",");
  os << ']';
  return text;
}

std::string indexText(ArrayRef<int64_t> shape, int64_t index) {
  SmallVector<int64_t> indices(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    indices[i] = index % shape[i];
    index /= shape[i];
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleave(indices, os, ",");
  os << ']';
  return text;
}

} // namespace weir::diff
