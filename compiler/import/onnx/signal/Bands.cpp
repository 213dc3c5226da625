// Windows and mel bands, which are constants; and determinants.

#include "compiler/import/build/Linear.h"
#include "compiler/import/onnx/neural/Compose.h"
#include "compiler/import/onnx/signal/Signal.h"

#include <cmath>

using namespace mlir;

namespace weir::onnx {
namespace {

constexpr int64_t longest = 1 << 22;

/// How many samples operand 0 asks for; where only the run knows, as many as
/// the model says of the window, which it checks.
FailureOr<int64_t> samplesOf(Node &node) {
  if (!node.operand(0) || node.tryConstant(0))
    return node.integer(0);
  auto shape = promisedShape(node, 0, "operand 0");
  if (failed(shape))
    return failure();
  Expr size = operand(node, 0);
  if (shape->size() != 1 || size.type().getNumElements() != 1)
    return node.error() << "makes a window [" << *shape << "] of "
                        << size.type();
  Expr promised = size.like(static_cast<double>(shape->front()));
  if (failed(check(node, equal(size, promised),
                   "the window has another size than the model says")))
    return failure();
  return shape->front();
}

/// A sum of cosines over the samples that operand 0 counts, with these factors.
LogicalResult giveWindow(Node &node, ArrayRef<double> factors) {
  auto size = samplesOf(node);
  if (failed(size))
    return failure();
  Type element = node.typeAttr("output_datatype", 1);
  if (!element)
    return failure();
  if (*size < 0 || *size > longest)
    return node.error() << "makes a window of " << *size << " samples";
  bool isPeriodic = node.intAttr("periodic", 1) != 0;
  auto period =
      static_cast<double>(std::max<int64_t>(isPeriodic ? *size : *size - 1, 1));
  SmallVector<double> samples;
  for (int64_t i = 0; i < *size; ++i) {
    double sample = 0;
    for (auto [k, factor] : llvm::enumerate(factors))
      sample += factor * std::cos(2 * M_PI * static_cast<double>(k) *
                                  static_cast<double>(i) / period);
    samples.push_back(sample);
  }
  return give(node, constant(node.b, element, {*size}, samples));
}

LogicalResult importHann(Node &node) { return giveWindow(node, {0.5, -0.5}); }
LogicalResult importHamming(Node &node) {
  return giveWindow(node, {25.0 / 46, -21.0 / 46});
}
LogicalResult importBlackman(Node &node) {
  return giveWindow(node, {0.42, -0.5, 0.08});
}

/// A constant frequency in hertz on the mel scale.
FailureOr<double> melOf(Node &node, unsigned i) {
  auto value = node.constant(i);
  if (failed(value))
    return failure();
  if (!isa<FloatType>(value->getElementType()) || value->getNumElements() != 1)
    return node.error() << "operand " << i << " is " << node.type(i);
  double hertz = (*value->value_begin<APFloat>()).convertToDouble();
  return 2595 * std::log10(1 + hertz / 700);
}

/// Operands: how many bands, the length of the transform, the rate of samples
/// and the lowest and highest frequency.
LogicalResult importMelWeights(Node &node) {
  if (failed(wantOperands(node, 5)))
    return failure();
  auto bands = node.integer(0), length = node.integer(1),
       rate = node.integer(2);
  auto first = melOf(node, 3), end = melOf(node, 4);
  if (failed(bands) || failed(length) || failed(rate) || failed(first) ||
      failed(end))
    return failure();
  Type element = node.typeAttr("output_datatype", 1);
  if (!element)
    return failure();
  if (*bands < 1 || *bands > (1 << 16) || *length < 1 || *length > longest ||
      *rate < 1 || !std::isfinite(*first) || !std::isfinite(*end) ||
      *first > *end || *bands > (1 << 24) / (*length / 2 + 1))
    return node.error() << "cannot make " << *bands << " bands of " << *length
                        << " samples";
  int64_t bins = *length / 2 + 1;
  // The bins where bands begin, peak and end; each begins at the peak before.
  Integers peaks;
  for (int64_t i = 0; i < *bands + 2; ++i) {
    double mel = *first + static_cast<double>(i) * (*end - *first) /
                              static_cast<double>(*bands + 2);
    double hertz = 700 * (std::pow(10, mel / 2595) - 1);
    double bin = std::floor(static_cast<double>(*length + 1) * hertz /
                            static_cast<double>(*rate));
    peaks.push_back(static_cast<int64_t>(std::clamp(bin, 0.0, 1e9)));
  }
  SmallVector<double> weights(bins * *bands, 0);
  for (int64_t i = 0; i < *bands; ++i) {
    int64_t low = peaks[i], peak = peaks[i + 1], high = peaks[i + 2];
    for (int64_t k = low; k < std::min(high, bins); ++k) {
      double share = k < peak ? static_cast<double>(k - low) /
                                    static_cast<double>(peak - low)
                              : static_cast<double>(high - k) /
                                    static_cast<double>(high - peak);
      weights[k * *bands + i] = share;
    }
    // A band that begins or ends where it peaks still has its peak.
    if ((low == peak || high == peak) && peak < bins)
      weights[peak * *bands + i] = 1;
  }
  return give(node, constant(node.b, element, {bins, *bands}, weights));
}

LogicalResult importDeterminant(Node &node) {
  if (failed(wantFloats(node, 1, 2)))
    return failure();
  Expr x = widened(operand(node, 0));
  if (x.shape().back() != x.shape().end()[-2] || x.shape().back() < 1)
    return node.error() << "has no determinant of " << x.type();
  return give(node, cast(determinantOf(x), node.element(0)));
}

} // namespace

void addBandHandlers(Handlers &handlers) {
  handlers["HannWindow"] = importHann;
  handlers["HammingWindow"] = importHamming;
  handlers["BlackmanWindow"] = importBlackman;
  handlers["MelWeightMatrix"] = importMelWeights;
  handlers["Det"] = importDeterminant;
}

} // namespace weir::onnx
