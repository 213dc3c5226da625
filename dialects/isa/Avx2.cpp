// AVX2: eight lanes of 32 bits.

#include "dialects/isa/Avx2.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace weir {

constexpr int64_t registerLanes = 8;

Value Avx2::call(Builder &b, StringRef name, Type type, ValueRange operands) {
  return b
      .create<LLVM::CallIntrinsicOp>(
          type, b.getStringAttr(("llvm.x86." + name).str()), operands)
      .getResult(0);
}

static int64_t lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

int64_t Avx2::lookUpLanes(int64_t entries) const {
  return entries == registerLanes ? registerLanes : 0;
}

Value Avx2::lookUp(Builder &b, ValueRange registers, Value index) const {
  return call(b, "avx2.permps", registers[0].getType(), {registers[0], index});
}

int64_t Avx2::byteSumBits(int64_t lanes) const {
  return lanes == registerLanes ? 16 : 0;
}

Value Avx2::addByteProducts(Builder &b, Value sums, Value unsignedWords,
                            Value signedWords) const {
  auto bytes = VectorType::get(4 * lanesOf(unsignedWords), b.getI8Type());
  Value left = b.create<vector::BitCastOp>(bytes, unsignedWords);
  Value right = b.create<vector::BitCastOp>(bytes, signedWords);
  Value products = call(b, "avx2.pmadd.ub.sw", sums.getType(), {left, right});
  return b.create<arith::AddIOp>(sums, products);
}

Value Avx2::widenByteSums(Builder &b, Value sums) const {
  Value ones = b.create<arith::ConstantOp>(DenseElementsAttr::get(
      cast<VectorType>(sums.getType()), b.getI16IntegerAttr(1)));
  auto words = VectorType::get(lanesOf(sums) / 2, b.getI32Type());
  return call(b, "avx2.pmadd.wd", words, {sums, ones});
}

} // namespace weir
