// A plan becomes an LLVM function that calls the kernels one after the other.

#include "passes/cpu/Passes.h"

#include "dialects/plan/Plan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_LOWERPLAN
#include "passes/cpu/Passes.h.inc"

namespace {

class Lowering {
public:
  Lowering(plan::ProgramOp program, LLVM::LLVMFuncOp function)
      : program(program), b(function.getLoc(), function.getContext()) {
    b.setInsertionPointToStart(function.addEntryBlock(b));
    arena = function.getArgument(0);
    weights = function.getArgument(1);
    arguments = function.getArgument(2);
  }

  void run() {
    status = b.create<LLVM::AllocaOp>(pointer(), b.getI32Type(), number(1), 4);
    b.create<LLVM::StoreOp>(number(0), status);
    lowerBlock(program.getBody().front());
    b.create<LLVM::ReturnOp>(
        b.create<LLVM::LoadOp>(b.getI32Type(), status).getResult());
  }

private:
  void lowerBlock(Block &block) {
    for (Operation &op : block) {
      b.setLoc(op.getLoc());
      if (auto buffer = dyn_cast<plan::BufferOp>(op))
        where[buffer] = at(arena, buffer.getOffset());
      else if (auto weight = dyn_cast<plan::WeightOp>(op))
        where[weight] = at(weights, weight.getOffset());
      else if (auto argument = dyn_cast<plan::ArgumentOp>(op))
        where[argument] = b.create<LLVM::LoadOp>(
            pointer(), at(arguments, 8 * argument.getIndex()));
      else if (auto view = dyn_cast<plan::ViewOp>(op))
        where[view] = where.lookup(view.getSource());
      else if (auto copy = dyn_cast<plan::CopyOp>(op))
        lowerCopy(copy);
      else if (auto run = dyn_cast<plan::RunOp>(op))
        lowerRun(run);
      else if (auto check = dyn_cast<plan::CheckOp>(op))
        lowerCheck(check);
      else if (auto branch = dyn_cast<plan::IfOp>(op))
        lowerIf(branch);
      else if (auto loop = dyn_cast<plan::WhileOp>(op))
        lowerWhile(loop);
    }
  }

  void lowerCopy(plan::CopyOp copy) {
    auto type = cast<MemRefType>(copy.getSource().getType());
    int64_t bytes = type.getNumElements() *
                    llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    b.create<LLVM::MemcpyOp>(where.lookup(copy.getTarget()),
                             where.lookup(copy.getSource()), number(bytes, 64),
                             /*isVolatile=*/false);
  }

  void lowerRun(plan::RunOp run) {
    SmallVector<Value> operands;
    for (Value operand : run.getOperands())
      operands.push_back(where.lookup(operand));
    b.create<LLVM::CallOp>(TypeRange(), run.getKernelAttr(), operands);
  }

  void lowerCheck(plan::CheckOp check) {
    Value now = b.create<LLVM::LoadOp>(b.getI32Type(), status);
    Value first = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq, now,
                                         number(0));
    Value failed = b.create<LLVM::ICmpOp>(
        LLVM::ICmpPredicate::eq, truthByte(check.getCondition()), number(0, 8));
    Value both = b.create<LLVM::AndOp>(first, failed);
    b.create<LLVM::StoreOp>(
        b.create<LLVM::SelectOp>(both, number(check.getCode()), now), status);
  }

  void lowerIf(plan::IfOp branch) {
    Value truth = isTrue(branch.getCondition());
    Block *before = b.getInsertionBlock();
    Block *then = newBlock(), *otherwise = newBlock(), *after = newBlock();
    b.setInsertionPointToEnd(before);
    b.create<LLVM::CondBrOp>(truth, then, otherwise);
    for (auto [block, region] :
         {std::make_pair(then, &branch.getThenRegion()),
          std::make_pair(otherwise, &branch.getElseRegion())}) {
      b.setInsertionPointToEnd(block);
      lowerBlock(region->front());
      b.create<LLVM::BrOp>(after);
    }
    b.setInsertionPointToEnd(after);
  }

  void lowerWhile(plan::WhileOp loop) {
    Block *before = b.getInsertionBlock();
    Block *head = newBlock(), *body = newBlock(), *after = newBlock();
    b.setInsertionPointToEnd(before);
    b.create<LLVM::BrOp>(head);
    b.setInsertionPointToEnd(head);
    lowerBlock(loop.getBefore().front());
    b.create<LLVM::CondBrOp>(isTrue(loop.getCondition()), body, after);
    b.setInsertionPointToEnd(body);
    lowerBlock(loop.getBody().front());
    b.create<LLVM::BrOp>(head);
    b.setInsertionPointToEnd(after);
  }

  Block *newBlock() {
    return b.createBlock(b.getInsertionBlock()->getParent(),
                         b.getInsertionBlock()->getParent()->end());
  }

  Value truthByte(Value condition) {
    return b.create<LLVM::LoadOp>(b.getI8Type(), where.lookup(condition));
  }

  Value isTrue(Value condition) {
    return b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne,
                                  truthByte(condition), number(0, 8));
  }

  Value at(Value base, int64_t offset) {
    return b.create<LLVM::GEPOp>(
        pointer(), b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{number(offset, 64)}, /*inbounds=*/true);
  }

  Value number(int64_t value, unsigned width = 32) {
    return b.create<LLVM::ConstantOp>(
        b.getIntegerAttr(b.getIntegerType(width), value));
  }

  Type pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }

  plan::ProgramOp program;
  ImplicitLocOpBuilder b;
  Value arena, weights, arguments, status;
  DenseMap<Value, Value> where;
};

struct LowerPlan : impl::LowerPlanBase<LowerPlan> {
  void runOnOperation() override {
    OpBuilder b(&getContext());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(),
                                            {pointer, pointer, pointer});
    for (auto program : llvm::make_early_inc_range(
             getOperation().getOps<plan::ProgramOp>())) {
      b.setInsertionPoint(program);
      std::string name = program.getSymName().str();
      program->setAttr(SymbolTable::getSymbolAttrName(),
                       b.getStringAttr(name + ".plan"));
      auto function =
          b.create<LLVM::LLVMFuncOp>(program.getLoc(), name, type);
      Lowering(program, function).run();
      program.erase();
    }
  }
};

} // namespace
} // namespace weir
