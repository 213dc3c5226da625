// Tables of floats that are looked up in registers.

#include "dialects/math/Functions.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace weir {

/// A table as a constant vector.
static Value constantOf(ImplicitLocOpBuilder &b, ArrayRef<float> table) {
  auto type =
      VectorType::get(static_cast<int64_t>(table.size()), b.getF32Type());
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, table));
}

/// The entries at the indices of a vector register, of tables in registers of
/// as many lanes.
static Value lookUpAtOnce(ImplicitLocOpBuilder &b, const Isa &isa, Value index,
                          ArrayRef<float> table, int64_t lanes) {
  SmallVector<Value> registers;
  for (; !table.empty(); table = table.drop_front(lanes))
    registers.push_back(constantOf(b, table.take_front(lanes)));
  return isa.lookUp(b, registers, index);
}

Value MathFunctions::lookUp(Value index, ArrayRef<float> table) {
  auto vector = dyn_cast<VectorType>(index.getType());
  if (!vector) {
    Value mask = bits(static_cast<int64_t>(table.size()) - 1);
    return b.create<vector::ExtractElementOp>(
        constantOf(b, table), b.create<arith::AndIOp>(index, mask));
  }
  int64_t count = vector.getNumElements();
  int64_t lanes = isa->lookUpLanes(static_cast<int64_t>(table.size()));
  if (vector.getShape() == ArrayRef<int64_t>{lanes})
    return lookUpAtOnce(b, *isa, index, table, lanes);

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
        lookUpAtOnce(b, *isa, some, table, lanes), result,
        ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1});
  }
  if (flat.getNumElements() != count)
    result = b.create<vector::ExtractStridedSliceOp>(
        result, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1});
  return b.create<vector::ShapeCastOp>(vector.clone(b.getF32Type()), result);
}

} // namespace weir
