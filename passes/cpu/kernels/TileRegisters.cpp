// The tile registers of Intel AMX, as one kernel uses all eight: by number.
//
// LLVM's intrinsics that name registers are used, not those that leave their
// choice to it: there is nothing to choose.

#include "passes/cpu/kernels/TileRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weir {

void TileRegisters::intrinsic(StringRef name, ValueRange arguments) {
  e.create<LLVM::CallIntrinsicOp>(Type(), ("llvm.x86." + name).str(),
                                  arguments);
}

Value TileRegisters::number(int tile) {
  return e.create<arith::ConstantOp>(e.getI8IntegerAttr(tile));
}

// Taken where it is used: the plan of scratch memory sees no further. Read off
// the descriptor that the buffer is going to be: upstream's patterns take
// memref.extract_aligned_pointer_as_index of a view for that of its source.
Value TileRegisters::address(Value buffer, ValueRange leading) {
  ArrayRef<int64_t> shape = e.shape(buffer);
  Value offset = e.index(0);
  int64_t stride = 1;
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    if (d < int64_t(leading.size()))
      offset = e.plus(offset, e.times(leading[d], stride));
    stride *= shape[d];
  }
  MLIRContext *context = e.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), word = e.getI64Type();
  SmallVector<Type> fields = {pointer, pointer, word};
  fields.append(2, LLVM::LLVMArrayType::get(word, shape.size()));
  Value descriptor =
      e.create<UnrealizedConversionCastOp>(
           LLVM::LLVMStructType::getLiteral(context, fields), buffer)
          .getResult(0);
  Value base = e.create<LLVM::ExtractValueOp>(descriptor, 1);
  Value at = e.create<arith::IndexCastOp>(word, offset);
  return e.create<LLVM::GEPOp>(pointer, e.element(buffer), base, at,
                               /*inbounds=*/true);
}

// The memory operand: palette 1, then the tiles' bytes a row, and their rows.
void TileRegisters::configure(int64_t height) {
  SmallVector<int32_t> words(16, 0);
  words[0] = 1;
  std::fill(&words[4], &words[8], 64 << 16 | 64);
  words[12] = height * 0x01010101;
  words[13] = 0x10100000 | height * 0x0101;
  auto type = MemRefType::get({16}, e.getI32Type());
  Value memory = e.create<memref::AllocOp>(type, e.getI64IntegerAttr(64));
  Value shape = e.create<arith::ConstantOp>(DenseElementsAttr::get(
      VectorType::get(16, e.getI32Type()), ArrayRef(words)));
  e.store(shape, memory, {e.index(0)}, 16);
  intrinsic("ldtilecfg", address(memory, {}));
}

void TileRegisters::release() { intrinsic("tilerelease", {}); }

void TileRegisters::zero(int tile) { intrinsic("tilezero", number(tile)); }

void TileRegisters::move(StringRef name, int tile, Value buffer,
                         ValueRange leading, int64_t stride) {
  Value step = e.create<arith::ConstantOp>(e.getI64IntegerAttr(stride));
  intrinsic(name, {number(tile), address(buffer, leading), step});
}

void TileRegisters::load(int tile, Value buffer, ValueRange leading,
                         int64_t stride) {
  move("tileloadd64", tile, buffer, leading, stride);
}

void TileRegisters::store(int tile, Value buffer, ValueRange leading,
                          int64_t stride) {
  move("tilestored64", tile, buffer, leading, stride);
}

void TileRegisters::multiply(bool bytes, int sum, int left, int right) {
  intrinsic(bytes ? "tdpbssd" : "tdpbf16ps",
            {number(sum), number(left), number(right)});
}

} // namespace weir
