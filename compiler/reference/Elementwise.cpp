// Elementwise ops of the reference interpreter: the scalar function of the op's
// definition, on f64 instead of narrower floats.

#include "compiler/reference/Families.h"

#include "dialects/graph/Elementwise.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace weir::reference {
namespace {

/// `type` with f64 in place of a narrower float.
RankedTensorType widened(RankedTensorType type) {
  return isa<FloatType>(type.getElementType())
             ? type.clone(Float64Type::get(type.getContext()))
             : type;
}

/// Whether the function depends on the width of its operands.
bool readsWidth(Operation *op) {
  return isa<graph::BitcastOp, graph::NextAfterOp, graph::IsInfOp,
             graph::IsFiniteOp>(op);
}

/// The values of a scalar function on up to `blockLanes` elements. A loop runs
/// for one element at a time, in a frame of its own.
class Frame {
public:
  explicit Frame(Frame *outer = nullptr, int64_t lane = 0)
      : outer(outer), lane(lane) {}

  Lanes &lanesOf(Value value) {
    std::unique_ptr<Lanes> &entry = lanes[value];
    if (!entry) {
      // Without zeros: each element is written before it is read.
      entry.reset(new Lanes);
      if (outer && outer->has(value))
        (*entry)[0] = outer->lanesOf(value)[lane];
    }
    return *entry;
  }

  LogicalResult run(Block &block, int64_t count) {
    for (Operation &op : block) {
      if (isTable(op) || op.hasTrait<OpTrait::IsTerminator>())
        continue;
      if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        for (int64_t i = 0; i < count; ++i)
          if (failed(runLoop(loop, i)))
            return failure();
        continue;
      }
      if (op.getNumResults() != 1)
        return failure();
      SmallVector<const Lanes *> in;
      for (Value operand : op.getOperands())
        in.push_back(&lanesOf(operand));
      if (failed(stepLanes(op, in, lanesOf(op.getResult(0)), count)))
        return failure();
    }
    return success();
  }

private:
  bool has(Value value) const {
    return lanes.contains(value) || (outer && outer->has(value));
  }

  LogicalResult runLoop(scf::WhileOp loop, int64_t element) {
    // The series of the special functions converge long before.
    constexpr int64_t mostRounds = 1 << 20;
    SmallVector<Lane> state;
    for (Value init : loop.getInits())
      state.push_back(lanesOf(init)[element]);
    Frame frame(this, element);
    Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
    for (int64_t round = 0; round < mostRounds; ++round) {
      auto give = [&](Block &block, ArrayRef<Lane> values) {
        for (auto [argument, value] :
             llvm::zip_equal(block.getArguments(), values))
          frame.lanesOf(argument)[0] = value;
      };
      auto take = [&](ValueRange values) {
        return llvm::map_to_vector(
            values, [&](Value value) { return frame.lanesOf(value)[0]; });
      };
      give(before, state);
      if (failed(frame.run(before, 1)))
        return failure();
      auto condition = loop.getConditionOp();
      SmallVector<Lane> next = take(condition.getArgs());
      if (!frame.lanesOf(condition.getCondition())[0].bits) {
        for (auto [result, value] : llvm::zip_equal(loop.getResults(), next))
          lanesOf(result)[element] = value;
        return success();
      }
      give(after, next);
      if (failed(frame.run(after, 1)))
        return failure();
      state = take(loop.getYieldOp().getOperands());
    }
    return failure();
  }

  Frame *outer;
  int64_t lane;
  DenseMap<Value, std::unique_ptr<Lanes>> lanes;
};

/// The scalar function of an op, built once for all elements.
class ScalarFunction {
public:
  explicit ScalarFunction(Operation *op) {
    bool keepsTypes = readsWidth(op);
    auto typeOf = [&](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      return keepsTypes ? tensor : widened(tensor);
    };
    // The function sees operands and a result of the wide types.
    IRMapping map;
    for (Value operand : op->getOperands())
      if (!map.contains(operand))
        map.map(operand,
                sources.addArgument(typeOf(operand.getType()), op->getLoc()));
    wide = op->clone(map);
    Value result = wide->getResult(0);
    if (!narrows(op))
      result.setType(typeOf(result.getType()));
    OpBuilder b(op->getContext());
    b.setInsertionPointToEnd(&block);
    for (Value operand : wide->getOperands())
      block.addArgument(graph::signless(getElementTypeOrSelf(operand)),
                        op->getLoc());
    value = cast<graph::ScalarOpInterface>(wide).buildScalar(
        b, op->getLoc(), block.getArguments());
    if (keepsTypes)
      for (Value operand : op->getOperands())
        rounding.push_back(semanticsOf(getElementTypeOrSelf(operand)));
  }
  ~ScalarFunction() { wide->destroy(); }

  std::optional<Tensor> apply(RankedTensorType type, Operands operands) {
    Tensor result(type);
    Frame frame;
    for (int64_t first = 0; first < result.size(); first += blockLanes) {
      int64_t count = std::min(blockLanes, result.size() - first);
      for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
        Lanes &lanes = frame.lanesOf(argument);
        std::copy_n(operands[i]->data() + first, count, lanes.begin());
        if (!rounding.empty() && rounding[i])
          for (int64_t k = 0; k < count; ++k)
            lanes[k].number = rounded(lanes[k].number, *rounding[i]);
      }
      if (failed(frame.run(block, count)))
        return std::nullopt;
      std::copy_n(frame.lanesOf(value).begin(), count, result.data() + first);
    }
    return result;
  }

private:
  /// Whether the op rounds to its type: the graph requests it by `rounds`.
  static bool narrows(Operation *op) {
    auto cast = dyn_cast<graph::CastOp>(op);
    return cast && cast.getRounds();
  }

  Block sources, block;
  Operation *wide;
  Value value;
  SmallVector<const llvm::fltSemantics *> rounding; // of each operand, or none
};

} // namespace

Results evaluateElementwise(Operation *op, Operands operands) {
  std::optional<Tensor> result =
      ScalarFunction(op).apply(resultType(op), operands);
  if (!result)
    return std::nullopt;
  SmallVector<Tensor, 1> results;
  results.push_back(std::move(*result));
  return results;
}

} // namespace weir::reference
