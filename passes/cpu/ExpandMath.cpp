// Mathematical functions become arithmetic.

#include "passes/cpu/Passes.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "passes/cpu/math/Functions.h"
#include "passes/cpu/math/Quantization.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/cpu/Passes.h.inc"

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

Value expand(MathFunctions &m, Operation *op, ValueRange x) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) {
        return op->hasAttr(kernel::nonpositiveName) ? m.expOfNonpositive(x[0])
               : isBesideOne(op)                    ? m.expBesideOne(x[0])
                                                    : m.exp(x[0]);
      })
      .Case([&](math::Exp2Op) { return m.exp2(x[0]); })
      .Case([&](math::ExpM1Op) { return m.expm1(x[0]); })
      .Case([&](math::LogOp) { return m.log(x[0]); })
      .Case([&](math::Log2Op) { return m.log2(x[0]); })
      .Case([&](math::Log10Op) { return m.log10(x[0]); })
      .Case([&](math::Log1pOp) { return m.log1p(x[0]); })
      .Case([&](math::SinhOp) { return m.sinh(x[0]); })
      .Case([&](math::CoshOp) { return m.cosh(x[0]); })
      .Case([&](math::TanhOp) { return m.tanh(x[0]); })
      .Case([&](math::AsinhOp) { return m.asinh(x[0]); })
      .Case([&](math::AcoshOp) { return m.acosh(x[0]); })
      .Case([&](math::AtanhOp) { return m.atanh(x[0]); })
      .Case([&](math::SinOp) { return m.sin(x[0]); })
      .Case([&](math::CosOp) { return m.cos(x[0]); })
      .Case([&](math::TanOp) { return m.tan(x[0]); })
      .Case([&](math::AsinOp) { return m.asin(x[0]); })
      .Case([&](math::AcosOp) { return m.acos(x[0]); })
      .Case([&](math::AtanOp) { return m.atan(x[0]); })
      .Case([&](math::Atan2Op) { return m.atan2(x[0], x[1]); })
      .Case([&](math::ErfOp) { return m.erf(x[0]); })
      .Case([&](math::CbrtOp) { return m.cbrt(x[0]); })
      .Case([&](math::PowFOp) { return m.pow(x[0], x[1]); })
      .Default(Value());
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
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          op->getNumResults() == 1 && op->getNumOperands() > 0)
        ops.push_back(op);
    });
    for (ArrayRef<Operation *> rest = ops; !rest.empty();) {
      ArrayRef<Operation *> run = rest.take_front(likeFirst(rest));
      rest = rest.drop_front(run.size());
      expandInTurns(run, target);
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
                            const kernel::Target &target) {
    SmallVector<SmallVector<Operation *>> chains(run.size());
    Operation *end = run.back()->getNextNode();
    Operation *last = run.front()->getPrevNode();
    Block *block = run.front()->getBlock();
    for (size_t i = 0; i < run.size(); ++i) {
      Operation *next = i + 1 < run.size() ? run[i + 1] : end;
      rewrite(run[i], target);
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

  static void rewrite(Operation *op, const kernel::Target &target) {
    Type type = op->getResult(0).getType();
    Type element = getElementTypeOrSelf(type);
    bool half = element.isF16() || element.isBF16();
    if (!half && !element.isF32() && !(element.isF64() && isa<math::FmaOp>(op)))
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    SmallVector<Value> operands(op->getOperands());
    MathFunctions m(b, loc, operands[0], target);
    if (isa<math::FmaOp>(op)) {
      // A target without the instruction would call a function.
      if (!target.fma)
        replace(op, m.multiplyAdd(operands[0], operands[1], operands[2]));
      return;
    }
    if (half) {
      Type f32 = b.getF32Type();
      if (auto vector = dyn_cast<VectorType>(type))
        f32 = vector.clone(b.getF32Type());
      for (Value &operand : operands) {
        if (operand.getType() != type)
          return;
        operand = b.create<arith::ExtFOp>(loc, f32, operand);
      }
    }
    Value result = expand(m, op, operands);
    if (!result) {
      for (Value operand : operands)
        if (half && operand.use_empty())
          operand.getDefiningOp()->erase();
      return;
    }
    if (half)
      result = b.create<arith::TruncFOp>(loc, type, result);
    replace(op, result);
  }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
};

} // namespace
} // namespace weir
