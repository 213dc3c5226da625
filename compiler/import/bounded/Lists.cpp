// The elements of lists of sizes: the second element of Concat(Shape(x)[0], 4)
// is 4, and the first is the very value that x has for its size.

#include "compiler/import/bounded/Lists.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/bounded/ranges/Intervals.h"
#include "compiler/import/bounded/ranges/Moved.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace weir {
namespace {

/// Chains of ops on sizes are short; longer ones are not looked into.
constexpr unsigned depthLimit = 64;
/// Lists of sizes have no more elements than tensors have dimensions.
constexpr int64_t longestList = 64;
/// Each number of a list makes ops of its own where only the run knows it.
constexpr int64_t longestOfRun = 254, longestKnown = int64_t(1) << 16;

/// Finds elements of lists as scalars. Each element of each value is visited
/// once, however many paths lead to it.
class ListElements {
public:
  explicit ListElements(ImplicitLocOpBuilder &b) : b(b) {}

  /// The element as a scalar that was computed as such; null where only a
  /// slice of the list would give it.
  Value find(Value list, int64_t index, unsigned depth = 0) {
    auto [known, isNew] = found.try_emplace({list, index});
    if (!isNew)
      return known->second;
    Value value = depth > depthLimit ? Value() : compute(list, index, depth);
    found[{list, index}] = value;
    return value;
  }

  /// The same, or a slice of the list.
  Value take(Value list, int64_t index, unsigned depth = 0) {
    if (Value scalar = find(list, index, depth))
      return scalar;
    Value &slice = taken[{list, index}];
    if (!slice) {
      Value flat = reshapeTo(b, list, {typeOf(list).getNumElements()});
      Value one = make<graph::SliceOp>(b, flat, ArrayRef<int64_t>{index},
                                       ArrayRef<int64_t>{index + 1},
                                       ArrayRef<int64_t>{1});
      slice = reshapeTo(b, one, {});
    }
    return slice;
  }

private:
  Value compute(Value list, int64_t index, unsigned depth) {
    RankedTensorType type = typeOf(list);
    Operation *op = list.getDefiningOp();
    Value itself = type.getRank() == 0 ? list : Value();
    if (matchPattern(list, m_Constant()))
      return itself;
    if (!op)
      return itself;
    Value inner =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case([&](graph::ReshapeOp reshape) {
              return find(reshape.getX(), index, depth + 1);
            })
            .Case<graph::ConcatOp, graph::SliceOp, graph::TransposeOp,
                  graph::ReverseOp>([&](auto) -> Value {
              auto from = movedFrom(op, index);
              return from ? known(from->tensor, from->index, depth) : Value();
            })
            .Case([&](graph::GatherOp gather) -> Value {
              if (typeOf(gather.getX()).getRank() != 1)
                return {};
              int64_t last = typeOf(gather.getX()).getNumElements() - 1;
              auto at = numberAt(gather.getIndices(), index, depth);
              if (!at)
                return {};
              return known(gather.getX(), std::clamp<int64_t>(*at, 0, last),
                           depth);
            })
            .Case([&](graph::BroadcastOp broadcast) -> Value {
              if (typeOf(broadcast.getX()).getNumElements() != 1)
                return {};
              return find(broadcast.getX(), 0, depth + 1);
            })
            .Case([&](graph::SelectOp select) -> Value {
              return selected(select, index, depth);
            })
            .Case([&](graph::ReduceSumOp each) {
              return combined<graph::AddOp>(each.getX(), type, depth);
            })
            .Case([&](graph::ReduceProdOp each) {
              return combined<graph::MulOp>(each.getX(), type, depth);
            })
            .Case([&](graph::ReduceMaxOp each) {
              return combined<graph::MaximumOp>(each.getX(), type, depth);
            })
            .Case([&](graph::ReduceMinOp each) {
              return combined<graph::MinimumOp>(each.getX(), type, depth);
            })
            .Default(
                [&](Operation *) { return elementwise(op, index, depth); });
    return inner ? inner : itself;
  }

  /// The element, also where the list is a constant.
  Value known(Value list, int64_t index, unsigned depth) {
    if (typeOf(list).getRank() > 0 && matchPattern(list, m_Constant()))
      return take(list, index, depth + 1);
    return find(list, index, depth + 1);
  }

  std::optional<int64_t> numberAt(Value list, int64_t index, unsigned depth) {
    Value scalar = known(list, index, depth);
    return scalar ? knownNumber(scalar) : std::nullopt;
  }

  /// Of an op that works element by element the same op on scalars, where any
  /// of its operands is known better than as a list.
  Value elementwise(Operation *op, int64_t index, unsigned depth) {
    if (!isa<graph::ScalarOpInterface>(op) || op->getNumResults() != 1)
      return {};
    RankedTensorType type = typeOf(op->getResult(0));
    bool isBetter = false;
    for (Value operand : op->getOperands()) {
      if (typeOf(operand).getShape() != type.getShape())
        return {};
      Value scalar = find(operand, index, depth + 1);
      isBetter |= scalar && scalar != operand;
    }
    if (!isBetter)
      return {};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(take(operand, index, depth + 1));
    OperationState state(b.getLoc(), op->getName(), operands,
                         {type.clone(ArrayRef<int64_t>())}, op->getAttrs());
    return folded(b.create(state));
  }

  Value folded(Operation *scalar) {
    SmallVector<Value> results;
    OpBuilder builder(b);
    if (succeeded(builder.tryFold(scalar, results)) && !results.empty()) {
      scalar->erase();
      return results.front();
    }
    return scalar->getResult(0);
  }

  /// A choice whose condition is known, or follows from ranges of values: an
  /// index counted from the end where it is negative.
  Value selected(graph::SelectOp select, int64_t index, unsigned depth) {
    if (Value value = elementwise(select, index, depth)) {
      auto inner = value.getDefiningOp<graph::SelectOp>();
      if (!inner)
        return value;
      if (std::optional<bool> holds = booleanOf(inner.getOperand(0)))
        return inner.getOperand(*holds ? 1 : 2);
      return value;
    }
    if (typeOf(select->getResult(0)).getRank() != 0)
      return {};
    if (std::optional<bool> holds = booleanOf(select.getOperand(0)))
      return find(select.getOperand(*holds ? 1 : 2), 0, depth + 1);
    return {};
  }

  /// All elements of a list combined.
  template <typename Op>
  Value combined(Value list, RankedTensorType type, unsigned depth) {
    int64_t count = typeOf(list).getNumElements();
    if (type.getNumElements() != 1 || count == 0 || count > 8)
      return {};
    Value result;
    for (int64_t i = 0; i < count; ++i) {
      Value scalar = known(list, i, depth);
      if (!scalar)
        return {};
      result = result ? make<Op>(b, result, scalar) : scalar;
    }
    return result;
  }

  ImplicitLocOpBuilder &b;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> found, taken;
};

} // namespace

Value elementOf(ImplicitLocOpBuilder &b, Value list, int64_t index) {
  return ListElements(b).take(list, index);
}

Value asListOfScalars(ImplicitLocOpBuilder &b, Value value) {
  auto type =
      dyn_cast_or_null<RankedTensorType>(value ? value.getType() : Type());
  if (!type || type.getRank() > 1 || type.getNumElements() > longestList ||
      type.getNumElements() == 0 || matchPattern(value, m_Constant()) ||
      !value.getDefiningOp())
    return value;
  ListElements elements(b);
  if (type.getRank() == 0) {
    Value scalar = elements.find(value, 0);
    return scalar ? scalar : value;
  }
  if (auto concat = value.getDefiningOp<graph::ConcatOp>())
    if (llvm::all_of(concat.getInputs(), [](Value input) {
          return typeOf(input).getNumElements() == 1;
        }))
      return value;
  SmallVector<Value> scalars;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    scalars.push_back(elements.find(value, i));
    if (!scalars.back())
      return value;
  }
  SmallVector<Value> parts;
  for (Value scalar : scalars)
    parts.push_back(reshapeTo(b, scalar, {1}));
  return parts.size() == 1 ? parts.front() : make<graph::ConcatOp>(b, parts, 0);
}

Value asSize(ImplicitLocOpBuilder &b, Value scalar) {
  // A size that was narrowed to 32 bits and fits is the size.
  if (auto cast = scalar.getDefiningOp<graph::CastOp>()) {
    Interval values = intervalOf(cast.getX());
    double limit = std::ldexp(1.0, 31) - 1;
    if (typeOf(cast.getX()).getElementType().isInteger(64) &&
        isa<IntegerType>(typeOf(scalar).getElementType()) &&
        typeOf(scalar).getElementTypeBitWidth() >= 32 && values.low >= 0 &&
        values.high <= limit)
      return cast.getX();
  }
  return castTo(b, scalar, b.getI64Type());
}

FailureOr<SmallVector<Value>> listedScalars(TracedNode &node,
                                            unsigned operand) {
  if (operand >= node.size())
    return node.error() << "has no operand " << operand;
  const Traced &list = node.traced(operand);
  if (!list.value || list.imaginary || list.isBounded())
    return node.unsupported("operand " + Twine(operand) + ", '" +
                            escaped(node.inputName(operand), 100) +
                            "', must be a list of known length");
  RankedTensorType type = typeOf(list.value);
  auto known = knownElements(list.value);
  if (!type.getElementType().isIntOrIndex() || type.getRank() > 1 ||
      type.getNumElements() > (known ? longestKnown : longestOfRun))
    return node.error() << "operand " << operand
                        << " is no list of integers but " << type;
  SmallVector<Value> scalars;
  if (known) {
    bool isUnsigned = type.getElementType().isUnsignedInteger() ||
                      type.getElementType().isInteger(1);
    for (const APInt &value : known->getValues<APInt>())
      scalars.push_back(
          number(node.b, isUnsigned ? static_cast<int64_t>(value.getZExtValue())
                                    : value.getSExtValue())
              .value);
    return scalars;
  }
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    scalars.push_back(asSize(node.b, elementOf(node.b, list.value, i)));
  return scalars;
}

FailureOr<Value> listedScalar(TracedNode &node, unsigned operand) {
  auto scalars = listedScalars(node, operand);
  if (failed(scalars))
    return failure();
  if (scalars->size() != 1)
    return node.error() << "operand " << operand << " is " << node.type(operand)
                        << ", no scalar";
  return scalars->front();
}

} // namespace weir
