// Floats rounded to the few values that an integer of some bits could stand
// for, between a minimum and a maximum.

#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The limits moved so that 0 is one of the values, and the step from one to
/// the next, all of the shape of the given limits.
struct Range {
  Expr low, high, step;
};

Range nudge(Expr low, Expr high, double first, double last) {
  Expr step = (high - low) / (last - first);
  Expr zero = first - low / step;
  Expr nearest = apply<graph::FloorOp>(zero + 0.5);
  nearest = clamp(nearest, first, last);
  return {(low.like(first) - nearest) * step, (low.like(last) - nearest) * step,
          step};
}

Expr quantize(Expr x, const Range &range) {
  Expr inside = maximum(minimum(x, range.high), range.low);
  Expr steps = (inside - range.low) * (range.step.like(1) / range.step) + 0.5;
  Expr y = apply<graph::FloorOp>(steps) * range.step + range.low;
  // Where both limits are 0 there is no value but 0.
  Expr isPoint = apply<graph::EqualOp>(range.step, range.step.like(0));
  return select(isPoint, y.like(0), y);
}

/// The same, with the derivatives that the ops of its gradients give: of what
/// lies beyond the limits, by these.
Expr quantizeAsTrained(Node &node, Expr x, Expr low, Expr high,
                       const Range &range) {
  Expr below = apply<graph::LessOp>(x, range.low);
  Expr above = apply<graph::GreaterOp>(x, range.high);
  return alongside(node, quantize(x, range),
                   select(below, low, select(above, high, x)));
}

struct Limits {
  double first, last;
};

FailureOr<Limits> limitsOf(Node &node) {
  int64_t bits = node.intAttr("num_bits", 8);
  if (bits < 2 || bits > 16)
    return node.error() << "has " << bits << " bits, not 2 to 16";
  return Limits{node.boolAttr("narrow_range") ? 1.0 : 0.0,
                static_cast<double>((int64_t(1) << bits) - 1)};
}

LogicalResult importArgs(Node &node) {
  auto operands = operandsOf(node, 1, Elements::floats);
  FailureOr<Limits> limits = limitsOf(node);
  if (failed(operands) || failed(limits))
    return failure();
  double low = node.floatAttr("min", -6), high = node.floatAttr("max", 6);
  if (!(low < high))
    return node.error() << "its minimum is not below its maximum";
  Expr x = operands->front();
  Range range = nudge(x.like(low), x.like(high), limits->first, limits->last);
  return give(node,
              quantizeAsTrained(node, x, x.like(low), x.like(high), range));
}

/// Limits that are operands: scalars, or one for each last index.
LogicalResult importVars(Node &node) {
  auto operands = operandsOf(node, 3, Elements::floats);
  FailureOr<Limits> limits = limitsOf(node);
  if (failed(operands) || failed(limits))
    return failure();
  // The limits themselves are less work than when broadcast.
  Expr x = operand(node, 0);
  if (operands->front().shape() != x.shape())
    return node.error() << "its limits are larger than what they limit";
  Expr low = operand(node, 1), high = operand(node, 2);
  Range range = nudge(low, high, limits->first, limits->last);
  return give(node, quantizeAsTrained(node, x, low, high, range));
}

/// Passes the gradient on where the input is within the limits.
LogicalResult importArgsGradient(Node &node) {
  auto operands = operandsOf(node, 2, Elements::floats);
  FailureOr<Limits> limits = limitsOf(node);
  if (failed(operands) || failed(limits))
    return failure();
  Expr dy = (*operands)[0], x = (*operands)[1];
  Range range =
      nudge(x.like(node.floatAttr("min", -6)), x.like(node.floatAttr("max", 6)),
            limits->first, limits->last);
  Expr inside =
      apply<graph::LogicalAndOp>(apply<graph::GreaterEqualOp>(x, range.low),
                                 apply<graph::LessEqualOp>(x, range.high));
  return give(node, select(inside, dy, dy.like(0)));
}

/// Also the gradients of the limits: of what lies beyond each.
LogicalResult importVarsGradient(Node &node) {
  auto operands = operandsOf(node, 4, Elements::floats);
  FailureOr<Limits> limits = limitsOf(node);
  if (failed(operands) || failed(limits))
    return failure();
  Expr dy = (*operands)[0], x = (*operands)[1];
  Range range =
      nudge(operand(node, 2), operand(node, 3), limits->first, limits->last);
  Expr below = apply<graph::LessOp>(x, range.low);
  Expr above = apply<graph::GreaterOp>(x, range.high);
  Expr beyond = apply<graph::LogicalOrOp>(below, above);
  Expr none = dy.like(0);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank() - node.rank(2)));
  return give(node,
              {select(beyond, none, dy), sum(select(below, dy, none), dims),
               sum(select(above, dy, none), dims)});
}

} // namespace

void addFakeQuantHandlers(Handlers &handlers) {
  handlers["FakeQuantWithMinMaxArgs"] = importArgs;
  handlers["FakeQuantWithMinMaxArgsGradient"] = importArgsGradient;
  handlers["FakeQuantWithMinMaxVars"] = importVars;
  handlers["FakeQuantWithMinMaxVarsPerChannel"] = importVars;
  handlers["FakeQuantWithMinMaxVarsGradient"] = importVarsGradient;
  handlers["FakeQuantWithMinMaxVarsPerChannelGradient"] = importVarsGradient;
}

} // namespace weir::tensorflow
