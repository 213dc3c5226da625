// AVX-512: 16 lanes of 32 bits, with dot products where VNNI and BF16 are
// there.

#include "dialects/isa/Avx512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace weir {

constexpr int64_t registerLanes = 16;

static bool isWide(Type type) {
  return cast<VectorType>(type).getNumElements() == registerLanes;
}

int64_t Avx512::exponentLanes() const { return registerLanes; }

Value Avx512::scale(Builder &b, Value x, Value n) const {
  Value all = b.create<LLVM::ConstantOp>(b.getI16IntegerAttr(-1));
  Value roundAsSet = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(4));
  return call(b, "avx512.mask.scalef.ps.512", x.getType(),
              {x, n, x, all, roundAsSet});
}

std::pair<Value, Value> Avx512::split(Builder &b, Value x) const {
  Value all = b.create<LLVM::ConstantOp>(b.getI16IntegerAttr(-1));
  Value roundAsSet = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(4));
  // From 3/4, without a sign, and NaN for a number with a sign.
  Value how = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(15));
  Value mantissa = call(b, "avx512.mask.getmant.ps.512", x.getType(),
                        {x, how, x, all, roundAsSet});
  auto exponentOf = [&](Value y) {
    return call(b, "avx512.mask.getexp.ps.512", x.getType(),
                {y, y, all, roundAsSet});
  };
  return {mantissa,
          b.create<arith::SubFOp>(exponentOf(x), exponentOf(mantissa))};
}

int64_t Avx512::lookUpLanes(int64_t entries) const {
  return entries == registerLanes || entries == 2 * registerLanes
             ? registerLanes
             : Avx2::lookUpLanes(entries);
}

Value Avx512::lookUp(Builder &b, ValueRange registers, Value index) const {
  Type type = registers[0].getType();
  if (registers.size() == 2)
    return call(b, "avx512.vpermi2var.ps.512", type,
                {registers[0], index, registers[1]});
  if (isWide(type))
    return call(b, "avx512.permvar.sf.512", type, {registers[0], index});
  return Avx2::lookUp(b, registers, index);
}

int64_t Avx512::byteSumBits(int64_t lanes) const {
  return has.dots && lanes == registerLanes ? 32 : Avx2::byteSumBits(lanes);
}

Value Avx512::addByteProducts(Builder &b, Value sums, Value unsignedWords,
                              Value signedWords) const {
  if (!isWide(sums.getType()) || !getElementTypeOrSelf(sums).isInteger(32))
    return Avx2::addByteProducts(b, sums, unsignedWords, signedWords);
  return call(b, "avx512.vpdpbusd.512", sums.getType(),
              {sums, unsignedWords, signedWords});
}

Value Avx512::widenByteSums(Builder &b, Value sums) const {
  return getElementTypeOrSelf(sums).isInteger(32)
             ? sums
             : Avx2::widenByteSums(b, sums);
}

Value Avx512::addBf16Products(Builder &b, Value sums, Value left,
                              Value right) const {
  auto pairs = VectorType::get(2 * registerLanes, b.getBF16Type());
  Value first = b.create<vector::BitCastOp>(pairs, left);
  Value second = b.create<vector::BitCastOp>(pairs, right);
  return call(b, "avx512bf16.dpbf16ps.512", sums.getType(),
              {sums, first, second});
}

// One instruction; LLVM would make a shuffle of it, which takes longer.
Value Avx512::mergeBits(Builder &b, Value x, int32_t mask, Value y) const {
  auto type = cast<VectorType>(x.getType());
  if (!isWide(type))
    return Avx2::mergeBits(b, x, mask, y);
  Value masks = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, b.getI32IntegerAttr(mask)));
  Value andThenOr = b.create<arith::ConstantOp>(b.getI32IntegerAttr(0xEA));
  return call(b, "avx512.pternlog.d.512", type, {x, masks, y, andThenOr});
}

} // namespace weir
