// Fourier transforms of tensors whose last dimension holds real and imaginary
// parts.

#include "compiler/import/build/Fourier.h"
#include "compiler/import/onnx/Choice.h"
#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/onnx/learned/Linear.h"
#include "compiler/import/onnx/neural/Compose.h"
#include "compiler/import/onnx/signal/Signal.h"

#include "dialects/graph/Elementwise.h"

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

/// One transform of a node's operand: along which axis, and of which length.
struct Dft {
  int64_t axis, length;
  bool isInverse, isHalf;

  /// How long the axis is in the result.
  int64_t resultLength() const {
    return isHalf && !isInverse ? length / 2 + 1 : length;
  }
};

FailureOr<Expr> transformed(Node &node, const Complex &x, const Dft &dft) {
  if (failed(checkLength(node, dft.length)))
    return failure();
  int64_t last = x.re.rank() - 1;
  Integers permutation(last + 1);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[dft.axis], permutation[last]);
  // The axis last, and of the length that is transformed.
  auto ready = [&](Expr e) {
    if (!e)
      return e;
    Integers low(last + 1, 0), high = low;
    high[last] =
        (dft.isHalf && dft.isInverse ? dft.length / 2 + 1 : dft.length) -
        e.size(dft.axis);
    return pad(transpose(e, permutation), low, high);
  };
  Complex y{ready(x.re), ready(x.im)};
  if (!y.re || y.re.type().getNumElements() == 0)
    return node.error() << "cannot transform " << node.type(0);
  if (dft.isHalf && dft.isInverse)
    y = mirrored(y, dft.length);
  y = transform(y, dft.isInverse ? 1 : -1);
  auto finish = [&](Expr e) {
    if (dft.isInverse)
      e = e / static_cast<double>(dft.length);
    else if (dft.isHalf)
      e = slice(e, last, 0, dft.resultLength());
    return e ? transpose(e, permutation) : e;
  };
  y = {finish(y.re), finish(y.im)};
  if (!dft.isHalf || !dft.isInverse || !y.re)
    return joined(y, node.element(0));
  Integers shape(y.re.shape());
  shape.push_back(1);
  return cast(reshape(y.re, shape), node.element(0));
}

/// The lengths that transforms along `axis` may have where only the run knows
/// operand 1: those of which the result is as long as the model says.
SmallVector<int64_t> lengthsFor(Dft dft, ArrayRef<int64_t> promised) {
  int64_t wanted = promised[dft.axis];
  SmallVector<int64_t> lengths;
  for (int64_t length : {wanted, 2 * (wanted - 1), 2 * (wanted - 1) + 1}) {
    dft.length = length;
    if (length > 0 && dft.resultLength() == wanted &&
        !llvm::is_contained(lengths, length))
      lengths.push_back(length);
  }
  return lengths;
}

/// Axis or length that only the run knows: one of those that give the shape
/// which the model says.
LogicalResult dftByData(Node &node, const Complex &x, Dft dft) {
  int64_t rank = node.rank(0);
  bool hasDynamicAxis =
      node.opset() >= 20 && node.has(2) && !node.tryConstant(2);
  bool hasDynamicLength = node.has(1) && !node.tryConstant(1);
  auto promised = promisedShape(node, 0, "its axis or length");
  if (failed(promised))
    return failure();
  if (static_cast<int64_t>(promised->size()) != rank)
    return node.error() << "makes [" << *promised << "] of " << node.type(0);
  SmallVector<Integers> candidates;
  for (int64_t axis = 0; axis + 1 < rank; ++axis) {
    if (!hasDynamicAxis && axis != dft.axis)
      continue;
    Dft each = dft;
    each.axis = axis;
    if (!node.has(1))
      each.length = dft.isHalf && dft.isInverse ? 2 * (x.re.size(axis) - 1)
                                                : x.re.size(axis);
    SmallVector<int64_t> lengths{each.length};
    if (hasDynamicLength)
      lengths = lengthsFor(each, *promised);
    for (int64_t length : lengths) {
      each.length = length;
      Integers shape(x.re.shape());
      shape[axis] = each.resultLength();
      if (ArrayRef(shape) == ArrayRef(*promised).drop_back())
        candidates.push_back({axis, length});
    }
  }
  SmallVector<Expr> given{number(node, dft.axis)}, lengths;
  if ((hasDynamicAxis && failed(readScalars(node, 2, given))) ||
      (hasDynamicLength && failed(readScalars(node, 1, lengths))))
    return failure();
  if (hasDynamicAxis)
    for (Expr &axis : given)
      axis = axisFromFront(node, axis, rank);
  llvm::append_range(given, lengths);
  if (given.size() != (hasDynamicLength ? 2u : 1u))
    return node.error() << "has no one axis and length";
  for (Integers &candidate : candidates)
    candidate.resize(hasDynamicLength ? 2 : 1);
  auto build = [&](ArrayRef<int64_t> values) {
    Dft each = dft;
    each.axis = values[0];
    if (hasDynamicLength)
      each.length = values[1];
    else if (!node.has(1))
      each.length = dft.isHalf && dft.isInverse ? 2 * (x.re.size(each.axis) - 1)
                                                : x.re.size(each.axis);
    return transformed(node, x, each);
  };
  auto y = chosen(node, given, candidates,
                  "its axis or length gives another shape than the model says",
                  build);
  return failed(y) ? failure() : give(node, *y);
}

/// Operands: x, the length and, from version 20 on, the axis.
LogicalResult importDft(Node &node) {
  if (failed(wantFloats(node, 1, 2)))
    return failure();
  auto x = partsOf(node, 0);
  if (failed(x))
    return failure();
  int64_t rank = node.rank(0);
  Dft dft{0, 0, node.intAttr("inverse") != 0, node.intAttr("onesided") != 0};
  if (dft.isHalf && x->im && !dft.isInverse)
    return node.error() << "gives one side of the transform of complex numbers";
  bool isOld = node.opset() < 20;
  bool hasDynamicAxis = !isOld && node.has(2) && !node.tryConstant(2);
  bool hasDynamicLength = node.has(1) && !node.tryConstant(1);
  if (!hasDynamicAxis) {
    FailureOr<int64_t> given =
        isOld ? node.intAttr("axis", 1) : FailureOr<int64_t>(-2);
    if (!isOld && node.has(2))
      given = node.integer(2);
    if (failed(given))
      return failure();
    auto axis = node.axis(*given, rank);
    if (failed(axis))
      return failure();
    if (*axis == rank - 1)
      return node.error() << "cannot transform the parts of numbers";
    dft.axis = *axis;
  }
  if (node.has(1) && !hasDynamicLength) {
    auto wanted = node.integer(1);
    if (failed(wanted))
      return failure();
    dft.length = *wanted;
  }
  if (hasDynamicAxis || hasDynamicLength)
    return dftByData(node, *x, dft);
  if (!node.has(1)) {
    dft.length = x->re.size(dft.axis);
    if (dft.isHalf && dft.isInverse)
      dft.length = 2 * (dft.length - 1);
  }
  auto y = transformed(node, *x, dft);
  return failed(y) ? failure() : give(node, *y);
}

/// Frames of a signal: how they lie in it.
struct Frames {
  Expr step;
  int64_t count, length;
};

/// The transforms of frames [batch, frames, bins, 2] of the signal.
FailureOr<Expr> framesTransformed(Node &node, const Complex &x,
                                  const Frames &frames, bool isHalf) {
  if (failed(checkLength(node, frames.length)))
    return failure();
  if (frames.count > (1 << 24) / frames.length)
    return node.unsupported("a signal of this length");
  Type i64 = node.b.getI64Type();
  Integers shape{frames.count, frames.length};
  Expr at = iota(node, shape, i64, 0) * frames.step + iota(node, shape, i64, 1);
  Expr window = operand(node, 2);
  auto framed = [&](Expr e) {
    if (!e)
      return e;
    e = gather(e, at, 1);
    return window ? e * cast(window, e.elementType()) : e;
  };
  Complex y{framed(x.re), framed(x.im)};
  if (!y.re || y.re.type().getNumElements() == 0)
    return node.error() << "cannot take frames from " << node.type(0);
  y = transform(y, -1);
  int64_t kept = isHalf ? frames.length / 2 + 1 : frames.length;
  return joined({slice(y.re, 2, 0, kept), slice(y.im, 2, 0, kept)},
                node.element(0));
}

/// A step or length of frames that only the run knows: such that the frames are
/// as many, and as long, as the model says.
LogicalResult stftByData(Node &node, const Complex &x, bool isHalf) {
  auto promised = promisedShape(node, 0, "its step or length");
  if (failed(promised))
    return failure();
  SmallVector<Expr> step;
  if (failed(readScalars(node, 1, step)))
    return failure();
  if (promised->size() != 4 || step.size() != 1 || x.re.rank() != 2)
    return node.error() << "makes [" << *promised << "] of " << node.type(0);
  int64_t count = (*promised)[1], bins = (*promised)[2], samples = x.re.size(1);
  // Lengths that have so many bins.
  SmallVector<Integers> lengths;
  for (int64_t length : {bins, 2 * (bins - 1), 2 * (bins - 1) + 1}) {
    bool fitsWindow =
        !node.has(2) || node.shape(2) == ArrayRef<int64_t>{length};
    bool isNew = llvm::none_of(
        lengths, [&](const Integers &l) { return l[0] == length; });
    if (length > 0 && length <= samples && fitsWindow && isNew &&
        (isHalf ? length / 2 + 1 : length) == bins)
      lengths.push_back({length});
  }
  SmallVector<Expr> given;
  if (failed(readScalars(node, 3, given)))
    return failure();
  if (!node.has(3) && node.has(2) && node.rank(2) == 1)
    given.push_back(number(node, node.shape(2)[0]));
  if (given.size() != 1 || count < 1)
    return node.error() << "does not say how long its frames are";
  Expr one = number(node, 1);
  Expr safe = maximum(step[0], one);
  Expr frames =
      apply<graph::FloorDivOp>(number(node, samples) - given[0], safe) + one;
  if (failed(check(
          node, both(equal(frames, number(node, count)), equal(safe, step[0])),
          "takes another number of frames than the model says")))
    return failure();
  auto build = [&](ArrayRef<int64_t> length) {
    return framesTransformed(node, x, {safe, count, length[0]}, isHalf);
  };
  auto y = chosen(node, given, lengths,
                  "its frames have another length than the model says", build);
  return failed(y) ? failure() : give(node, *y);
}

/// Operands: a signal [batch, samples, parts], the step between frames, a
/// window and the length of frames.
LogicalResult importStft(Node &node) {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  auto x = partsOf(node, 0);
  if (failed(x))
    return failure();
  bool isHalf = node.intAttr("onesided", 1) != 0;
  if (!node.tryConstant(1) || (node.has(3) && !node.tryConstant(3)))
    return stftByData(node, *x, isHalf);
  auto step = node.integer(1);
  if (failed(step))
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
  Frames frames{number(node, *step), 1 + (samples - length) / *step, length};
  auto y = framesTransformed(node, *x, frames, isHalf);
  return failed(y) ? failure() : give(node, *y);
}

} // namespace

void addSignalHandlers(Handlers &handlers) {
  handlers["DFT"] = importDft;
  handlers["STFT"] = importStft;
}

} // namespace weir::onnx
