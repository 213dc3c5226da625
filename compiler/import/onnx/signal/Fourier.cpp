// Fourier transforms of tensors whose last dimension holds real and imaginary
// parts.

#include "compiler/import/build/Fourier.h"
#include "compiler/import/onnx/neural/Compose.h"
#include "compiler/import/onnx/signal/Signal.h"

#include <numeric>

using namespace mlir;

namespace weir::onnx {
namespace {

FailureOr<Complex> partsOf(Node &node, unsigned i) {
  Expr x = operand(node, i);
  int64_t last = x.rank() - 1;
  if (x.rank() < 2 || x.size(last) < 1 || x.size(last) > 2)
    return node.error() << "does not transform " << x.type();
  ArrayRef<int64_t> shape = x.shape().drop_back();
  Expr wide = widened(x);
  Complex parts{reshape(slice(wide, last, 0, 1), shape), {}};
  if (x.size(last) == 2)
    parts.im = reshape(slice(wide, last, 1, 1), shape);
  return parts;
}

Expr joined(Complex x, Type element) {
  if (!x.re || !x.im)
    return {};
  Integers shape(x.re.shape());
  shape.push_back(1);
  return cast(concat({reshape(x.re, shape), reshape(x.im, shape)},
                     static_cast<int64_t>(shape.size()) - 1),
              element);
}

LogicalResult checkLength(Node &node, int64_t length) {
  if (length < 1 || length > (1 << 22))
    return node.error() << "transforms " << length << " elements";
  if (!canTransform(length))
    return node.unsupported("Fourier transforms of " + Twine(length) +
                            " elements");
  return success();
}

/// The first half of a transform of reals, along the last dimension, as a
/// whole one of `length`: the rest is the conjugate, backwards.
Complex mirrored(Complex x, int64_t length) {
  if (!x.im)
    x.im = x.re * 0.0;
  int64_t last = x.re.rank() - 1, count = (length - 1) / 2;
  auto backwards = [&](Expr e) {
    return reverse(slice(e, last, 1, count), {last});
  };
  if (count == 0)
    return x;
  return {concat({x.re, backwards(x.re)}, last),
          concat({x.im, -backwards(x.im)}, last)};
}

/// Operands: x, the length and, from version 20 on, the axis.
LogicalResult importDft(Node &node) {
  if (failed(wantFloats(node, 1, 2)))
    return failure();
  auto x = partsOf(node, 0);
  if (failed(x))
    return failure();
  int64_t rank = node.rank(0);
  FailureOr<int64_t> given = int64_t(-2);
  if (node.opset() < 20)
    given = node.intAttr("axis", 1);
  else if (node.has(2))
    given = node.integer(2);
  if (failed(given))
    return failure();
  auto axis = node.axis(*given, rank);
  if (failed(axis))
    return failure();
  if (*axis == rank - 1)
    return node.error() << "cannot transform the parts of numbers";
  int64_t length = x->re.size(*axis), last = rank - 2;
  bool isInverse = node.intAttr("inverse") != 0,
       isHalf = node.intAttr("onesided") != 0;
  if (isHalf && isInverse)
    length = 2 * (length - 1);
  if (node.has(1)) {
    auto wanted = node.integer(1);
    if (failed(wanted))
      return failure();
    length = *wanted;
  }
  if (failed(checkLength(node, length)))
    return failure();
  if (isHalf && x->im && !isInverse)
    return node.error() << "gives one side of the transform of complex numbers";
  Integers permutation(last + 1);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[*axis], permutation[last]);
  // The axis last, and of the length that is transformed.
  auto ready = [&](Expr e) {
    if (!e)
      return e;
    Integers low(last + 1, 0), high = low;
    high[last] =
        (isHalf && isInverse ? length / 2 + 1 : length) - e.size(*axis);
    return pad(transpose(e, permutation), low, high);
  };
  Complex y{ready(x->re), ready(x->im)};
  if (!y.re || y.re.type().getNumElements() == 0)
    return give(node, Expr());
  if (isHalf && isInverse)
    y = mirrored(y, length);
  y = transform(y, isInverse ? 1 : -1);
  auto finish = [&](Expr e) {
    if (isInverse)
      e = e / static_cast<double>(length);
    else if (isHalf)
      e = slice(e, last, 0, length / 2 + 1);
    return e ? transpose(e, permutation) : e;
  };
  y = {finish(y.re), finish(y.im)};
  if (!isHalf || !isInverse || !y.re)
    return give(node, joined(y, node.element(0)));
  Integers shape(y.re.shape());
  shape.push_back(1);
  return give(node, cast(reshape(y.re, shape), node.element(0)));
}

/// Operands: a signal [batch, samples, parts], the step between frames, a
/// window and the length of frames.
LogicalResult importStft(Node &node) {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  auto x = partsOf(node, 0);
  auto step = node.integer(1);
  if (failed(x) || failed(step))
    return failure();
  int64_t length = node.has(2) && node.rank(2) == 1 ? node.shape(2)[0] : 0;
  if (node.has(3)) {
    auto given = node.integer(3);
    if (failed(given))
      return failure();
    length = *given;
  }
  int64_t samples = x->re.size(1);
  if (x->re.rank() != 2 || *step < 1 || length < 1 || length > samples ||
      (node.has(2) && node.shape(2) != ArrayRef<int64_t>{length}))
    return node.error() << "cannot take frames of " << length
                        << " with a step of " << *step << " from "
                        << node.type(0);
  if (failed(checkLength(node, length)))
    return failure();
  int64_t frames = 1 + (samples - length) / *step;
  if (frames > (1 << 24) / length)
    return node.unsupported("a signal of this length");
  SmallVector<double> places;
  for (int64_t i = 0; i < frames; ++i)
    for (int64_t k = 0; k < length; ++k)
      places.push_back(static_cast<double>(i * *step + k));
  Expr at = constant(node.b, node.b.getI32Type(), {frames, length}, places);
  Expr window = operand(node, 2);
  auto framed = [&](Expr e) {
    if (!e)
      return e;
    e = gather(e, at, 1);
    return window ? e * cast(window, e.elementType()) : e;
  };
  bool isHalf = node.intAttr("onesided", 1) != 0;
  Complex y{framed(x->re), framed(x->im)};
  if (!y.re || y.re.type().getNumElements() == 0)
    return give(node, Expr());
  y = transform(y, -1);
  int64_t kept = isHalf ? length / 2 + 1 : length;
  return give(node, joined({slice(y.re, 2, 0, kept), slice(y.im, 2, 0, kept)},
                           node.element(0)));
}

} // namespace

void addSignalHandlers(Handlers &handlers) {
  handlers["DFT"] = importDft;
  handlers["STFT"] = importStft;
}

} // namespace weir::onnx
