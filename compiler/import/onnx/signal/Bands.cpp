// Windows, mel bands and determinants.

#include "compiler/import/build/Linear.h"
#include "compiler/import/onnx/neural/Compose.h"
#include "compiler/import/onnx/signal/Signal.h"

#include "dialects/graph/Elementwise.h"

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

/// The number at operand `i` as f64.
FailureOr<Expr> doubleAt(Node &node, unsigned i) {
  Expr x = operand(node, i);
  if (x.type().getNumElements() != 1)
    return node.error() << "operand " << i << " is " << x.type()
                        << " instead of one number";
  return reshape(cast(x, node.b.getF64Type()), {});
}

/// A frequency in hertz on the mel scale.
Expr melOf(Expr hertz) {
  return apply<graph::LogOp>(hertz / 700.0 + 1) * (2595 / std::log(10));
}

/// Bins and bands of a matrix of mel weights. Where only the run knows how many
/// it is to have, as many as the model says.
FailureOr<Integers> bandShape(Node &node) {
  if (node.tryConstant(0) && node.tryConstant(1)) {
    auto bands = node.integer(0), length = node.integer(1);
    if (failed(bands) || failed(length))
      return failure();
    if (*bands < 1 || *length < 1 || *length > longest)
      return node.error() << "cannot make " << *bands << " bands of " << *length
                          << " samples";
    return Integers{*length / 2 + 1, *bands};
  }
  auto shape = promisedShape(node, 0, "how many bands it has");
  if (failed(shape))
    return failure();
  if (shape->size() != 2 || (*shape)[0] < 1 || (*shape)[1] < 1)
    return node.error() << "cannot make bands [" << *shape << "]";
  auto bands = doubleAt(node, 0), length = doubleAt(node, 1);
  if (failed(bands) || failed(length))
    return failure();
  Expr bins = apply<graph::FloorOp>(*length / 2.0) + 1;
  if (failed(check(
          node,
          both(equal(bins, bins.like(static_cast<double>((*shape)[0]))),
               equal(*bands, bands->like(static_cast<double>((*shape)[1])))),
          "has another number of bands or bins than the model says")))
    return failure();
  return shape;
}

/// Operands: how many bands, the length of the transform, the rate of samples
/// and the lowest and highest frequency.
LogicalResult importMelWeights(Node &node) {
  if (failed(wantOperands(node, 5)))
    return failure();
  auto shape = bandShape(node);
  if (failed(shape))
    return failure();
  int64_t bins = (*shape)[0], bands = (*shape)[1];
  Type element = node.typeAttr("output_datatype", 1);
  if (!element)
    return failure();
  if (bands > (1 << 16) || bins > longest || bands > (1 << 24) / bins)
    return node.unsupported("a matrix of this size");
  auto length = doubleAt(node, 1), rate = doubleAt(node, 2),
       lowest = doubleAt(node, 3), highest = doubleAt(node, 4);
  if (failed(length) || failed(rate) || failed(lowest) || failed(highest))
    return failure();
  Expr zero = rate->like(0);
  if (failed(check(node,
                   both(apply<graph::GreaterOp>(*rate, zero),
                        both(apply<graph::GreaterEqualOp>(*lowest, zero),
                             apply<graph::GreaterEqualOp>(*highest, *lowest))),
                   "its rate and frequencies make no bands")))
    return failure();
  // The bins where bands begin, peak and end; each begins at the peak before.
  Type f64 = node.b.getF64Type();
  Expr first = melOf(*lowest);
  Expr step = (melOf(*highest) - first) / static_cast<double>(bands + 2);
  Expr mel = counted(node.b, bands + 2, f64) * step + first;
  Expr hertz = (apply<graph::ExpOp>(mel * (std::log(10) / 2595)) - 1) * 700.0;
  Expr peaks = apply<graph::FloorOp>(hertz * (*length + 1) / *rate);
  peaks = reshape(clamp(peaks, 0, 1e9), {1, bands + 2});
  Integers whole{bins, bands};
  auto at = [&](int64_t k) {
    return broadcast(slice(peaks, 1, k, bands), whole);
  };
  Expr low = at(0), peak = at(1), high = at(2);
  Expr bin = iota(node, whole, f64, 0);
  Expr one = bin.like(1);
  Expr share = select(less(bin, peak), (bin - low) / maximum(peak - low, one),
                      (high - bin) / maximum(high - peak, one));
  share = select(inRange(bin, low, high), share, bin.like(0));
  // A band that begins or ends where it peaks still has its peak.
  Expr isNarrow = either(equal(low, peak), equal(high, peak));
  share = select(both(isNarrow, equal(bin, peak)), one, share);
  return give(node, cast(share, element));
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
