// What a handler can ask of its node in every frontend.

#include "compiler/import/TracedNode.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/Tracing.h"

#include <google/protobuf/repeated_field.h>

using namespace mlir;

namespace weir {

/// Constants that handlers look at number by number are not larger.
constexpr int64_t listLimit = int64_t(1) << 24;

RankedTensorType TracedNode::type(unsigned i) const {
  if (operand(i))
    return typeOf(operand(i));
  if (fault.empty())
    fault = ("has no tensor for operand " + Twine(i)).str();
  return RankedTensorType::get({}, b.getI1Type());
}

std::optional<DenseElementsAttr> TracedNode::tryConstant(unsigned i) const {
  if (!operand(i) || traced(i).imaginary)
    return std::nullopt;
  return knownElements(operand(i));
}

FailureOr<DenseElementsAttr> TracedNode::constant(unsigned i) {
  if (!has(i))
    return error() << "has no operand " << i;
  if (std::optional<DenseElementsAttr> value = tryConstant(i))
    return *value;
  return unsupported("operand " + Twine(i) + ", '" +
                     escaped(inputName(i), 100) +
                     "', must be known at compile time");
}

FailureOr<SmallVector<int64_t>> TracedNode::integers(unsigned i) {
  FailureOr<DenseElementsAttr> value = constant(i);
  if (failed(value))
    return failure();
  auto element = dyn_cast<IntegerType>(value->getElementType());
  if (!element || value->getNumElements() > listLimit)
    return error() << "operand " << i << " is no list of integers but "
                   << value->getType();
  SmallVector<int64_t> result;
  result.reserve(value->getNumElements());
  for (const APInt &number : value->getValues<APInt>())
    result.push_back(element.isUnsigned() || element.getWidth() == 1
                         ? static_cast<int64_t>(number.getZExtValue())
                         : number.getSExtValue());
  return result;
}

FailureOr<int64_t> TracedNode::integer(unsigned i) {
  FailureOr<SmallVector<int64_t>> numbers = integers(i);
  if (failed(numbers))
    return failure();
  if (numbers->size() != 1)
    return error() << "operand " << i << " holds " << numbers->size()
                   << " numbers where one is wanted";
  return numbers->front();
}

FailureOr<int64_t> TracedNode::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error() << "axis " << axis << " is none of " << rank
                   << " dimensions";
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> TracedNode::axes(ArrayRef<int64_t> axes,
                                                 int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t each : axes) {
    FailureOr<int64_t> one = axis(each, rank);
    if (failed(one))
      return failure();
    if (llvm::is_contained(result, *one))
      return error() << "axis " << each << " is named twice";
    result.push_back(*one);
  }
  return result;
}

StringRef TracedNode::inputName(unsigned i) const {
  return inputs.Get(static_cast<int>(i));
}

LogicalResult TracedNode::results(ValueRange values) {
  given.clear();
  for (Value value : values)
    given.push_back({value, {}, nullptr});
  return success();
}

LogicalResult TracedNode::tracedResults(SmallVector<Traced> values) {
  given = std::move(values);
  return success();
}

InFlightDiagnostic TracedNode::error(Status status) {
  InFlightDiagnostic diagnostic = tracing.report.error(b.getLoc(), status);
  diagnostic << "(" << escaped(op(), 60) << "): ";
  return diagnostic;
}

LogicalResult TracedNode::unsupported(const Twine &what) {
  bool hasDynamicSizes = llvm::any_of(
      operands, [](const Traced &operand) { return operand.isBounded(); });
  tracing.unsupported(b.getLoc(), op(), what, hasDynamicSizes);
  return failure();
}

LogicalResult TracedNode::missing(StringRef name) const {
  if (fault.empty())
    fault = ("has no attribute '" + name + "'").str();
  return failure();
}

LogicalResult TracedNode::run() {
  Status before = tracing.report.status;
  if (failed(handle()) || !fault.empty() || tracing.report.status != before)
    return failure();
  return checkGiven();
}

LogicalResult TracedNode::runAs(TracedNode &other) {
  LogicalResult outcome = other.run();
  if (fault.empty())
    fault = other.fault;
  if (failed(outcome) || !fault.empty())
    return failure();
  given = std::move(other.given);
  return success();
}

LogicalResult TracedNode::misfit() {
  InFlightDiagnostic diagnostic = error();
  diagnostic << "operands do not fit together:";
  for (unsigned i = 0; i < size(); ++i)
    if (operand(i))
      diagnostic << (i ? ", " : " ") << operand(i).getType();
  return diagnostic;
}

} // namespace weir
