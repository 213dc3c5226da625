// Builds index arithmetic, loops and epilogues of one thread.

#include "passes/gpu/kernels/Threads.h"

#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::gpu {

Value ThreadBuilder::index(int64_t value) {
  return create<arith::ConstantIndexOp>(value);
}

Value ThreadBuilder::plus(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}

Value ThreadBuilder::times(Value a, int64_t factor) {
  return factor == 1 ? a : create<arith::MulIOp>(a, index(factor)).getResult();
}

Value ThreadBuilder::dividedBy(Value a, int64_t divisor) {
  return divisor == 1 ? a
                      : create<arith::DivUIOp>(a, index(divisor)).getResult();
}

Value ThreadBuilder::modulo(Value a, int64_t divisor) {
  return divisor == 1 ? index(0)
                      : create<arith::RemUIOp>(a, index(divisor)).getResult();
}

Value ThreadBuilder::load(Value memory, ValueRange at) {
  return create<memref::LoadOp>(memory, at);
}

void ThreadBuilder::store(Value value, Value memory, ValueRange at) {
  create<memref::StoreOp>(value, memory, at);
}

SmallVector<Value> ThreadBuilder::delinearize(Value i,
                                              ArrayRef<int64_t> shape) {
  SmallVector<Value> at(shape.size());
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  // On a GPU 64-bit divisions take several times as long as 32-bit ones.
  bool narrow = count <= INT32_MAX;
  Type type = narrow ? Type(getI32Type()) : Type(getIndexType());
  Value rest = narrow ? create<arith::IndexCastOp>(type, i).getResult() : i;
  auto index = [&](Value value) -> Value {
    return narrow ? create<arith::IndexCastOp>(getIndexType(), value) : value;
  };
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) {
      at[d] = this->index(0);
      continue;
    }
    bool last = llvm::all_of(shape.take_front(d),
                             [](int64_t size) { return size == 1; });
    if (last) {
      at[d] = index(rest);
      rest = create<arith::ConstantOp>(getIntegerAttr(type, 0));
      continue;
    }
    Value size = create<arith::ConstantOp>(getIntegerAttr(type, shape[d]));
    at[d] = index(create<arith::RemUIOp>(rest, size));
    rest = create<arith::DivUIOp>(rest, size);
  }
  return at;
}

SmallVector<Value> ThreadBuilder::loop(
    int64_t count, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (count == 1)
    return body(index(0), carried);
  auto loop = create<scf::ForOp>(index(0), index(count), index(1), carried);
  {
    OpBuilder::InsertionGuard guard(*this);
    Block *block = loop.getBody();
    if (!block->empty())
      block->getTerminator()->erase();
    setInsertionPointToEnd(block);
    create<scf::YieldOp>(
        body(loop.getInductionVar(), loop.getRegionIterArgs()));
  }
  return SmallVector<Value>(loop.getResults());
}

void ThreadBuilder::stride(Value first, int64_t count, int64_t step,
                           llvm::function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard guard(*this);
  auto loop = create<scf::ForOp>(first, index(count), index(step));
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void ThreadBuilder::workItems(int64_t count,
                              llvm::function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard guard(*this);
  auto each = [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  };
  if (!isa<func::FuncOp>(getInsertionBlock()->getParentOp())) {
    loop(count, {}, each);
    return;
  }
  auto parallel = create<kernel::ParallelOp>(count, /*coarse=*/false);
  setInsertionPointToStart(&parallel.getBody().front());
  auto loop =
      create<scf::ForOp>(parallel.getFirst(), parallel.getLast(), index(1));
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void ThreadBuilder::blocks(int64_t count, int64_t threads,
                           llvm::function_ref<void(Value, Value)> body) {
  OpBuilder::InsertionGuard guard(*this);
  auto parallel = create<kernel::ParallelOp>(count, /*coarse=*/false);
  attrs::block.set(parallel, threads);
  setInsertionPointToStart(&parallel.getBody().front());
  auto loop =
      create<scf::ForOp>(parallel.getFirst(), parallel.getLast(), index(1));
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar(),
       create<arith::IndexCastUIOp>(getIndexType(),
                                    create<NVVM::ThreadIdXOp>(getI32Type())));
}

void ThreadBuilder::barrier() { create<NVVM::Barrier0Op>(); }

Value ThreadBuilder::shared(ArrayRef<int64_t> shape, Type type,
                            int64_t alignment) {
  return create<memref::AllocaOp>(
      MemRefType::get(shape, type, AffineMap(), getI64IntegerAttr(3)),
      alignment ? getI64IntegerAttr(alignment) : IntegerAttr());
}

Value ThreadBuilder::exchange(Value value, int64_t bit) {
  auto number = [&](int32_t value) -> Value {
    return create<arith::ConstantIntOp>(value, 32);
  };
  return create<NVVM::ShflOp>(value.getType(), number(-1), value, number(bit),
                              number(31), NVVM::ShflKind::bfly, UnitAttr());
}

Value ThreadBuilder::equals(Value a, int64_t value) {
  return create<arith::CmpIOp>(arith::CmpIPredicate::eq, a, index(value));
}

Value ThreadBuilder::isInside(Value index, int64_t size) {
  return create<arith::CmpIOp>(arith::CmpIPredicate::ult, index,
                               this->index(size));
}

Value ThreadBuilder::clamped(Value index, int64_t size) {
  return create<arith::MinUIOp>(index, this->index(size - 1));
}

Value ThreadBuilder::both(Value x, Value y) {
  return create<arith::AndIOp>(x, y);
}

Value ThreadBuilder::orZero(Value condition, Value x) {
  return create<arith::SelectOp>(condition, x, zero(x.getType()));
}

void ThreadBuilder::onlyIf(Value condition, llvm::function_ref<void()> body) {
  auto branch = create<scf::IfOp>(condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPoint(branch.thenYield());
  body();
}

Value ThreadBuilder::widened(Value value) {
  Type type = kernel::sumType(value.getType());
  return type == value.getType()
             ? value
             : create<arith::ExtFOp>(type, value).getResult();
}

Value ThreadBuilder::zero(Type type) {
  return create<arith::ConstantOp>(getZeroAttr(type));
}

Value ThreadBuilder::multiplyAdd(Value a, Value b, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return create<math::FmaOp>(widened(a), widened(b), sum);
  return create<arith::AddIOp>(create<arith::MulIOp>(a, b), sum);
}

Value finished(ThreadBuilder &b, kernel::KernelOpInterface op, Value sum,
               ValueRange at) {
  Block &block = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), sum);
  for (auto [argument, extra, map] :
       llvm::zip(block.getArguments().drop_front(), op.getExtras(),
                 op.getExtraMaps())) {
    if (argument.use_empty())
      continue;
    SmallVector<Value> indices;
    for (AffineExpr result : cast<AffineMapAttr>(map).getValue().getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        indices.push_back(at[dim.getPosition()]);
      else
        indices.push_back(b.index(0));
    mapping.map(argument, b.load(extra, indices));
  }
  for (Operation &inner : block.without_terminator())
    b.clone(inner, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

void finish(ThreadBuilder &b, kernel::KernelOpInterface op, Value sum,
            ValueRange at) {
  b.store(finished(b, op, sum, at), op.getOut(), at);
}

void finishTogether(ThreadBuilder &b, kernel::KernelOpInterface op,
                    ArrayRef<Value> sums, ValueRange at) {
  SmallVector<Value> values;
  SmallVector<SmallVector<Value>> positions;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    positions.emplace_back(at);
    positions.back().back() = b.plus(at.back(), b.index(i));
    values.push_back(finished(b, op, sum, positions.back()));
  }
  for (auto [value, position] : llvm::zip_equal(values, positions))
    b.store(value, op.getOut(), position);
}

} // namespace weir::gpu
