// Mathematical functions become arithmetic.

#include "passes/convert/Passes.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/math/Expand.h"
#include "dialects/weir/Attributes.h"
#include "passes/convert/Quantization.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::convert {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/convert/Passes.h.inc"

namespace {

/// Whether nobody can tell what is below 2^-125 in the result of `op` from 0.
bool isBesideOne(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    FloatAttr addend;
    auto sum = dyn_cast<arith::AddFOp>(user);
    if (!sum)
      return false;
    Value other = sum.getOperand(sum.getLhs() == op->getResult(0));
    DenseElementsAttr all;
    if (matchPattern(other, m_Constant(&all)) && all.isSplat())
      addend = all.getSplatValue<FloatAttr>();
    else if (!matchPattern(other, m_Constant(&addend)))
      return false;
    return addend.getType().isF32() && abs(addend.getValue()) >= APFloat(1.0f);
  });
}

/// Whether the operand is the negative of a magnitude.
bool isOfNonpositive(Operation *op) {
  auto negative = op->getOperand(0).getDefiningOp<arith::NegFOp>();
  return negative && negative.getOperand().getDefiningOp<math::AbsFOp>();
}

ExpRange rangeOf(Operation *op) {
  return attrs::nonpositive.isOn(op) || isOfNonpositive(op)
             ? ExpRange::nonpositive
         : isBesideOne(op) ? ExpRange::besideOne
                           : ExpRange::any;
}

/// bf16 of f32, to nearest and even, by integers: LLVM would call a function
/// for each element where no instruction does it, and take vectors apart whose
/// NaNs are chosen among 16 bits, as in MLIR's own expansion.
void roundByIntegers(arith::TruncFOp op) {
  if (!getElementTypeOrSelf(op.getType()).isBF16() ||
      !getElementTypeOrSelf(op.getIn()).isF32())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(op.getType());
    return vector ? Type(vector.clone(element)) : element;
  };
  auto constant = [&](int32_t number) -> Value {
    TypedAttr value = b.getI32IntegerAttr(number);
    if (auto vector = dyn_cast<VectorType>(like(b.getI32Type())))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return b.create<arith::ConstantOp>(value);
  };
  Value x = op.getIn(), half = constant(16);
  Value bits = b.create<arith::BitcastOp>(like(b.getI32Type()), x);
  Value odd = b.create<arith::AndIOp>(b.create<arith::ShRUIOp>(bits, half),
                                      constant(1));
  Value sum = b.create<arith::AddIOp>(
      b.create<arith::AddIOp>(bits, constant(0x7fff)), odd);
  Value isNan = b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  Value quiet = b.create<arith::OrIOp>(bits, constant(0x400000));
  Value high = b.create<arith::ShRUIOp>(
      b.create<arith::SelectOp>(isNan, quiet, sum), half);
  Value low = b.create<arith::TruncIOp>(like(b.getI16Type()), high);
  op.replaceAllUsesWith(
      b.create<arith::BitcastOp>(op.getType(), low).getResult());
  op.erase();
}

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    kernel::Target target = kernel::Target::of(getOperation());
    auto functions = FunctionTarget::of(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          op->getNumResults() == 1 && op->getNumOperands() > 0)
        ops.push_back(op);
    });
    for (ArrayRef<Operation *> rest = ops; !rest.empty();) {
      ArrayRef<Operation *> run = rest.take_front(likeFirst(rest));
      rest = rest.drop_front(run.size());
      expandInTurns(run, functions);
    }
    SmallVector<arith::FPToUIOp> conversions;
    getOperation()->walk(
        [&](arith::FPToUIOp op) { conversions.push_back(op); });
    for (arith::FPToUIOp op : conversions)
      quantizeByAddition(op, target);
    if (!target.roundsToBf16)
      getOperation()->walk([](arith::TruncFOp op) { roundByIntegers(op); });
  }

private:
  /// How many of `ops` do the same to different values, one after the other.
  static size_t likeFirst(ArrayRef<Operation *> ops) {
    size_t count = 1;
    while (count < ops.size() && ops[count - 1]->getNextNode() == ops[count] &&
           ops[count]->getName() == ops[0]->getName() &&
           ops[count]->getResultTypes() == ops[0]->getResultTypes() &&
           llvm::none_of(
               ops[count]->getOperands(),
               [&](Value operand) {
                 return llvm::is_contained(ops.take_front(count),
                                           operand.getDefiningOp());
               }))
      ++count;
    return count;
  }

  /// The arithmetic of one function is a chain in which each op waits for the
  /// last; where several are to be expanded, their chains take turns, op by op.
  static void expandInTurns(ArrayRef<Operation *> run,
                            const FunctionTarget &target) {
    SmallVector<SmallVector<Operation *>> chains(run.size());
    Operation *end = run.back()->getNextNode();
    Operation *last = run.front()->getPrevNode();
    Block *block = run.front()->getBlock();
    for (size_t i = 0; i < run.size(); ++i) {
      Operation *next = i + 1 < run.size() ? run[i + 1] : end;
      expandFunction(run[i], target, rangeOf(run[i]));
      Operation *made = last ? last->getNextNode() : &block->front();
      for (; made != next; made = made->getNextNode())
        chains[i].push_back(last = made);
    }
    for (const auto &chain : chains)
      if (chain.size() != chains[0].size())
        return;
    for (size_t i = 0; i < chains[0].size(); ++i)
      for (const auto &chain : chains)
        chain[i]->moveBefore(end);
  }
};

} // namespace
} // namespace weir::convert
