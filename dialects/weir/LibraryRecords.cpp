// What the records of GPU libraries may say.

#include "dialects/weir/Checks.h"
#include "dialects/weir/Records.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace weir;

namespace {

/// `name` has so many numbers, each in the range.
LogicalResult verifyNumbers(Emit emitError, StringLiteral name, size_t count,
                            DenseI64ArrayAttr values, int64_t least,
                            int64_t most) {
  if (size_t(values.size()) != count)
    return emitError() << name << " must have " << count << " numbers, not "
                       << values.size();
  for (int64_t value : values.asArrayRef())
    if (failed(verifyRanges(emitError, {{name, value, least, most}})))
      return failure();
  return success();
}

LogicalResult verifyElement(Emit emitError, FloatType type) {
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return emitError() << "dtype must be f32, f16 or bf16, not " << type;
  return success();
}

/// The tensor that has these sizes is not too large for a library.
LogicalResult verifySmall(Emit emitError,
                          std::initializer_list<int64_t> sizes) {
  constexpr int64_t most = int64_t(1) << 40;
  int64_t elements = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(elements, size, elements) || elements > most)
      return emitError() << "a tensor has more than 2^40 elements";
  return success();
}

/// Numbers of operands, or -1, if there are some.
LogicalResult verifyOperands(Emit emitError, size_t count,
                             DenseI64ArrayAttr operands) {
  if (!operands)
    return success();
  return verifyNumbers(emitError, "operands", count, operands, -1, INT32_MAX);
}

constexpr int64_t anywhere = int64_t(1) << 62;

} // namespace

LogicalResult LibraryCallAttr::verify(Emit emitError, StringRef function,
                                      int64_t number,
                                      DenseI64ArrayAttr operands) {
  if (!function.starts_with("weir_gpu_"))
    return emitError() << "function must be one of runtime/cuda/gpu.h, not '"
                       << function << "'";
  if (failed(verifyOperands(emitError, operands.size(), operands)))
    return failure();
  return verifyRanges(emitError, {{"number", number, 0, INT32_MAX}});
}

LogicalResult GemmAttr::verify(Emit emitError, int64_t m, int64_t n, int64_t k,
                               int64_t batch, FloatType dtype, bool transposeA,
                               bool transposeB, bool, bool, bool, bool,
                               int64_t lda, int64_t ldb, int64_t ldd,
                               int64_t strideA, int64_t strideB,
                               int64_t strideD, int64_t workspace,
                               DenseI64ArrayAttr operands) {
  constexpr int64_t most = int64_t(1) << 31;
  int64_t rowA = transposeA ? m : k, rowB = transposeB ? k : n;
  if (failed(verifyElement(emitError, dtype)) ||
      failed(verifyOperands(emitError, 3, operands)))
    return failure();
  return verifyRanges(emitError, {{"m", m, 1, most},
                                  {"n", n, 1, most},
                                  {"k", k, 1, most},
                                  {"batch", batch, 1, most - 1},
                                  {"lda", lda, lda ? rowA : 0, most},
                                  {"ldb", ldb, ldb ? rowB : 0, most},
                                  {"ldd", ldd, ldd ? n : 0, most},
                                  {"stride_a", strideA, -1, anywhere},
                                  {"stride_b", strideB, -1, anywhere},
                                  {"stride_d", strideD, -1, anywhere},
                                  {"workspace", workspace, 0, anywhere}});
}

GemmAttr GemmAttr::asRow(bool isAligned) const {
  return get(getContext(), getM(), getN(), getK(), getBatch(), getDtype(),
             getTransposeA(), getTransposeB(), getBias(), getRelu(), getTf32(),
             getUnaligned() || !isAligned, getLda(), getLdb(), getLdd(),
             getStrideA(), getStrideB(), getStrideD(), getWorkspace(),
             DenseI64ArrayAttr());
}

/// The number of windows along a dimension; negative where the window is larger
/// than the image.
static int64_t countWindows(int64_t size, int64_t low, int64_t high,
                            int64_t window, int64_t dilation, int64_t stride) {
  int64_t rest = size + low + high - ((window - 1) * dilation + 1);
  return rest < 0 ? -1 : rest / stride + 1;
}

LogicalResult
ConvAttr::verify(Emit emitError, int64_t images, int64_t inputs,
                 int64_t outputs, int64_t groups, DenseI64ArrayAttr size,
                 DenseI64ArrayAttr window, DenseI64ArrayAttr strides,
                 DenseI64ArrayAttr dilations, DenseI64ArrayAttr low,
                 DenseI64ArrayAttr high, FloatType dtype, bool bias,
                 bool residual, bool relu, FloatAttr clip, bool gradient, bool,
                 bool, int64_t workspace, DenseI64ArrayAttr operands) {
  constexpr int64_t most = INT32_MAX;
  if (failed(verifyElement(emitError, dtype)) ||
      failed(verifyOperands(emitError, 4, operands)) ||
      failed(verifyRanges(emitError, {{"images", images, 1, most},
                                      {"inputs", inputs, 1, most},
                                      {"outputs", outputs, 1, most},
                                      {"groups", groups, 1, most},
                                      {"workspace", workspace, 0, most}})))
    return failure();
  struct Pair {
    StringLiteral name;
    DenseI64ArrayAttr values;
    int64_t least;
  };
  for (const Pair &one :
       {Pair{"size", size, 1}, Pair{"window", window, 1},
        Pair{"strides", strides, 1}, Pair{"dilations", dilations, 1},
        Pair{"padding_low", low, 0}, Pair{"padding_high", high, 0}})
    if (failed(
            verifyNumbers(emitError, one.name, 2, one.values, one.least, most)))
      return failure();
  if (gradient && (bias || residual || relu))
    return emitError() << "a gradient has no bias, residual or relu";
  if (clip && (!relu || !clip.getValue().isFiniteNonZero() ||
               clip.getValue().isNegative()))
    return emitError() << "clip is no bound of a relu";
  if (inputs % groups || outputs % groups)
    return emitError() << groups << " groups do not divide the channels";
  int64_t results[2];
  for (int i = 0; i < 2; ++i) {
    results[i] = countWindows(size[i], low[i], high[i], window[i], dilations[i],
                              strides[i]);
    if (results[i] < 0)
      return emitError() << "the window is larger than the image";
  }
  return success(
      succeeded(verifySmall(emitError, {images, size[0], size[1], inputs})) &&
      succeeded(
          verifySmall(emitError, {images, results[0], results[1], outputs})) &&
      succeeded(
          verifySmall(emitError, {outputs, window[0], window[1], inputs})));
}

int64_t ConvAttr::resultSize(unsigned i) const {
  return countWindows(getSize()[i], getPaddingLow()[i], getPaddingHigh()[i],
                      getWindow()[i], getDilations()[i], getStrides()[i]);
}

ConvAttr ConvAttr::asRow(bool isAligned) const {
  return get(getContext(), getImages(), getInputs(), getOutputs(), getGroups(),
             getSize(), getWindow(), getStrides(), getDilations(),
             getPaddingLow(), getPaddingHigh(), getDtype(), getBias(),
             getResidual(), getRelu(), getClip(), getGradient(), getTf32(),
             getUnaligned() || !isAligned, getWorkspace(), DenseI64ArrayAttr());
}

LogicalResult
AttentionAttr::verify(Emit emitError, int64_t batch, int64_t heads,
                      int64_t rows, int64_t columns, int64_t depth,
                      int64_t width, DenseI64ArrayAttr q, DenseI64ArrayAttr k,
                      DenseI64ArrayAttr v, DenseI64ArrayAttr mask,
                      DenseI64ArrayAttr out, FloatAttr scale, FloatType dtype,
                      bool, int64_t workspace, DenseI64ArrayAttr operands) {
  constexpr int64_t most = INT32_MAX, maxElements = int64_t(1) << 40;
  if (!dtype.isF16() && !dtype.isBF16())
    return emitError() << "dtype must be f16 or bf16, not " << dtype;
  if (failed(verifyOperands(emitError, 4, operands)) ||
      failed(verifyRanges(emitError, {{"batch", batch, 1, most},
                                      {"heads", heads, 1, most},
                                      {"rows", rows, 1, most},
                                      {"columns", columns, 1, most},
                                      {"depth", depth, 1, most},
                                      {"width", width, 1, most},
                                      {"workspace", workspace, 1, most}})))
    return failure();
  struct Strides {
    StringLiteral name;
    DenseI64ArrayAttr values;
    int64_t least;
  };
  for (const Strides &one :
       {Strides{"q", q, 1}, Strides{"k", k, 1}, Strides{"v", v, 1},
        Strides{"out", out, 1}, Strides{"mask", mask, 0}})
    if (one.values && failed(verifyNumbers(emitError, one.name, 3, one.values,
                                           one.least, maxElements)))
      return failure();
  if (failed(verifySmall(emitError, {batch, heads, rows, columns})) ||
      failed(verifySmall(emitError, {batch, heads, rows, depth})) ||
      failed(verifySmall(emitError, {batch, heads, rows, width})) ||
      failed(verifySmall(emitError, {batch, heads, columns, depth})) ||
      failed(verifySmall(emitError, {batch, heads, columns, width})))
    return failure();
  if (workspace < 4 * batch * heads * rows)
    return emitError() << "workspace must have room for a number of each row, "
                          "not "
                       << workspace << " bytes";
  if (!std::isfinite(static_cast<float>(scale.getValueAsDouble())))
    return emitError() << "scale is no finite f32";
  return success();
}

AttentionAttr AttentionAttr::asRow(bool isAligned) const {
  return get(getContext(), getBatch(), getHeads(), getRows(), getColumns(),
             getDepth(), getWidth(), getQ(), getK(), getV(), getMask(),
             getOut(), getScale(), getDtype(), getUnaligned() || !isAligned,
             getWorkspace(), DenseI64ArrayAttr());
}
