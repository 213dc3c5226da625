// Epilogues that libraries have too.

#include "passes/lower/libraries/Libraries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::lower {
namespace {

bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()); }

/// The value that a relu is of; null: it is none.
Value reluOf(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    Value x = select.getFalseValue();
    return compare && compare.getPredicate() == arith::CmpFPredicate::OLT &&
                   compare.getLhs() == x && isZero(compare.getRhs()) &&
                   isZero(select.getTrueValue())
               ? x
               : Value();
  }
  if (auto most = value.getDefiningOp<arith::MaximumFOp>())
    return isZero(most.getRhs()) ? most.getLhs() : Value();
  return {};
}

/// The value that is clipped from above, with the bound; null: it is none. What
/// is compared may be what the value is a relu of.
std::pair<Value, double> clippedOf(Value value) {
  FloatAttr bound, compared;
  if (auto least = value.getDefiningOp<arith::MinimumFOp>())
    if (matchPattern(least.getRhs(), m_Constant(&bound)))
      return {least.getLhs(), bound.getValueAsDouble()};
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT ||
      !matchPattern(select.getTrueValue(), m_Constant(&bound)) ||
      !matchPattern(compare.getRhs(), m_Constant(&compared)) ||
      bound != compared)
    return {};
  Value inner = select.getFalseValue();
  return compare.getLhs() == inner || compare.getLhs() == reluOf(inner)
             ? std::pair(inner, bound.getValueAsDouble())
             : std::pair(Value(), 0.0);
}

/// The value before it is rounded to `narrow`, or widened from it.
Value exact(Value value, Type narrow) {
  while (Operation *op = value.getDefiningOp()) {
    if (!(isa<arith::TruncFOp>(op) && value.getType() == narrow) &&
        !(isa<arith::ExtFOp>(op) && op->getOperand(0).getType() == narrow))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether an extra has one element for each of the result's last dimension.
bool isForColumns(AffineMap map, ShapedType extra, ShapedType out) {
  return extra.getElementType() == out.getElementType() &&
         extra.getNumElements() == out.getShape().back() &&
         map.getNumResults() > 0 &&
         map.getResult(map.getNumResults() - 1) ==
             getAffineDimExpr(map.getNumDims() - 1, map.getContext());
}

} // namespace

std::optional<Epilogue> Epilogue::of(kernel::KernelOpInterface op) {
  Block &block = op.getEpilogue().front();
  auto out = cast<ShapedType>(op.getOut().getType());
  Type element = out.getElementType();
  Value sum = block.getArgument(0);
  Value value = exact(block.getTerminator()->getOperand(0), element);
  Epilogue result;
  // A relu with a bound, in either order.
  for (int i = 0; i < 2; ++i) {
    auto [inner, bound] = clippedOf(value);
    if (inner && !result.clip && bound > 0 && std::isfinite(bound)) {
      result.clip = bound;
      value = exact(inner, element);
    }
    if (Value inner = reluOf(value); inner && !result.relu) {
      result.relu = true;
      value = exact(inner, element);
    }
  }
  if (result.clip && !result.relu)
    return std::nullopt;
  SmallVector<unsigned> added; // extras, the last first
  while (auto add = value.getDefiningOp<arith::AddFOp>()) {
    Value left = exact(add.getLhs(), element),
          right = exact(add.getRhs(), element);
    if (isa<BlockArgument>(left) && left != sum)
      std::swap(left, right);
    auto extra = dyn_cast<BlockArgument>(right);
    if (!extra || right == sum)
      return std::nullopt;
    added.push_back(extra.getArgNumber() - 1);
    value = left;
  }
  if (value != sum || added.size() != op.getExtras().size() ||
      added.size() > 2 || (added.size() == 2 && added[0] == added[1]))
    return std::nullopt;
  for (unsigned i : llvm::reverse(added)) {
    Value extra = op.getExtras()[i];
    auto type = cast<ShapedType>(extra.getType());
    AffineMap map = cast<AffineMapAttr>(op.getExtraMaps()[i]).getValue();
    if (!result.bias && !result.residual && isForColumns(map, type, out))
      result.bias = extra;
    else if (!result.residual && map.isIdentity() &&
             type.getShape() == out.getShape() &&
             type.getElementType() == out.getElementType())
      result.residual = extra;
    else
      return std::nullopt;
  }
  return result;
}

} // namespace weir::lower
