// Tables of floats that are looked up in registers.

#include "dialects/math/Functions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace weir {

/// A table as a constant vector.
static Value constantOf(ImplicitLocOpBuilder &b, ArrayRef<float> table) {
  auto type =
      VectorType::get(static_cast<int64_t>(table.size()), b.getF32Type());
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, table));
}

static Value call(ImplicitLocOpBuilder &b, Type type, StringRef name,
                  ValueRange operands) {
  return b.create<LLVM::CallIntrinsicOp>(type, b.getStringAttr(name), operands)
      .getResult(0);
}

Value MathFunctions::intrinsic(StringRef name, ValueRange operands) {
  return call(b, f32, name, operands);
}

/// The entries at the indices of a vector register.
static Value permute(ImplicitLocOpBuilder &b, Value index,
                     ArrayRef<float> table) {
  Type type = cast<VectorType>(index.getType()).clone(b.getF32Type());
  if (table.size() == 8)
    return call(b, type, "llvm.x86.avx2.permps", {constantOf(b, table), index});
  return call(b, type, "llvm.x86.avx512.vpermi2var.ps.512",
              {constantOf(b, table.take_front(16)), index,
               constantOf(b, table.take_back(16))});
}

Value MathFunctions::lookUp(Value index, ArrayRef<float> table) {
  int64_t lanes = table.size() == 8 ? 8 : 16;
  auto vector = dyn_cast<VectorType>(index.getType());
  if (!vector) {
    Value mask = bits(static_cast<int64_t>(table.size()) - 1);
    return b.create<vector::ExtractElementOp>(
        constantOf(b, table), b.create<arith::AndIOp>(index, mask));
  }
  int64_t count = vector.getNumElements();
  if (vector.getShape() == ArrayRef<int64_t>{lanes})
    return permute(b, index, table);

  // Cut into registers; what fills up the last is not read.
  Type i32Element = vector.getElementType();
  auto flat = VectorType::get(llvm::alignTo(count, lanes), i32Element);
  Value all =
      b.create<vector::ShapeCastOp>(VectorType::get(count, i32Element), index);
  if (flat.getNumElements() != count)
    all = b.create<vector::InsertStridedSliceOp>(
        all,
        b.create<arith::ConstantOp>(
            DenseElementsAttr::get(flat, b.getI32IntegerAttr(0))),
        ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
  auto entries = flat.clone(b.getF32Type());
  Value result = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(entries, b.getF32FloatAttr(0)));
  for (int64_t first = 0; first < flat.getNumElements(); first += lanes) {
    Value some = b.create<vector::ExtractStridedSliceOp>(
        all, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{lanes},
        ArrayRef<int64_t>{1});
    result = b.create<vector::InsertStridedSliceOp>(
        permute(b, some, table), result, ArrayRef<int64_t>{first},
        ArrayRef<int64_t>{1});
  }
  if (flat.getNumElements() != count)
    result = b.create<vector::ExtractStridedSliceOp>(
        result, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1});
  return b.create<vector::ShapeCastOp>(vector.clone(b.getF32Type()), result);
}

} // namespace weir
