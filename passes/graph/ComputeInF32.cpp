// Computes in f32 instead of f16 and bf16.
//
// A CPU converts both operands of a 16-bit computation to f32 and rounds the
// result. The f32 kernels are the fastest ones. So values stay f32 from their
// computation to their storage.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/packed/Float16Constants.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_COMPUTEINF32
#include "passes/graph/Passes.h.inc"

namespace {

/// With so few rows a product is bound by the bandwidth of memory, and weights
/// of half the size take half the time. Weights in a cache are loaded as fast
/// as they are used; there the conversion takes a quarter longer for several
/// rows.
constexpr int64_t fewRows = 8;
// in elements: the weights that a cache is assumed to hold
constexpr int64_t cached = 8 << 20;

bool isFloat16(Value value) {
  Type element = getElementTypeOrSelf(value);
  return element.isF16() || element.isBF16();
}

/// Whether the op only moves elements of its operands.
bool isMovement(Operation *op) {
  return isa<graph::PoolMaxOp, graph::ReshapeOp, graph::TransposeOp,
             graph::BroadcastOp, graph::SliceOp, graph::PadOp, graph::ConcatOp,
             graph::ReverseOp>(op);
}

/// Whether the op gathers or scatters by run-time indices. Only its first
/// operand may be large.
bool isIndexed(Operation *op) {
  return isa<graph::GatherOp, graph::GatherNdOp, graph::ScatterOp,
             graph::DynamicSliceOp, graph::DynamicUpdateSliceOp, graph::SortOp,
             graph::TopKOp>(op);
}

/// Whether the op computes in f32 for any type of elements, and nothing else
/// depends on this type.
bool computes(Operation *op) {
  if (isa<graph::ScalarOpInterface>(op))
    return !isa<graph::CastOp, graph::BitcastOp>(op);
  return isa<graph::SoftmaxOp, graph::LogSoftmaxOp, graph::PoolAverageOp,
             graph::PoolArgMaxOp, graph::ReduceSumOp, graph::ReduceProdOp,
             graph::ReduceMaxOp, graph::ReduceMinOp, graph::ArgMaxOp,
             graph::ArgMinOp, graph::CumulativeSumOp, graph::CumulativeProdOp,
             graph::CumulativeLogSumExpOp>(op);
}

class Widening {
public:
  Widening(Operation *module, int64_t mostBytes) : mostBytes(mostBytes) {
    int64_t elements = 0;
    module->walk([&](Operation *op) {
      // Products of two element types have no gradient.
      mixes &= !isa<graph::GradientOp>(op);
      auto constant = dyn_cast<graph::ConstantOp>(op);
      if (constant && isFloat16(constant) && elements <= cached)
        elements += constant.getType().getNumElements();
    });
    rowsThatWait = !mixes ? 0 : elements > cached ? fewRows : 1;
  }

  void run(Region &region) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          run(inner);
        if (auto cast = dyn_cast<graph::CastOp>(op))
          takeWide(cast);
        else if (worth(&op))
          replace(&op);
      }
  }

  /// Erases casts without uses. Returns whether a constant is cast.
  bool finish() {
    bool widens = false;
    for (graph::CastOp cast : llvm::reverse(casts)) {
      if (cast.use_empty())
        cast.erase();
      else
        widens |= cast.getX().getDefiningOp<graph::ConstantOp>() != nullptr;
    }
    return widens;
  }

private:
  /// Whether `value` is rounded from an f32 result, and is not a transposed
  /// constant.
  bool isComputed(Value value) const {
    return isRounded(value) && !constants.contains(value);
  }

  /// Whether `value` exists in f32, or is a constant.
  bool isWide(Value value) const {
    return isRounded(value) || isFoldable(value);
  }

  bool isRounded(Value value) const {
    auto cast = value.getDefiningOp<graph::CastOp>();
    return cast && wide.lookup(value) == cast.getX();
  }

  bool isFoldable(Value value) const {
    return value.getDefiningOp<graph::ConstantOp>() && !isTooLarge(value);
  }

  /// Whether `value` is a constant whose f32 form would exceed the budget.
  bool isTooLarge(Value value) const {
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    return constant && constant.getType().getNumElements() > mostBytes / 4;
  }

  bool worth(Operation *op) const {
    auto narrowed = llvm::make_filter_range(op->getOperands(), isFloat16);
    if (narrowed.empty())
      return false;
    if (isMovement(op))
      return llvm::all_of(narrowed, [&](Value x) { return isWide(x); });
    if (isIndexed(op))
      return isComputed(op->getOperand(0));
    if (auto product = dyn_cast<graph::MatmulOp>(op))
      return isWorth(product);
    if (isa<graph::ConvolutionOp, graph::FilterGradientOp>(op))
      return hasNoProducts(op->getOperand(0)) &&
             llvm::none_of(narrowed, [&](Value x) { return isTooLarge(x); });
    return computes(op);
  }

  /// Whether the target multiplies this element type only by converting it to
  /// f32.
  static bool hasNoProducts(Value value) {
    return getElementTypeOrSelf(value).isF16();
  }

  bool isWorth(graph::MatmulOp op) const {
    return hasNoProducts(op.getA()) &&
           !waitsFor(op.getA(), op.getType().getShape().back()) &&
           (mixes || !isMixed(op));
  }

  /// Whether `operand` keeps its 16-bit type, if each element is used so many
  /// times.
  bool waitsFor(Value operand, int64_t uses) const {
    return !isComputed(operand) &&
           (uses <= rowsThatWait || isTooLarge(operand));
  }

  /// Whether the product reads its right operand in 16 bits.
  bool isMixed(graph::MatmulOp op) const {
    return waitsFor(op.getB(), op.getType().getShape().end()[-2]);
  }

  Value widened(Value value) {
    auto [found, isNew] = wide.try_emplace(value);
    if (isNew) {
      OpBuilder b(value.getContext());
      b.setInsertionPointAfterValue(value);
      Type type = cast<RankedTensorType>(value.getType()).clone(b.getF32Type());
      auto made = b.create<graph::CastOp>(value.getLoc(), type, value);
      ours.insert(made);
      casts.push_back(made);
      // The cast may have been replaced.
      wide[value] = made;
    }
    return wide.lookup(value);
  }

  /// Replaces a conversion of a rounded value by the value before rounding.
  void takeWide(graph::CastOp op) {
    if (ours.contains(op))
      return;
    if (isFloat16(op) && !op.getRounds() &&
        getElementTypeOrSelf(op.getX()).isF32()) {
      wide[op] = op.getX();
      casts.push_back(op);
    }
    if (!isFloat16(op.getX()))
      return;
    Value from = wide.lookup(op.getX());
    if (!from)
      return;
    if (from.getType() == op.getType()) {
      op.replaceAllUsesWith(from);
      op.erase();
    } else {
      op.getXMutable().assign(from);
    }
  }

  void replace(Operation *op) {
    OpBuilder b(op);
    SmallVector<Value> operands(op->getOperands());
    bool isConstant =
        isMovement(op) && llvm::none_of(operands, [&](Value operand) {
          return isFloat16(operand) && isComputed(operand);
        });
    auto product = dyn_cast<graph::MatmulOp>(op);
    bool mixed = product && isMixed(product);
    for (Value &operand : MutableArrayRef(operands).drop_back(mixed))
      if (isFloat16(operand))
        operand = widened(operand);
    Operation *made = b.clone(*op);
    made->setOperands(operands);
    for (auto [before, result] :
         llvm::zip_equal(op->getResults(), made->getResults())) {
      if (isFloat16(before)) {
        auto type = cast<RankedTensorType>(before.getType());
        result.setType(type.clone(b.getF32Type()));
        auto rounded = b.create<graph::CastOp>(op->getLoc(), type, result);
        ours.insert(rounded);
        casts.push_back(rounded);
        wide[rounded] = result;
        if (isConstant)
          constants.insert(rounded);
        before.replaceAllUsesWith(rounded);
      } else {
        before.replaceAllUsesWith(result);
      }
    }
    op->erase();
  }

  int64_t mostBytes, rowsThatWait;
  bool mixes = true;
  // of a 16-bit value, the f32 value from which it is rounded
  llvm::DenseMap<Value, Value> wide;
  llvm::DenseSet<Value> constants;  // those of them that only move constants
  llvm::DenseSet<Operation *> ours; // casts of this pass, also those in `casts`
  SmallVector<graph::CastOp> casts; // in the order of their creation
};

struct ComputeInF32 : impl::ComputeInF32Base<ComputeInF32> {
  using ComputeInF32Base::ComputeInF32Base;

  void runOnOperation() override {
    if (attrs::gpu.isOn(getOperation()))
      return;
    Widening widening(getOperation(), maxBytes);
    widening.run(getOperation().getBodyRegion());
    if (widening.finish())
      attrs::widened.set(getOperation());
  }
};

} // namespace
} // namespace weir::graph
