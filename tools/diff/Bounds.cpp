// How much rounding may change the result of a node.

#include "tools/diff/Bounds.h"

#include "compiler/reference/Rounding.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/elementwise/Lanes.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;

namespace weir::diff {

using namespace reference;

namespace {

/// Units of a conditional or a loop, whose ops are not counted.
constexpr double loopUnits = 1000;
/// How a function passes on the relative error of an operand, at most.
constexpr double condition = 4;

/// The distance of 1 and the next number of a type; 0 if it is no float.
double epsilonOf(Type type) {
  const llvm::fltSemantics *semantics = semanticsOf(getElementTypeOrSelf(type));
  return semantics
             ? std::ldexp(
                   1.0, 1 - int(llvm::APFloat::semanticsPrecision(*semantics)))
             : 0;
}

double smallestNormalOf(Type type) {
  const llvm::fltSemantics *semantics = semanticsOf(getElementTypeOrSelf(type));
  return semantics
             ? std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(*semantics))
             : 0;
}

bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

/// The largest absolute error of each value of a slice whose inputs are exact.
class Errors {
public:
  Errors(const Slice &slice, const llvm::DenseMap<Value, double> &magnitudes,
         double usual)
      : slice(slice), magnitudes(magnitudes), usual(usual) {
    for (Operation *op : slice.ops)
      op->walk([&](Operation *inner) {
        for (Type type : inner->getResultTypes())
          epsilon = std::max(epsilon, epsilonOf(type));
      });
  }

  /// The absolute error of the result, besides that of its last rounding.
  double run() {
    for (Operation *op : slice.ops)
      add(op);
    return errors.lookup(slice.result);
  }

  double epsilon = 0;

private:
  double magnitude(Value value) const {
    auto found = magnitudes.find(value);
    return found == magnitudes.end() ? usual : found->second;
  }
  double error(Value value) const { return errors.lookup(value); }

  double total(Operation *op) const {
    double sum = 0;
    for (Value operand : op->getOperands())
      sum += error(operand);
    return sum;
  }

  void add(Operation *op) {
    if (op->getNumResults() == 0)
      return;
    double passed = passedOn(op), own = ownError(op);
    for (Value result : op->getResults())
      if (isFloat(result.getType()))
        errors[result] = passed + own;
  }

  /// What the errors of the operands become.
  double passedOn(Operation *op) const {
    double sum = total(op);
    if (sum == 0 || isExactOp(op) ||
        isa<graph::AddOp, graph::SubOp, graph::CastOp>(op))
      return sum;
    if (isa<graph::MulOp, graph::MatmulOp, graph::ConvolutionOp>(op)) {
      double terms = isa<graph::MulOp>(op) ? 1 : termsOf(op);
      Value left = op->getOperand(0), right = op->getOperand(1);
      return std::sqrt(terms) *
             (error(left) * magnitude(right) + error(right) * magnitude(left));
    }
    if (isa<graph::ReduceSumOp>(op))
      return sum * termsOf(op);
    double relative = 0;
    for (Value operand : op->getOperands())
      if (double size = magnitude(operand); error(operand) > 0 && size > 0)
        relative += error(operand) / size;
    bool growsWithOperand =
        isa<graph::ExpOp, graph::SinOp, graph::CosOp, graph::TanOp>(op);
    double growth =
        growsWithOperand ? 1 + magnitude(op->getOperand(0)) : condition;
    return growth * relative * largestResult(op);
  }

  double largestResult(Operation *op) const {
    double most = 0;
    for (Value result : op->getResults())
      most = std::max(most, magnitude(result));
    return most;
  }

  double largestOperand(Operation *op) const {
    double most = 0;
    for (Value operand : op->getOperands())
      if (isFloat(operand.getType()))
        most = std::max(most, magnitude(operand));
    return most;
  }

  /// What the op itself rounds.
  double ownError(Operation *op) const {
    if (isExactOp(op))
      return 0;
    bool isLast = op == slice.result.getDefiningOp();
    if (isa<graph::ScalarOpInterface>(op)) {
      if (isSpecialOp(op))
        return epsilon * specialUnits * std::max(1.0, largestResult(op));
      // The last rounding is relative to the element.
      return isLast ? 0 : epsilon * elementUnits * largestResult(op);
    }
    double scale = std::max(largestResult(op), largestOperand(op));
    if (op->getNumRegions() != 0)
      return epsilon * loopUnits * scale;
    if (isa<graph::MatmulOp, graph::ConvolutionOp>(op))
      scale = std::max(largestResult(op), magnitude(op->getOperand(0)) *
                                              magnitude(op->getOperand(1)));
    return epsilon * termUnits * std::sqrt(termsOf(op)) * scale;
  }

  const Slice &slice;
  const llvm::DenseMap<Value, double> &magnitudes;
  double usual;
  llvm::DenseMap<Value, double> errors;
};

/// Whether an integer comes from floats that the slice has rounded, as that of
/// a quantization does.
bool isRounded(const Slice &slice) {
  Operation *last = slice.result.getDefiningOp();
  return llvm::any_of(slice.ops, [&](Operation *op) {
    return op != last && !isExactOp(op) && op->getNumResults() &&
           isFloat(op->getResult(0).getType());
  });
}

} // namespace

Bound requestedBound(const DiffOptions &options) {
  return {options.relative.value_or(0), options.absolute.value_or(0),
          options.ulp};
}

Bound boundOf(const Slice &slice,
              const llvm::DenseMap<Value, double> &magnitudes, double usual) {
  Type type = getElementTypeOrSelf(slice.result);
  if (!isa<FloatType>(type))
    return {0, !type.isInteger(1) && isRounded(slice) ? 1.0 : 0.0};
  Errors errors(slice, magnitudes, usual);
  double absolute = errors.run();
  if (slice.ops.empty())
    return {};
  // Processors may flush subnormal numbers to zero.
  return {elementUnits * errors.epsilon, absolute + smallestNormalOf(type)};
}

} // namespace weir::diff
