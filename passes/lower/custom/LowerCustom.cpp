// Custom ops become calls of C functions, which threads share by parts.

#include "passes/lower/Passes.h"

#include "dialects/graph/custom/Custom.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_LOWERCUSTOM
#include "passes/lower/Passes.h.inc"

namespace {

/// A structure of runtime/weir_custom.h on the stack, written field by field:
/// pointers and numbers of four and eight bytes, without gaps.
class Structure {
public:
  Structure(ImplicitLocOpBuilder &b, int64_t bytes) : b(b) {
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes);
    Value one =
        b.create<LLVM::ConstantOp>(b.getI64Type(), b.getI64IntegerAttr(1));
    at = b.create<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()),
                                  type, one, /*alignment=*/8);
  }

  void write(Value field) {
    Value position =
        next ? b.create<LLVM::GEPOp>(at.getType(), b.getI8Type(), at,
                                     ArrayRef<LLVM::GEPArg>{next})
                   .getResult()
             : at;
    b.create<LLVM::StoreOp>(field, position);
    next += field.getType().isInteger(32) ? 4 : 8;
  }
  void write32(int64_t number) {
    write(b.create<LLVM::ConstantOp>(b.getI32Type(),
                                     b.getI32IntegerAttr(number)));
  }
  void write64(int64_t number) {
    write(b.create<LLVM::ConstantOp>(b.getI64Type(),
                                     b.getI64IntegerAttr(number)));
  }
  /// Goes on `bytes` behind the start, such as at the next of several.
  void seek(int64_t bytes) { next = static_cast<int32_t>(bytes); }

  Value at;

private:
  ImplicitLocOpBuilder &b;
  int32_t next = 0;
};

constexpr int64_t tensorBytes = 24, callBytes = 48;

struct LowerCustom : impl::LowerCustomBase<LowerCustom> {
  void runOnOperation() override {
    SmallVector<graph::CustomOp> ops;
    getOperation().walk([&](graph::CustomOp op) { ops.push_back(op); });
    SymbolTable symbols(getOperation());
    for (graph::CustomOp op : ops)
      lower(op, symbols);
  }

private:
  /// The address of the first element, off the descriptor that the memory
  /// becomes. Upstream folds memref.extract_aligned_pointer_as_index past a
  /// view, and loses the view's offset.
  static Value pointerTo(ImplicitLocOpBuilder &b, Value memory) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    SmallVector<Type> fields{pointer, pointer, b.getI64Type()};
    if (int64_t rank = cast<MemRefType>(memory.getType()).getRank())
      fields.append(2, LLVM::LLVMArrayType::get(b.getI64Type(), rank));
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
    Value descriptor =
        b.create<UnrealizedConversionCastOp>(type, memory).getResult(0);
    return b.create<LLVM::ExtractValueOp>(descriptor, /*aligned*/ 1);
  }

  /// The sizes as constant data; equal lists share it.
  Value shapeData(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                  SymbolTable &symbols) {
    std::string name = "weir_custom_shape";
    for (int64_t size : shape)
      name += "_" + std::to_string(size);
    if (!symbols.lookup(name)) {
      OpBuilder outer(&getContext());
      SmallVector<int64_t> sizes(shape);
      if (sizes.empty())
        sizes.push_back(0);
      auto type = LLVM::LLVMArrayType::get(b.getI64Type(), sizes.size());
      symbols.insert(
          outer.create<LLVM::GlobalOp>(b.getLoc(), type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name,
                                       outer.getI64TensorAttr(sizes)),
          getOperation().getBody()->begin());
    }
    return b.create<LLVM::AddressOfOp>(
        LLVM::LLVMPointerType::get(b.getContext()), name);
  }

  /// Null after an error.
  LLVM::LLVMFuncOp declare(StringRef symbol, Location loc,
                           SymbolTable &symbols) {
    if (Operation *known = symbols.lookup(symbol)) {
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(known))
        return function;
      emitError(loc) << "a custom op calls '" << symbol
                     << "', which the module defines";
      signalPassFailure();
      return {};
    }
    OpBuilder b(&getContext());
    auto type = LLVM::LLVMFunctionType::get(
        b.getI32Type(), LLVM::LLVMPointerType::get(&getContext()));
    auto function = b.create<LLVM::LLVMFuncOp>(loc, symbol, type);
    symbols.insert(function, getOperation().getBody()->begin());
    return function;
  }

  void lower(graph::CustomOp op, SymbolTable &symbols) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    LLVM::LLVMFuncOp function = declare(op.getSymbol(), op.getLoc(), symbols);
    if (!function)
      return;
    SmallVector<Value> memory;
    auto memoryOf = [](Value tensor) {
      auto type = cast<RankedTensorType>(tensor.getType());
      return MemRefType::get(type.getShape(), type.getElementType());
    };
    for (Value input : op.getInputs())
      memory.push_back(b.create<bufferization::ToMemrefOp>(
          memoryOf(input), input, /*read_only=*/true));
    for (Value output : op.getOutputs())
      memory.push_back(
          b.create<memref::AllocOp>(memoryOf(output), b.getI64IntegerAttr(64)));
    callParts(b, op, function, memory, symbols);
    SmallVector<Value> results;
    for (Value output : ArrayRef<Value>(memory).take_back(op.getNumResults()))
      results.push_back(b.create<bufferization::ToTensorOp>(
          output, /*restrict=*/true, /*writable=*/true));
    op.replaceAllUsesWith(results);
    op.erase();
  }

  void callParts(ImplicitLocOpBuilder &b, graph::CustomOp op,
                 LLVM::LLVMFuncOp function, ArrayRef<Value> memory,
                 SymbolTable &symbols) {
    int64_t parts = op.getParts();
    auto shared = b.create<kernel::ParallelOp>(parts, /*coarse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&shared.getBody().front());
    Value scratch;
    if (op.getScratch() > 0)
      scratch = b.create<memref::AllocOp>(
          MemRefType::get({static_cast<int64_t>(op.getScratch())},
                          b.getI8Type()),
          b.getI64IntegerAttr(64));
    ArrayRef<Value> tensors = memory.drop_back();
    size_t inputs = op.getInputs().size();
    Structure list(b, std::max<int64_t>(1, tensors.size()) * tensorBytes);
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      ArrayRef<int64_t> shape = cast<MemRefType>(tensor.getType()).getShape();
      list.seek(static_cast<int64_t>(i) * tensorBytes);
      list.write(pointerTo(b, tensor));
      list.write(shapeData(b, shape, symbols));
      list.write32(static_cast<int64_t>(shape.size()));
      list.write32(op.getDtypes()[i]);
    }
    Value outputs = b.create<LLVM::GEPOp>(
        list.at.getType(), b.getI8Type(), list.at,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(inputs * tensorBytes)});
    Structure call(b, callBytes);
    Value one = b.create<arith::ConstantIndexOp>(1);
    auto loop = b.create<scf::ForOp>(shared.getFirst(), shared.getLast(), one);
    b.setInsertionPointToStart(loop.getBody());
    call.write(list.at);
    call.write(outputs);
    call.write32(static_cast<int64_t>(inputs));
    call.write32(static_cast<int64_t>(tensors.size() - inputs));
    call.write(
        b.create<arith::IndexCastOp>(b.getI32Type(), loop.getInductionVar()));
    call.write32(parts);
    if (scratch)
      call.write(pointerTo(b, scratch));
    else
      call.write(b.create<LLVM::ZeroOp>(call.at.getType()));
    call.write64(op.getScratch());
    Value status = b.create<LLVM::CallOp>(function, call.at).getResult();
    b.create<memref::StoreOp>(status, memory.back(), loop.getInductionVar());
  }
};

} // namespace
} // namespace weir::lower
