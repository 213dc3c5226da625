// Fourier transforms, and the front ends of speech recognition.

#include "compiler/import/build/Fourier.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// One, two or three dimensions, from the end of the op's name.
int64_t dimensionsOf(Node &node) {
  return node.op().ends_with("3D") ? 3 : node.op().ends_with("2D") ? 2 : 1;
}

Expr mapPart(Expr x, function_ref<Expr(Expr)> map) { return x ? map(x) : x; }

/// The transform along dimension `dim`, scaled for inverse ones.
Complex along(Complex x, int64_t dim, int sign) {
  int64_t last = x.re.rank() - 1;
  SmallVector<int64_t> permutation(x.re.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[dim], permutation[last]);
  auto exchange = [&](Expr e) {
    return dim == last ? e : transpose(e, permutation);
  };
  Complex y =
      transform({mapPart(x.re, exchange), mapPart(x.im, exchange)}, sign);
  if (!y.re || !y.im)
    return {};
  if (sign > 0) {
    auto length = static_cast<double>(x.re.size(dim));
    y = {y.re / length, y.im / length};
  }
  return {exchange(y.re), exchange(y.im)};
}

/// `size` elements of dimension `dim`: the first, or zeros after all.
Expr fit(Expr x, int64_t dim, int64_t size) {
  if (!x)
    return x;
  SmallVector<int64_t> low(x.rank(), 0), high(x.rank(), 0);
  high[dim] = size - x.size(dim);
  return pad(x, low, high);
}

/// Whether lengths can be transformed; reports it where not.
LogicalResult checkLengths(Node &node, ArrayRef<int64_t> lengths) {
  for (int64_t length : lengths) {
    if (length < 0 || length > (1 << 22))
      return node.error() << "transforms " << length << " elements";
    if (!canTransform(length))
      return node.unsupported("Fourier transforms of " + Twine(length) +
                              " elements");
  }
  return success();
}

LogicalResult giveComplex(Node &node, Complex x) {
  if (!x.re || !x.im)
    return give(node, Expr());
  return node.tracedResults({Traced{x.re.value, x.im.value, nullptr}});
}

Complex complexOperand(Node &node) {
  if (node.size() == 0 || !node.traced(0).value)
    return {};
  Complex x{Expr(node.b, node.traced(0).value), Expr()};
  if (node.traced(0).imaginary)
    x.im = Expr(node.b, node.traced(0).imaginary);
  return x;
}

LogicalResult fft(Node &node) {
  Complex x = complexOperand(node);
  int64_t dims = dimensionsOf(node);
  if (!x.re || x.re.rank() < dims)
    return give(node, Expr());
  if (failed(checkLengths(node, x.re.shape().take_back(dims))))
    return failure();
  if (x.re.type().getNumElements() == 0)
    return giveComplex(node, {x.re, x.im ? x.im : x.re});
  int sign = node.op().starts_with("I") ? 1 : -1;
  for (int64_t i = 0; i < dims && x.re; ++i)
    x = along(x, x.re.rank() - 1 - i, sign);
  return giveComplex(node, x);
}

/// From reals to the first half of the transform and the middle.
LogicalResult rfft(Node &node) {
  Expr x = operand(node, 0);
  int64_t dims = dimensionsOf(node);
  auto lengths = node.integers(1);
  if (failed(lengths) || failed(checkLengths(node, *lengths)))
    return failure();
  if (!x || x.rank() < dims || lengths->size() != size_t(dims) ||
      !isa<FloatType>(x.elementType()))
    return give(node, Expr());
  int64_t last = x.rank() - 1;
  for (int64_t i = 0; i < dims; ++i)
    x = fit(x, last - dims + 1 + i, (*lengths)[i]);
  if (!x || x.type().getNumElements() == 0)
    return give(node, Expr());
  Complex y = along({x, Expr()}, last, -1);
  int64_t half = lengths->back() / 2 + 1;
  y = {slice(y.re, last, 0, half), slice(y.im, last, 0, half)};
  for (int64_t i = 1; i < dims && y.re; ++i)
    y = along(y, last - i, -1);
  return giveComplex(node, y);
}

/// From the first half of a transform of reals to these: the other half is the
/// conjugate, backwards.
LogicalResult irfft(Node &node) {
  Complex x = complexOperand(node);
  int64_t dims = dimensionsOf(node);
  auto lengths = node.integers(1);
  if (failed(lengths) || failed(checkLengths(node, *lengths)))
    return failure();
  if (!x.re || x.re.rank() < dims || lengths->size() != size_t(dims))
    return give(node, Expr());
  int64_t last = x.re.rank() - 1, length = lengths->back();
  if (!x.im)
    x.im = x.re * 0.0;
  for (int64_t i = 0; i < dims; ++i) {
    int64_t dim = last - dims + 1 + i;
    int64_t size = i == dims - 1 ? length / 2 + 1 : (*lengths)[i];
    x = {fit(x.re, dim, size), fit(x.im, dim, size)};
  }
  if (!x.re || length < 1 || x.re.type().getNumElements() == 0)
    return give(node, Expr());
  for (int64_t i = dims - 1; i > 0 && x.re; --i)
    x = along(x, last - i, 1);
  // Without what their conjugates would cancel.
  int64_t mirrored = (length - 1) / 2;
  auto backwards = [&](Expr e) {
    return reverse(slice(e, last, 1, mirrored), {last});
  };
  if (mirrored > 0)
    x = {concat({x.re, backwards(x.re)}, last),
         concat({x.im, -backwards(x.im)}, last)};
  Complex y = along(x, last, 1);
  return give(node, y.re);
}

/// Frames of a signal [samples, channels], windowed, and their power (or its
/// root) at each frequency: [channels, frames, frequencies].
LogicalResult spectrogram(Node &node) {
  Expr x = operand(node, 0);
  int64_t window = node.intAttr("window_size"), stride = node.intAttr("stride");
  if (!x || x.rank() != 2 || window < 2 || stride < 1 || window > (1 << 20) ||
      !x.elementType().isF32())
    return give(node, Expr());
  int64_t samples = x.size(0), channels = x.size(1);
  int64_t frames = samples < window ? 0 : 1 + (samples - window) / stride;
  int64_t length = 1;
  while (length < window)
    length *= 2;
  int64_t frequencies = length / 2 + 1;
  if (frames == 0 || channels == 0)
    return give(
        node, Expr(node.b,
                   splat(node.b,
                         x.type().clone({channels, frames, frequencies}), 0)));
  if (frames > (1 << 24) / window)
    return node.unsupported("a signal of this length");
  SmallVector<double> positions, weights;
  for (int64_t i = 0; i < frames; ++i)
    for (int64_t k = 0; k < window; ++k)
      positions.push_back(static_cast<double>(i * stride + k));
  for (int64_t k = 0; k < window; ++k)
    weights.push_back(0.5 - 0.5 * std::cos(2 * M_PI * static_cast<double>(k) /
                                           static_cast<double>(window)));
  Expr at = constant(node.b, node.b.getI32Type(), {frames, window}, positions);
  Expr signal = gather(transpose(x, {1, 0}), at, 1) *
                constant(node.b, x.elementType(), {window}, weights);
  Complex y = along({fit(signal, 2, length), Expr()}, 2, -1);
  Expr power = slice(y.re * y.re + y.im * y.im, 2, 0, frequencies);
  if (!node.boolAttr("magnitude_squared"))
    power = apply<graph::SqrtOp>(power);
  return give(node, power);
}

/// Triangular bands, evenly apart on the mel scale, over `bins` frequencies
/// of a power spectrum: bins x bands, as TensorFlow's kernel weighs them.
SmallVector<double> melBands(int64_t bins, double rate, int64_t bands,
                             double lower, double upper) {
  auto mel = [](double hertz) { return 1127.0 * std::log1p(hertz / 700.0); };
  double low = mel(lower),
         spacing = (mel(upper) - low) / static_cast<double>(bands + 1);
  SmallVector<double> centers;
  for (int64_t i = 0; i <= bands; ++i)
    centers.push_back(low + spacing * static_cast<double>(i + 1));
  double perBin = 0.5 * rate / static_cast<double>(bins - 1);
  // The bin at zero frequency never counts.
  auto first = static_cast<int64_t>(1.5 + lower / perBin);
  auto last = static_cast<int64_t>(upper / perBin);
  SmallVector<double> weights(bins * bands, 0);
  for (int64_t i = std::max<int64_t>(first, 0); i <= std::min(last, bins - 1);
       ++i) {
    double at = mel(static_cast<double>(i) * perBin);
    int64_t above = 0;
    while (above < bands && centers[above] < at)
      ++above;
    double begin = above == 0 ? low : centers[above - 1];
    double share = (centers[above] - at) / (centers[above] - begin);
    if (above > 0)
      weights[i * bands + above - 1] += share;
    if (above < bands)
      weights[i * bands + above] += 1 - share;
  }
  return weights;
}

/// Operands: a spectrogram of powers and the rate of its samples.
LogicalResult mfcc(Node &node) {
  Expr x = operand(node, 0);
  auto rate = node.integer(1);
  if (failed(rate))
    return failure();
  int64_t bands = node.intAttr("filterbank_channel_count", 40);
  int64_t count = node.intAttr("dct_coefficient_count", 13);
  double upper = node.floatAttr("upper_frequency_limit", 4000);
  double lower = node.floatAttr("lower_frequency_limit", 20);
  if (!x || x.rank() != 3 || x.size(2) < 2 || bands < 1 || bands > 4096 ||
      count < 1 || count > bands || *rate < 1 || !(lower >= 0) ||
      !(upper > lower) || !std::isfinite(upper) || x.size(2) > (1 << 16))
    return give(node, Expr());
  int64_t bins = x.size(2);
  Expr filter =
      constant(node.b, x.elementType(), {bins, bands},
               melBands(bins, static_cast<double>(*rate), bands, lower, upper));
  Expr energies = matmul(apply<graph::SqrtOp>(x), filter);
  if (!energies)
    return give(node, Expr());
  energies = apply<graph::LogOp>(maximum(energies, energies.like(1e-12)));
  SmallVector<double> cosines;
  for (int64_t k = 0; k < bands; ++k)
    for (int64_t i = 0; i < count; ++i)
      cosines.push_back(
          std::sqrt(2.0 / static_cast<double>(bands)) *
          std::cos(M_PI / static_cast<double>(bands) * static_cast<double>(i) *
                   (static_cast<double>(k) + 0.5)));
  return give(node, matmul(energies, constant(node.b, x.elementType(),
                                              {bands, count}, cosines)));
}

} // namespace

void addSignalHandlers(Handlers &handlers) {
  for (const char *name : {"FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D"})
    handlers[name] = {fft, Takes::complex};
  for (const char *name : {"IRFFT", "IRFFT2D", "IRFFT3D"})
    handlers[name] = {irfft, Takes::complex};
  for (const char *name : {"RFFT", "RFFT2D", "RFFT3D"})
    handlers[name] = rfft;
  handlers["AudioSpectrogram"] = spectrogram;
  handlers["Mfcc"] = mfcc;
}

} // namespace weir::tensorflow
