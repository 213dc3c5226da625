// Random rounding errors of the reference interpreter.

#include "compiler/reference/RandomErrors.h"

#include "compiler/reference/Rounding.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using llvm::APFloat;
using llvm::fltSemantics;

namespace weir::reference {
namespace {

int digitsOf(const fltSemantics &semantics) {
  return int(APFloat::semanticsPrecision(semantics));
}

/// The unit in the last place of a number in a type.
double unitOf(double number, const fltSemantics &semantics) {
  int least = APFloat::semanticsMinExponent(semantics);
  int exponent = number == 0 ? least : std::max(std::ilogb(number), least);
  return std::ldexp(1.0, exponent - digitsOf(semantics) + 1);
}

double largestOf(const fltSemantics &semantics) {
  return APFloat::getLargest(semantics).convertToDouble();
}

/// The type that ops on a type compute in.
const fltSemantics &wideOf(const fltSemantics &semantics) {
  return digitsOf(semantics) < digitsOf(APFloat::IEEEsingle())
             ? APFloat::IEEEsingle()
             : semantics;
}

/// Whether the exact result of an op is a number of its type. That is not known
/// for f64, but its numbers with few digits are exact.
bool isRepresented(double number, const fltSemantics &semantics) {
  if (&semantics != &APFloat::IEEEdouble())
    return rounded(number, semantics) == number;
  constexpr int fewDigits = 46;
  int exponent;
  double digits = std::ldexp(std::frexp(number, &exponent), fewDigits);
  return digits == std::nearbyint(digits);
}

/// Whether an op has one rounding, by IEEE 754, or none on numbers of its type.
bool isRoundedOnce(Operation *op) {
  return isa<graph::FloorOp, graph::CeilOp, graph::RoundOp, graph::TruncOp,
             graph::SignOp, graph::BitcastOp, graph::NextAfterOp, graph::AddOp,
             graph::SubOp, graph::MulOp, graph::DivOp, graph::SquareOp,
             graph::SqrtOp, graph::ReciprocalOp, graph::CastOp,
             graph::SquaredDifferenceOp, graph::Relu6Op, graph::DivNoNanOp,
             graph::MulNoNanOp, graph::XdivyOp, graph::ModOp, graph::FloorModOp,
             graph::FloorDivOp>(op);
}

/// The magnitudes of a tensor of floats.
struct Extent {
  double largest = 0;
  /// The exponent of the largest power of two that divides all elements.
  int step = INT_MAX;
  bool isFinite = true;

  explicit Extent(const Tensor &tensor) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      double number = tensor[i].number;
      isFinite &= std::isfinite(number);
      if (!std::isfinite(number) || number == 0)
        continue;
      largest = std::max(largest, std::abs(number));
      int exponent;
      auto digits =
          uint64_t(std::ldexp(std::frexp(std::abs(number), &exponent), 53));
      step = std::min(step, exponent - 53 + llvm::countr_zero(digits));
    }
  }

  /// The digits of the elements as multiples of the power of two.
  double digits() const {
    return largest == 0 ? 0 : std::ilogb(largest) + 1 - step;
  }
};

bool isSolver(Operation *op) {
  return isa<graph::CholeskyOp, graph::TriangularSolveOp, graph::LuOp,
             graph::QrOp, graph::SvdOp>(op);
}

/// Whether all partial sums of an op are represented, in any order.
bool hasExactSums(Operation *op, Operands operands, int digits) {
  double needed = std::log2(termsOf(op));
  if (isa<graph::MatmulOp, graph::ConvolutionOp, graph::FilterGradientOp>(op)) {
    needed += Extent(*operands[0]).digits() + Extent(*operands[1]).digits();
  } else if (isa<graph::ReduceSumOp, graph::CumulativeSumOp,
                 graph::PoolAverageOp>(op)) {
    needed += Extent(*operands[0]).digits();
  } else if (isa<graph::ReduceProdOp, graph::CumulativeProdOp>(op)) {
    needed = termsOf(op) * Extent(*operands[0]).digits();
  } else {
    return false;
  }
  return needed <= digits;
}

/// Whether a convolution may be computed by transformed filters, which mix the
/// elements of a tile and are exact for no grid.
bool mayBeTransformed(Operation *op) {
  auto convolution = dyn_cast<graph::ConvolutionOp>(op);
  if (!convolution)
    return false;
  auto filter = cast<RankedTensorType>(convolution.getFilter().getType());
  return isa<FloatType>(filter.getElementType()) && filter.getRank() == 4 &&
         filter.getDimSize(0) > 1 && filter.getDimSize(1) > 1 &&
         llvm::all_of(convolution.getStrides(),
                      [](int64_t stride) { return stride == 1; });
}

} // namespace

double RandomErrors::uniform() {
  // SplitMix64.
  uint64_t bits = state += 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
  return std::ldexp(double((bits ^ bits >> 31) >> 11), -52) - 1;
}

bool RandomErrors::coin() { return takesChances || uniform() < 0; }

double RandomErrors::changed(double number, double amount,
                             const fltSemantics &semantics) {
  if (!std::isfinite(number))
    return number;
  number += uniform() * amount;
  if (std::abs(number) > largestOf(semantics) && coin())
    return std::copysign(INFINITY, number);
  const fltSemantics &wide = wideOf(semantics);
  double least = std::ldexp(1.0, APFloat::semanticsMinExponent(wide));
  if (std::abs(number) < least && coin())
    return std::copysign(0.0, number);
  return number;
}

void RandomErrors::change(Tensor &tensor, double units,
                          const fltSemantics &semantics) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    // A zero stays: its sign decides what it divides.
    if (double &number = tensor[i].number; number != 0)
      number = changed(number, units * unitOf(number, semantics), semantics);
}

void RandomErrors::changeBy(Tensor &tensor, double amount,
                            const fltSemantics &semantics) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor[i].number = changed(tensor[i].number, amount, semantics);
}

void RandomErrors::changeRounded(Tensor &result) {
  const fltSemantics &wide = wideOf(*semanticsOf(result.elementType()));
  for (int64_t i = 0; i < result.size(); ++i)
    if (double &number = result[i].number; !isRepresented(number, wide))
      number = changed(number, unitOf(number, wide), wide);
}

SmallVector<TensorRef> RandomErrors::readNarrow(Operands operands) {
  SmallVector<TensorRef> read;
  for (const TensorRef &operand : operands) {
    const fltSemantics *semantics = semanticsOf(operand->elementType());
    if (!semantics || &wideOf(*semantics) == semantics) {
      read.push_back(operand);
      continue;
    }
    auto own = std::make_shared<Tensor>(*operand);
    for (int64_t i = 0; i < own->size(); ++i) {
      double &number = (*own)[i].number;
      double narrow = rounded(number, *semantics);
      if (narrow == number)
        continue;
      // The error is random: that of this number is none of a library's, whose
      // number is another one.
      if (std::isfinite(narrow))
        number = changed(number, unitOf(number, *semantics) / 2, *semantics);
      else if (coin())
        number = narrow;
    }
    read.push_back(std::move(own));
  }
  return read;
}

void RandomErrors::changeElementwise(Operation *op, Tensor &result) {
  if (isRoundedOnce(op)) {
    changeRounded(result);
    return;
  }
  const fltSemantics &wide = wideOf(*semanticsOf(result.elementType()));
  if (!isSpecialOp(op)) {
    change(result, elementUnits, wide);
    return;
  }
  for (int64_t i = 0; i < result.size(); ++i)
    if (double &number = result[i].number; std::isfinite(number)) {
      double size = std::max(std::abs(number), 1.0);
      number = changed(number, specialUnits * unitOf(size, wide), wide);
    }
}

SmallVector<TensorRef> RandomErrors::changeTerms(Operation *op,
                                                 Operands operands) {
  double units = termUnits * std::sqrt(termsOf(op));
  auto scatter = dyn_cast<graph::ScatterOp>(op);
  if (scatter) {
    auto indices = cast<RankedTensorType>(scatter.getIndices().getType());
    units = std::sqrt(double(indices.getNumElements()));
  }
  SmallVector<TensorRef> changedOperands;
  for (const TensorRef &operand : operands) {
    if (!operand->isFloat()) {
      changedOperands.push_back(operand);
      continue;
    }
    auto own = std::make_shared<Tensor>(*operand);
    const fltSemantics &semantics = *semanticsOf(own->elementType());
    const fltSemantics &wide = wideOf(semantics);
    if (isSolver(op))
      // Solvers are stable by the norm of the matrix.
      changeBy(*own, units * unitOf(Extent(*own).largest, wide), wide);
    else
      // Each update of a scatter is rounded to the type of the result.
      change(*own, units, scatter ? semantics : wide);
    changedOperands.push_back(std::move(own));
  }
  return changedOperands;
}

Results
RandomErrors::evaluate(Operation *op, Operands values,
                       function_ref<Results(Operation *, Operands)> evaluate) {
  SmallVector<TensorRef> operands = readNarrow(values);
  bool hasFloats = llvm::any_of(op->getResultTypes(), [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  });
  if (!hasFloats || isExactOp(op))
    return evaluate(op, operands);
  if (op->hasTrait<OpTrait::Elementwise>()) {
    Results results = evaluate(op, operands);
    if (results)
      changeElementwise(op, results->front());
    return results;
  }
  Type type;
  for (Type each : op->getResultTypes())
    if (isa<FloatType>(getElementTypeOrSelf(each)))
      type = getElementTypeOrSelf(each);
  const fltSemantics &wide = wideOf(*semanticsOf(type));
  bool isTransformed = mayBeTransformed(op);
  bool isExact = !isTransformed && hasExactSums(op, operands, digitsOf(wide));
  // Boxes are compared, so that an error would choose others.
  bool keepsOperands = isExact || isa<graph::SuppressOp>(op);
  Results results = keepsOperands ? evaluate(op, operands)
                                  : evaluate(op, changeTerms(op, operands));
  if (!results)
    return results;
  for (Tensor &result : *results) {
    if (!result.isFloat())
      continue;
    changeRounded(result);
    if (!isExact)
      change(result, elementUnits, wide);
    // The sum is at least 1, and its logarithm has the relative error of it.
    if (isa<graph::LogSoftmaxOp, graph::CumulativeLogSumExpOp>(op))
      changeBy(result, elementUnits * unitOf(1, wide), wide);
    if (isTransformed) {
      double size = Extent(*operands[0]).largest * Extent(*operands[1]).largest;
      changeBy(result, termUnits * std::sqrt(termsOf(op)) * unitOf(size, wide),
               wide);
    }
  }
  return results;
}

} // namespace weir::reference
