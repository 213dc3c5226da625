// Sizes of convolutions for cuDNN.

#include "dialects/libraries/Problem.h"

#include "dialects/libraries/Libraries.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace weir::libraries {
namespace {

// What the library may use besides: in proportion to what it reads and writes,
// so that small models stay small.
constexpr int64_t minWorkspace = 4 << 20, maxWorkspace = 64 << 20,
                  workspaceTimes = 4;
// Windows of more elements are as large as images, of which a sum is little but
// a product of matrices.
constexpr int64_t maxTaps = 49;

/// The values of one or two spatial dimensions, of two.
std::array<int64_t, 2> both(ArrayRef<int64_t> values, int64_t absent) {
  return values.size() == 1 ? std::array<int64_t, 2>{absent, values[0]}
                            : std::array<int64_t, 2>{values[0], values[1]};
}

bool isSmall(ShapedType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    if (size < 1 || size > maxSize / elements)
      return false;
    else
      elements *= size;
  return true;
}

/// Whether what a window reaches can be counted without care.
bool areSmall(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value <= maxSize; });
}

} // namespace

Problem::Problem(ShapedType images, ShapedType filter, ShapedType out,
                 ArrayRef<int64_t> windows, ArrayRef<int64_t> steps,
                 ArrayRef<int64_t> distances, ArrayRef<int64_t> padding,
                 int64_t groups)
    : images(images), filter(filter), out(out), groups(groups) {
  int64_t rank = out.getRank();
  isKnown = (rank == 3 || rank == 4) && images.getRank() == rank &&
            filter.getRank() == rank && isSmall(images) && isSmall(filter) &&
            isSmall(out) && areSmall(steps) && areSmall(distances) &&
            areSmall(padding) && isForLibraries(out.getElementType()) &&
            images.getElementType() == out.getElementType() &&
            filter.getElementType() == out.getElementType();
  if (!isKnown)
    return;
  size = both(images.getShape().slice(1, rank - 2), 1);
  window = both(windows, 1);
  result = both(out.getShape().slice(1, rank - 2), 1);
  strides = both(steps, 1);
  dilations = both(distances, 1);
  low = both(padding, 0);
  for (int i = 0; i < 2; ++i) {
    // At the end the library pads as much as the results need.
    int64_t reach = (window[i] - 1) * dilations[i] + 1;
    high[i] = std::max<int64_t>(
        (result[i] - 1) * strides[i] + reach - size[i] - low[i], 0);
    int64_t rest = size[i] + low[i] + high[i] - reach;
    isKnown &=
        rest >= 0 && rest / strides[i] + 1 == result[i] && high[i] <= maxSize;
  }
}

bool Problem::isWorthCalling() const {
  return groups == 1 && taps() <= maxTaps &&
         libraries::isWorthCalling(operations(), element(),
                                   /*isConvolution=*/true);
}

double Problem::operations() const {
  return 2.0 * out.getNumElements() * taps() * images.getShape().back() /
         groups;
}

ConvAttr Problem::record(MLIRContext *context, const ConvolutionEnd *end,
                         bool isForTf32, ArrayRef<int64_t> operands) const {
  Builder b(context);
  auto pair = [&](Pair values) { return b.getDenseI64ArrayAttr(values); };
  std::optional<double> clip = end ? end->clip : std::nullopt;
  return ConvAttr::get(context, images.getDimSize(0), images.getShape().back(),
                       out.getShape().back(), groups, pair(size), pair(window),
                       pair(strides), pair(dilations), pair(low), pair(high),
                       cast<FloatType>(element()), end && end->bias,
                       end && end->residual, end && end->relu,
                       clip ? b.getF64FloatAttr(*clip) : FloatAttr(),
                       /*gradient=*/!end, isForTf32, /*unaligned=*/false,
                       workspace(), b.getDenseI64ArrayAttr(operands));
}

int64_t Problem::workspace() const {
  int64_t bytes = (images.getNumElements() + filter.getNumElements() +
                   out.getNumElements()) *
                  (element().getIntOrFloatBitWidth() / 8);
  return std::clamp(bytes * workspaceTimes, minWorkspace, maxWorkspace);
}

} // namespace weir::libraries
