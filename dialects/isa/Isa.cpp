// The instruction set of a target, and the generic set.

#include "dialects/isa/Isa.h"

#include "dialects/isa/Avx512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir {

std::unique_ptr<Isa> Isa::of(const Instructions &has) {
  switch (has.set) {
  case InstructionSet::Generic:
    return std::make_unique<Isa>(has);
  case InstructionSet::Avx2:
    return std::make_unique<Avx2>(has);
  case InstructionSet::Avx512:
    return std::make_unique<Avx512>(has);
  }
  llvm_unreachable("every instruction set has a class");
}

Value Isa::addByteProducts(Builder &, Value, Value, Value) const {
  llvm_unreachable("no instruction adds products of bytes");
}

Value Isa::widenByteSums(Builder &, Value) const {
  llvm_unreachable("no instruction adds products of bytes");
}

Value Isa::addBf16Products(Builder &, Value, Value, Value) const {
  llvm_unreachable("no instruction adds products of bf16");
}

Value Isa::lookUp(Builder &, ValueRange, Value) const {
  llvm_unreachable("no instruction looks up a table");
}

Value Isa::scale(Builder &, Value, Value) const {
  llvm_unreachable("no instruction scales by powers of two");
}

std::pair<Value, Value> Isa::split(Builder &, Value) const {
  llvm_unreachable("no instruction splits a float");
}

Value Isa::mergeBits(Builder &b, Value x, int32_t mask, Value y) const {
  Value masks = b.create<arith::ConstantOp>(DenseElementsAttr::get(
      cast<VectorType>(x.getType()), b.getI32IntegerAttr(mask)));
  return b.create<arith::OrIOp>(b.create<arith::AndIOp>(x, masks), y);
}

} // namespace weir
