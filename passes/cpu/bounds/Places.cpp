// Where a view is in its buffer, in bytes.

#include "passes/cpu/bounds/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::cpu {

Scalar Scalar::of(OpFoldResult index) {
  Scalar scalar;
  scalar.constant = getConstantIntValue(index);
  if (!scalar.constant)
    scalar.value = cast<Value>(index);
  return scalar;
}

Value Scalar::materialize(ImplicitLocOpBuilder &b) const {
  return constant ? b.create<arith::ConstantIndexOp>(*constant).getResult()
                  : value;
}

static Scalar valueOf(Value value) {
  Scalar scalar;
  scalar.constant.reset();
  scalar.value = value;
  return scalar;
}

Scalar add(ImplicitLocOpBuilder &b, const Scalar &left, const Scalar &right) {
  if (left.constant && right.constant)
    return *left.constant + *right.constant;
  if (left.constant == 0 || right.constant == 0)
    return left.constant == 0 ? right : left;
  return valueOf(
      b.create<arith::AddIOp>(left.materialize(b), right.materialize(b)));
}

Scalar multiply(ImplicitLocOpBuilder &b, const Scalar &left, int64_t right) {
  if (left.constant)
    return *left.constant * right;
  if (right == 1)
    return left;
  return valueOf(b.create<arith::MulIOp>(
      left.value, b.create<arith::ConstantIndexOp>(right)));
}

int64_t bytesOfElement(MemRefType type) {
  return static_cast<int64_t>(
      llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

int64_t bytesOf(MemRefType type) {
  return type.getNumElements() * bytesOfElement(type);
}

/// The static strides of the type; null if one is dynamic.
static std::optional<SmallVector<int64_t>> stridesOf(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  return strides;
}

/// `byte` moved by these indices along the strides of `type`.
static std::optional<Scalar> moved(ImplicitLocOpBuilder &b, MemRefType type,
                                   std::optional<Scalar> byte,
                                   ArrayRef<OpFoldResult> indices) {
  std::optional<SmallVector<int64_t>> strides = stridesOf(type);
  if (!byte || !strides)
    return std::nullopt;
  for (auto [index, stride] : llvm::zip_equal(indices, *strides))
    byte = add(b, *byte,
               multiply(b, Scalar::of(index), stride * bytesOfElement(type)));
  return byte;
}

Place placeOf(ImplicitLocOpBuilder &b, Value view) {
  Operation *op = view.getDefiningOp();
  if (auto part = dyn_cast_or_null<memref::SubViewOp>(op)) {
    Place place = placeOf(b, part.getSource());
    place.byte =
        moved(b, part.getSourceType(), place.byte, part.getMixedOffsets());
    return place;
  }
  if (isa_and_nonnull<memref::CastOp, memref::CollapseShapeOp,
                      memref::ExpandShapeOp>(op))
    return placeOf(b, op->getOperand(0));
  if (auto bytes = dyn_cast_or_null<memref::ViewOp>(op)) {
    Place place = placeOf(b, bytes.getSource());
    if (place.byte)
      place.byte = add(b, *place.byte, Scalar::of(bytes.getByteShift()));
    return place;
  }
  if (auto cast = dyn_cast_or_null<memref::ReinterpretCastOp>(op)) {
    // Its offset is from the buffer of the source, not from the source.
    Place place = placeOf(b, cast.getSource());
    auto type = mlir::cast<MemRefType>(cast.getType());
    bool isRoot = place.byte && place.byte->constant == 0;
    place.byte.reset();
    if (isRoot)
      place.byte = multiply(b, Scalar::of(cast.getMixedOffsets().front()),
                            bytesOfElement(type));
    return place;
  }
  bool isBuffer =
      isa<BlockArgument>(view) ||
      isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op);
  auto type = dyn_cast<MemRefType>(view.getType());
  if (isBuffer && type && type.hasStaticShape() &&
      type.getLayout().isIdentity())
    return {view, Scalar(0)};
  return {view, std::nullopt};
}

std::optional<Scalar> byteOf(ImplicitLocOpBuilder &b, const Place &place,
                             Value view, ValueRange indices) {
  return moved(b, cast<MemRefType>(view.getType()), place.byte,
               getAsOpFoldResult(indices));
}

Scalar activeLanes(ImplicitLocOpBuilder &b, Value mask) {
  auto type = cast<VectorType>(mask.getType());
  int64_t lanes = type.getNumElements();
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return cast<IntegerAttr>(constant.getMaskDimSizes()[0]).getInt();
  DenseElementsAttr bits;
  if (matchPattern(mask, m_Constant(&bits))) {
    int64_t last = 0;
    for (auto [i, bit] : llvm::enumerate(bits.getValues<bool>()))
      if (bit)
        last = static_cast<int64_t>(i) + 1;
    return last;
  }
  SmallVector<int64_t> ends = llvm::to_vector(llvm::seq<int64_t>(1, lanes + 1));
  Type wide = VectorType::get(type.getShape(), b.getI64Type());
  Value ordinals = b.create<arith::ConstantOp>(wide, b.getI64VectorAttr(ends));
  Value none = b.create<arith::ConstantOp>(b.getZeroAttr(wide));
  Value set = b.create<arith::SelectOp>(mask, ordinals, none);
  Value last = b.create<vector::ReductionOp>(vector::CombiningKind::MAXSI, set);
  return valueOf(b.create<arith::IndexCastOp>(b.getIndexType(), last));
}

} // namespace weir::cpu
