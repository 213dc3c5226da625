// The tile registers of Intel AMX.
//
// A kernel uses all eight registers. So it calls LLVM's intrinsics that name
// registers, not those that leave the choice of a register to LLVM.

#include "dialects/isa/TileRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weir {
namespace {

class Amx : public TileRegisters {
public:
  explicit Amx(ImplicitLocOpBuilder &b) : b(b) {}

  void configure(int64_t height) override;
  void release() override { intrinsic("tilerelease", {}); }
  void zero(int tile) override { intrinsic("tilezero", number(tile)); }
  void load(int tile, Value buffer, ValueRange leading,
            int64_t stride) override {
    move("tileloadd64", tile, buffer, leading, stride);
  }
  void store(int tile, Value buffer, ValueRange leading,
             int64_t stride) override {
    move("tilestored64", tile, buffer, leading, stride);
  }
  void multiply(bool bytes, int sum, int left, int right) override {
    intrinsic(bytes ? "tdpbssd" : "tdpbf16ps",
              {number(sum), number(left), number(right)});
  }

private:
  void intrinsic(StringRef name, ValueRange arguments);
  Value number(int tile);
  Value address(Value buffer, ValueRange leading);
  void move(StringRef name, int tile, Value buffer, ValueRange leading,
            int64_t stride);

  ImplicitLocOpBuilder &b;
};

void Amx::intrinsic(StringRef name, ValueRange arguments) {
  b.create<LLVM::CallIntrinsicOp>(Type(), ("llvm.x86." + name).str(),
                                  arguments);
}

Value Amx::number(int tile) {
  return b.create<arith::ConstantOp>(b.getI8IntegerAttr(tile));
}

// The address is computed at its use, since the plan of scratch memory follows
// no addresses. It comes from the descriptor that the buffer will be:
// upstream's patterns replace memref.extract_aligned_pointer_as_index of a view
// by that of its source.
Value Amx::address(Value buffer, ValueRange leading) {
  auto type = cast<MemRefType>(buffer.getType());
  ArrayRef<int64_t> shape = type.getShape();
  auto index = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIndexOp>(value);
  };
  Value offset = index(0);
  int64_t stride = 1;
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    if (d < int64_t(leading.size()))
      offset = b.createOrFold<arith::AddIOp>(
          offset, b.createOrFold<arith::MulIOp>(leading[d], index(stride)));
    stride *= shape[d];
  }
  MLIRContext *context = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), word = b.getI64Type();
  SmallVector<Type> fields = {pointer, pointer, word};
  fields.append(2, LLVM::LLVMArrayType::get(word, shape.size()));
  Value descriptor =
      b.create<UnrealizedConversionCastOp>(
           LLVM::LLVMStructType::getLiteral(context, fields), buffer)
          .getResult(0);
  Value base = b.create<LLVM::ExtractValueOp>(descriptor, 1);
  Value at = b.create<arith::IndexCastOp>(word, offset);
  return b.create<LLVM::GEPOp>(pointer, type.getElementType(), base, at,
                               /*inbounds=*/true);
}

// The operand in memory has palette 1, then the bytes a row of each tile, and
// then the rows of each.
void Amx::configure(int64_t height) {
  SmallVector<int32_t> words(16, 0);
  words[0] = 1;
  std::fill(&words[4], &words[8], 64 << 16 | 64);
  words[12] = height * 0x01010101;
  words[13] = 0x10100000 | height * 0x0101;
  auto type = MemRefType::get({16}, b.getI32Type());
  Value memory = b.create<memref::AllocOp>(type, b.getI64IntegerAttr(64));
  Value shape = b.create<arith::ConstantOp>(DenseElementsAttr::get(
      VectorType::get(16, b.getI32Type()), ArrayRef(words)));
  Value first = b.create<arith::ConstantIndexOp>(0);
  b.create<vector::StoreOp>(shape, memory, first);
  intrinsic("ldtilecfg", address(memory, {}));
}

void Amx::move(StringRef name, int tile, Value buffer, ValueRange leading,
               int64_t stride) {
  Value step = b.create<arith::ConstantOp>(b.getI64IntegerAttr(stride));
  intrinsic(name, {number(tile), address(buffer, leading), step});
}

} // namespace

std::unique_ptr<TileRegisters> TileRegisters::of(const Instructions &has,
                                                 ImplicitLocOpBuilder &b) {
  if (!has.tiles && !has.byteTiles)
    return nullptr;
  return std::make_unique<Amx>(b);
}

} // namespace weir
