// Builds the loops of kernels: indices, vectors with masks, register tiles.

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::cpu {

Value Emitter::index(int64_t value) {
  return create<arith::ConstantIndexOp>(value);
}

Value Emitter::plus(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}

Value Emitter::times(Value a, int64_t b) {
  return createOrFold<arith::MulIOp>(a, index(b));
}

Value Emitter::dividedBy(Value a, int64_t b) {
  return createOrFold<arith::DivUIOp>(a, index(b));
}

Value Emitter::modulo(Value a, int64_t b) {
  return createOrFold<arith::RemUIOp>(a, index(b));
}

Value Emitter::smaller(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(a, b);
}

Value Emitter::larger(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(a, b);
}

Value Emitter::beginOf(const EvenSplit &parts, Value part) {
  return plus(times(part, parts.size), smaller(part, index(parts.larger)));
}

Value Emitter::sizeOf(const EvenSplit &parts, Value part, Value begin) {
  if (parts.larger == 0)
    return index(parts.size);
  return create<arith::SubIOp>(beginOf(parts, plus(part, 1)), begin);
}

void Emitter::eachSize(const EvenSplit &parts, Value part,
                       function_ref<void(int64_t)> body) {
  if (parts.larger == 0)
    return body(parts.size);
  Value isLarger = create<arith::CmpIOp>(arith::CmpIPredicate::ult, part,
                                         index(parts.larger));
  ifElse(isLarger, [&] { body(parts.size + 1); }, [&] { body(parts.size); });
}

bool Emitter::contiguous(Value buffer) {
  // A Boolean is a byte in memory but a bit of a vector.
  return isLastMemrefDimUnitStride(cast<MemRefType>(buffer.getType())) &&
         !element(buffer).isInteger(1);
}

Value Emitter::mask(int64_t lanes, int64_t valid) {
  return create<vector::ConstantMaskOp>(VectorType::get(lanes, getI1Type()),
                                        getI64ArrayAttr(valid));
}

// What a vector cannot hold as memory does goes element by element.
Value Emitter::load(Value buffer, ValueRange indices, int64_t lanes,
                    int64_t valid) {
  auto type = VectorType::get(lanes, element(buffer));
  if (!contiguous(buffer)) {
    Value result = zeros(element(buffer), lanes);
    for (int64_t lane = 0; lane < valid; ++lane) {
      Values at(indices);
      at.back() = plus(at.back(), lane);
      Value scalar = create<memref::LoadOp>(buffer, at);
      result = create<vector::InsertOp>(scalar, result, lane);
    }
    return result;
  }
  if (valid >= lanes)
    return create<vector::LoadOp>(type, buffer, indices);
  return create<vector::MaskedLoadOp>(type, buffer, indices, mask(lanes, valid),
                                      zeros(element(buffer), lanes));
}

void Emitter::store(Value vector, Value buffer, ValueRange indices,
                    int64_t valid) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  if (!contiguous(buffer)) {
    for (int64_t lane = 0; lane < std::min(valid, lanes); ++lane) {
      Values at(indices);
      at.back() = plus(at.back(), lane);
      create<memref::StoreOp>(create<vector::ExtractOp>(vector, lane), buffer,
                              at);
    }
  } else if (valid >= lanes) {
    create<vector::StoreOp>(vector, buffer, indices);
  } else {
    create<vector::MaskedStoreOp>(buffer, indices, mask(lanes, valid), vector);
  }
}

void Emitter::clear(Value run, Value first, Value end, int64_t lanes) {
  Value zero = create<arith::ConstantOp>(getZeroAttr(element(run)));
  // Vectors first, then what is left.
  Value count = plus(end, times(first, -1));
  Value whole = plus(first, times(dividedBy(count, lanes), lanes));
  loop(first, whole, lanes,
       [&](Value i) { store(zeros(element(run), lanes), run, i, lanes); });
  loop(whole, end, 1, [&](Value i) { create<memref::StoreOp>(zero, run, i); });
}

Value Emitter::joinLast(Value buffer) {
  SmallVector<ReassociationIndices> dimensions;
  int64_t rank = shape(buffer).size();
  for (int64_t i = 0; i + 1 < rank; ++i)
    dimensions.push_back({i});
  dimensions.back().push_back(rank - 1);
  return create<memref::CollapseShapeOp>(buffer, dimensions);
}

Value Emitter::splat(Value scalar, int64_t lanes) {
  return create<vector::BroadcastOp>(VectorType::get(lanes, scalar.getType()),
                                     scalar);
}

Value Emitter::cloneAs(Type type, Operation *op, IRMapping &mapping) {
  Operation *copy = op->clone(mapping);
  copy->getResult(0).setType(type);
  insert(copy);
  return copy->getResult(0);
}

SmallVector<Emitter::Values>
Emitter::vectorize(Block &block, int64_t lanes,
                   MutableArrayRef<IRMapping> parts, MakeVector make) {
  auto vectorOf = [&](IRMapping &mapping, Value value) {
    Value mapped = mapping.lookupOrDefault(value);
    return isa<VectorType>(mapped.getType()) ? mapped : splat(mapped, lanes);
  };
  for (Operation &op : block.without_terminator()) {
    Value result = op.getResult(0);
    if (result.getType().isIndex())
      continue;
    auto type = VectorType::get(lanes, result.getType());
    TypedAttr constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      Value same =
          create<arith::ConstantOp>(DenseElementsAttr::get(type, constant));
      for (IRMapping &mapping : parts)
        mapping.map(result, same);
      continue;
    }
    if (!isa<memref::LoadOp>(op))
      for (IRMapping &mapping : parts)
        for (Value operand : op.getOperands())
          mapping.map(operand, vectorOf(mapping, operand));
    for (auto [part, mapping] : llvm::enumerate(parts))
      mapping.map(result, make ? make(&op, mapping, type, part)
                               : cloneAs(type, &op, mapping));
  }
  SmallVector<Values> results;
  for (IRMapping &mapping : parts) {
    results.emplace_back();
    for (Value value : block.getTerminator()->getOperands())
      results.back().push_back(vectorOf(mapping, value));
  }
  return results;
}

Value Emitter::zeros(Type element, int64_t lanes) {
  return create<arith::ConstantOp>(
      getZeroAttr(VectorType::get(lanes, element)));
}

Value Emitter::widen(Value value, Type element, bool isUnsigned) {
  if (getElementTypeOrSelf(value) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (isa<FloatType>(element))
    return create<arith::ExtFOp>(type, value);
  if (isUnsigned)
    return create<arith::ExtUIOp>(type, value);
  return create<arith::ExtSIOp>(type, value);
}

Value Emitter::multiplyAdd(Value a, Value b, Value c) {
  if (isa<FloatType>(getElementTypeOrSelf(a)))
    return create<vector::FMAOp>(a, b, c);
  return create<arith::AddIOp>(create<arith::MulIOp>(a, b), c);
}

Value Emitter::sum(Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a)))
    return create<arith::AddFOp>(a, b);
  return create<arith::AddIOp>(a, b);
}

Value Emitter::loadWords(Value buffer, ValueRange indices, int64_t lanes) {
  int64_t count = lanes * 4 / elementBytes(buffer);
  return create<vector::BitCastOp>(VectorType::get(lanes, getI32Type()),
                                   load(buffer, indices, count, count));
}

Value Emitter::splatWord(Value buffer, ValueRange indices, int64_t lanes) {
  return splat(
      create<vector::ExtractOp>(loadWords(buffer, indices, 1), int64_t(0)),
      lanes);
}

// Registers hold the factors of the columns, and those of a row are loaded when
// they are used. If sums fill the registers and rows are fewer than vectors, it
// is the other way round. Fences between the columns then keep LLVM from
// loading all of them first, and from spilling.
void Emitter::addOuterProduct(MutableArrayRef<Value> sums, int64_t vectors,
                              bool sumsFillRegisters,
                              function_ref<Value(int64_t)> left,
                              function_ref<Value(int64_t)> right,
                              function_ref<Value(Value, Value, Value)> add) {
  int64_t rows = sums.size() / vectors;
  if (sumsFillRegisters && rows > 1 && vectors > rows) {
    Values held;
    for (int64_t i = 0; i < rows; ++i)
      held.push_back(left(i));
    for (int64_t v = 0; v < vectors; ++v) {
      if (v)
        compilerFence();
      Value one = right(v);
      for (int64_t i = 0; i < rows; ++i)
        sums[i * vectors + v] = add(sums[i * vectors + v], held[i], one);
    }
    return;
  }
  Values held;
  for (int64_t v = 0; v < vectors; ++v)
    held.push_back(right(v));
  for (int64_t i = 0; i < rows; ++i) {
    Value one = left(i);
    for (int64_t v = 0; v < vectors; ++v)
      sums[i * vectors + v] = add(sums[i * vectors + v], one, held[v]);
  }
}

void Emitter::prefetch(Value buffer, ValueRange indices, int level) {
  create<memref::PrefetchOp>(buffer, indices, /*isWrite=*/false,
                             /*localityHint=*/level == 1 ? 3 : 2,
                             /*isDataCache=*/true);
}

Value Emitter::buffer(ArrayRef<int64_t> shape, Type element) {
  return create<memref::AllocOp>(MemRefType::get(shape, element),
                                 getI64IntegerAttr(lineBytes));
}

Value Emitter::stack(ArrayRef<int64_t> shape, Type element) {
  Operation *around = getInsertionBlock()->getParentOp();
  while (!isa<kernel::ParallelOp, func::FuncOp>(around))
    around = around->getParentOp();
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(&around->getRegion(0).front());
  return create<memref::AllocaOp>(MemRefType::get(shape, element),
                                  getI64IntegerAttr(lineBytes));
}

// Not llvm.fence: only what takes an address keeps memory out of registers.
void Emitter::compilerFence(Value memory) {
  Values operands;
  if (memory) {
    Value address = create<memref::ExtractAlignedPointerAsIndexOp>(memory);
    operands.push_back(create<arith::IndexCastOp>(getI64Type(), address));
  }
  create<LLVM::InlineAsmOp>(Type(), operands, /*asm_string=*/"",
                            memory ? "r,~{memory}" : "~{memory}",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

Value Emitter::opaque(Value value) {
  Value word = create<arith::IndexCastOp>(getI64Type(), value);
  auto same = create<LLVM::InlineAsmOp>(
      getI64Type(), word, /*asm_string=*/"", "=r,0",
      /*has_side_effects=*/false, /*is_align_stack=*/false,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return create<arith::IndexCastOp>(getIndexType(), same.getResult(0));
}

void Emitter::ifElse(Value condition, function_ref<void()> then,
                     function_ref<void()> otherwise) {
  auto choice = create<scf::IfOp>(condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(choice.thenBlock());
  then();
  setInsertionPointToStart(choice.elseBlock());
  otherwise();
}

Emitter::Values Emitter::loop(Value low, Value high, int64_t step,
                              ValueRange inits,
                              function_ref<Values(Value, ValueRange)> body) {
  auto first = getConstantIntValue(low), last = getConstantIntValue(high);
  if (first && last) {
    if (*first >= *last)
      return Values(inits);
    if (*first + step >= *last)
      return body(low, inits);
  }
  auto loop = create<scf::ForOp>(low, high, index(step), inits);
  OpBuilder::InsertionGuard guard(*this);
  if (inits.empty())
    setInsertionPoint(loop.getBody()->getTerminator());
  else
    setInsertionPointToEnd(loop.getBody());
  Values results = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty())
    create<scf::YieldOp>(results);
  return Values(loop.getResults());
}

void Emitter::loop(Value low, Value high, int64_t step,
                   function_ref<void(Value)> body) {
  loop(low, high, step, ValueRange{}, [&](Value at, ValueRange) {
    body(at);
    return Values();
  });
}

Emitter::Values Emitter::indicesOf(Value i, ArrayRef<int64_t> shape) {
  Values at(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    // What is above the outermost size of more than 1 is nothing.
    bool isOutermost =
        llvm::all_of(shape.take_front(d), [](int64_t n) { return n == 1; });
    if (shape[d] == 1) {
      at[d] = index(0);
    } else {
      at[d] = isOutermost ? i : modulo(i, shape[d]);
      if (!isOutermost)
        i = dividedBy(i, shape[d]);
    }
  }
  return at;
}

void Emitter::loops(ArrayRef<int64_t> shape, Value first, Value last,
                    function_ref<void(ValueRange)> body) {
  loop(first, last, 1, [&](Value i) { body(indicesOf(i, shape)); });
}

Emitter::Values Emitter::sumLoop(int64_t count, int64_t unroll, Values sums,
                                 function_ref<void(Value, Values &)> step) {
  int64_t main = count / unroll * unroll;
  auto steps = [&](int64_t unroll) {
    return [&step, this, unroll](Value k, ValueRange carried) {
      Values sums(carried);
      for (int64_t u = 0; u < unroll; ++u)
        step(plus(k, u), sums);
      return sums;
    };
  };
  sums = loop(index(0), index(main), unroll, sums, steps(unroll));
  return loop(index(main), index(count), 1, sums, steps(1));
}

void Emitter::loops(ArrayRef<int64_t> shape,
                    function_ref<void(ValueRange)> body) {
  Values at;
  auto nest = [&](auto &nest) -> void {
    if (at.size() == shape.size())
      return body(at);
    loop(shape[at.size()], [&](Value i) {
      at.push_back(i);
      nest(nest);
      at.pop_back();
    });
  };
  nest(nest);
}

} // namespace weir::cpu
