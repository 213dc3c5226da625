// Whether a linalg op on buffers can become loops over vectors, and which of
// its dimensions the lanes are.

#include "passes/cpu/loops/LoopNest.h"
#include "passes/cpu/loops/RowLoads.h"

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace weir::cpu {

bool is32Bit(Type type) { return type.isF32() || type.isInteger(32); }

bool isFloat16(Type type) { return type.isF16() || type.isBF16(); }

/// Whether indices are sums of multiples of loops.
static bool isSum(AffineMap map) {
  bool all = map.getNumSymbols() == 0;
  map.walkExprs([&](AffineExpr expression) {
    all &= llvm::is_contained({AffineExprKind::Add, AffineExprKind::Mul,
                               AffineExprKind::DimId, AffineExprKind::Constant},
                              expression.getKind());
  });
  return all;
}

bool isWidenable(Operation &inner, bool makesBytes) {
  if (!kernel::isWidenable(inner))
    return false;
  Type type = inner.getResult(0).getType();
  return (is32Bit(type) || isFloat16(type) || type.isInteger(1) ||
          (makesBytes && type.isInteger(8))) &&
         !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
             inner);
}

LoopNest::LoopNest(linalg::LinalgOp op)
    : op(op), ranges(op.getStaticLoopRanges()), maps(op.getIndexingMapsArray()),
      iterators(op.getIteratorTypesArray()), body(op.getBlock()) {}

/// Whether neighbours along `d` lie side by side in each operand that has
/// more than one.
bool LoopNest::laneDimension(unsigned d) {
  bool any = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = mapOf(operand);
    if ((op.isDpsInput(&operand) && !isRead(operand)) ||
        !map.isFunctionOfDim(d))
      continue;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!type || !isLastMemrefDimUnitStride(type) || !last ||
        last.getPosition() != d)
      return false;
    for (AffineExpr result : map.getResults().drop_back())
      if (result.isFunctionOfDim(d))
        return false;
    any = true;
  }
  return any;
}

Operation *LoopNest::combiner(OpOperand &init) {
  BlockArgument accumulator = op.getMatchingBlockArgument(&init);
  unsigned result = init.getOperandNumber() - op.getNumDpsInputs();
  Operation *combine =
      body->getTerminator()->getOperand(result).getDefiningOp();
  if (!combine || !accumulator.hasOneUse() ||
      *accumulator.getUsers().begin() != combine ||
      combine->getNumOperands() != 2 || !combine->getResult(0).hasOneUse() ||
      !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
           arith::MaxNumFOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp,
           arith::MinSIOp, arith::AndIOp, arith::OrIOp>(combine))
    return nullptr;
  return combine;
}

static Value valueOf(Emitter &e, AffineExpr expression, ArrayRef<Value> at) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return at[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return e.index(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value left = valueOf(e, binary.getLHS(), at);
  Value right = valueOf(e, binary.getRHS(), at);
  if (expression.getKind() == AffineExprKind::Add)
    return e.plus(left, right);
  return e.createOrFold<arith::MulIOp>(left, right);
}

Emitter::Values LoopNest::position(Emitter &e, OpOperand &operand,
                                   ArrayRef<Value> at) const {
  Emitter::Values result;
  for (AffineExpr expression : mapOf(operand).getResults())
    result.push_back(valueOf(e, expression, at));
  return result;
}

bool LoopNest::applies() {
  if (ranges.empty() || llvm::is_contained(ranges, 0) ||
      llvm::any_of(ranges, ShapedType::isDynamic) ||
      !op.hasPureBufferSemantics() || !llvm::all_of(maps, isSum))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    bool accumulates =
        !op.isDpsInput(&operand) && op.getNumReductionLoops() > 0;
    if (op.isDpsInput(&operand) && isa<IntegerType>(element) &&
        RowLoads::isTable(op.getMatchingBlockArgument(&operand)))
      continue;
    if ((!op.isDpsInput(&operand) || isRead(operand)) && !is32Bit(element) &&
        (accumulates || !isFloat16(element)))
      return false;
  }
  for (Operation &inner : body->without_terminator())
    if (RowLoads::isLoad(inner)
            ? op.getNumReductionLoops() > 0
            : !RowLoads::isIndexing(inner) && !isWidenable(inner))
      return false;
  for (unsigned d = ranges.size(); d-- > 0;) {
    if (laneDimension(d)) {
      dimension = d;
      // A row that is reduced has no loops inside. Few lanes that sum are not
      // left to the back end, whose order of additions follows from how many
      // there are, so that a padded buffer would sum in another.
      bool sums = op.getNumReductionLoops() > 0 && !isReduction(d);
      return ranges[d] >= (sums ? 2 : 4) &&
             (!isReduction(d) || d + 1 == ranges.size()) && accumulatorsFit();
    }
    // Only reductions may run inside the loop over lanes.
    if (!isReduction(d))
      return false;
  }
  return false;
}

bool LoopNest::accumulatorsFit() {
  bool carries = isReduction(dimension) || dimension + 1 < ranges.size();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    bool accumulates = isReduction(dimension) ? isInvariant(init) : carries;
    if (accumulates && !combiner(init))
      return false;
    // An output that is neither is written in each step: only where it is
    // one of the lanes' own.
    if (!accumulates && isInvariant(init))
      return false;
  }
  return true;
}

} // namespace weir::cpu
