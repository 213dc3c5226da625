// Recognizes operands of products that are dequantized bytes.

#include "passes/graph/Quantized.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/constants/Bytes.h"

using namespace mlir;

namespace weir::graph {

using graph::build::Expr;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isByte(Type type) { return type.isInteger(8); }

/// Evaluates constants and ops that move, convert, subtract and multiply them.
/// A double represents bytes, i32 and f32 exactly.
class Evaluation {
public:
  using Numbers = std::vector<double>;

  std::optional<Numbers> of(Value value) {
    Operation *op = value.getDefiningOp();
    RankedTensorType type = typeOf(value);
    if (!op || type.getNumElements() > maxElements || ++ops > maxOps)
      return std::nullopt;
    if (auto constant = dyn_cast<graph::ConstantOp>(op))
      return ofConstant(value);
    if (auto transpose = dyn_cast<graph::TransposeOp>(op))
      return moved(transpose.getX(), type, transpose.getPermutation());
    if (auto broadcast = dyn_cast<graph::BroadcastOp>(op))
      return repeated(broadcast, type);
    if (isa<graph::ReshapeOp>(op))
      return of(op->getOperand(0));
    if (auto cast = dyn_cast<graph::CastOp>(op)) {
      Type from = typeOf(cast.getX()).getElementType();
      bool isExact =
          isByte(from) || (from.isInteger(32) && type.getElementType().isF32());
      return isExact ? of(cast.getX()) : std::nullopt;
    }
    if (isa<graph::SubOp, graph::MulOp>(op)) {
      auto x = of(op->getOperand(0)), y = of(op->getOperand(1));
      if (!x || !y)
        return std::nullopt;
      bool isFloat = type.getElementType().isF32();
      for (auto [a, b] : llvm::zip_equal(*x, *y)) {
        a = isa<graph::SubOp>(op) ? a - b : a * b;
        a = isFloat ? static_cast<float>(a) : a;
      }
      return x;
    }
    return std::nullopt;
  }

  /// The elements of `x`, with a stride for each dimension of `type`.
  static Numbers strided(const Numbers &x, RankedTensorType type,
                         ArrayRef<int64_t> strides) {
    Numbers result(type.getNumElements());
    SmallVector<int64_t> at(type.getRank());
    int64_t from = 0;
    for (double &number : result) {
      number = x[from];
      for (int64_t d = type.getRank(); d-- > 0;) {
        from += strides[d];
        if (++at[d] < type.getDimSize(d))
          break;
        from -= strides[d] * at[d];
        at[d] = 0;
      }
    }
    return result;
  }

private:
  static constexpr int64_t maxElements = int64_t(1) << 28;
  static constexpr int maxOps = 32;
  int ops = 0;

  template <typename T>
  static Numbers numbersIn(const Bytes &bytes, int64_t count) {
    Numbers numbers(count);
    for (int64_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element,
                  bytes.data().data() + (bytes.isSplat() ? 0 : i) * sizeof(T),
                  sizeof(T));
      numbers[i] = static_cast<double>(element);
    }
    return numbers;
  }

  static std::optional<Numbers> ofConstant(Value value) {
    std::optional<Bytes> bytes = Bytes::of(value);
    if (!bytes)
      return std::nullopt;
    int64_t count = typeOf(value).getNumElements();
    Type element = typeOf(value).getElementType();
    if (element.isF32())
      return numbersIn<float>(*bytes, count);
    if (element.isSignlessInteger(32))
      return numbersIn<int32_t>(*bytes, count);
    if (element.isSignlessInteger(8))
      return numbersIn<int8_t>(*bytes, count);
    if (element.isUnsignedInteger(8))
      return numbersIn<uint8_t>(*bytes, count);
    return std::nullopt;
  }

  std::optional<Numbers> moved(Value x, RankedTensorType type,
                               ArrayRef<int64_t> permutation) {
    std::optional<Numbers> numbers = of(x);
    if (!numbers)
      return std::nullopt;
    SmallVector<int64_t> strides = graph::stridesOf(typeOf(x).getShape()), by;
    for (int64_t dim : permutation)
      by.push_back(strides[dim]);
    return strided(*numbers, type, by);
  }

  std::optional<Numbers> repeated(graph::BroadcastOp op,
                                  RankedTensorType type) {
    std::optional<Numbers> numbers = of(op.getX());
    if (!numbers)
      return std::nullopt;
    ArrayRef<int64_t> shape = typeOf(op.getX()).getShape();
    SmallVector<int64_t> strides = graph::stridesOf(shape),
                         by(type.getRank(), 0);
    for (auto [i, dim] : llvm::enumerate(op.getDims()))
      by[dim] = shape[i] == 1 ? 0 : strides[i];
    return strided(*numbers, type, by);
  }
};

/// A scalar with the value of all elements of `value`.
Expr scalarOf(ImplicitLocOpBuilder &b, Value value) {
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getX();
  if (auto constant = value.getDefiningOp<graph::ConstantOp>())
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        dense && dense.isSplat())
      return Expr(b, b.create<graph::ConstantOp>(DenseElementsAttr::get(
                         typeOf(value).clone(ArrayRef<int64_t>{}),
                         dense.getSplatValue<Attribute>())));
  if (typeOf(value).getNumElements() != 1)
    return {};
  return reshape(Expr(b, value), {});
}

Value castFrom(Value value, bool (*isFrom)(Type), Type to) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  if (!cast || typeOf(value).getElementType() != to ||
      !isFrom(typeOf(cast.getX()).getElementType()))
    return {};
  return cast.getX();
}

/// Recognizes i32 elements that are bytes minus a zero point.
std::optional<QuantizedData> centeredBytes(ImplicitLocOpBuilder &b,
                                           Value value) {
  Type i32 = b.getI32Type();
  QuantizedData data;
  data.zero =
      Expr(b, graph::build::splat(b, RankedTensorType::get({}, i32), 0));
  Value wide = value;
  while (auto sub = wide.getDefiningOp<graph::SubOp>()) {
    Expr less = scalarOf(b, sub.getY());
    if (!less)
      return std::nullopt;
    data.zero = data.zero + less;
    wide = sub.getX();
  }
  Value bytes = castFrom(wide, isByte, i32);
  if (!bytes || !data.zero)
    return std::nullopt;
  data.bytes = Expr(b, bytes);
  return data;
}

/// Converts signed bytes to unsigned ones by adding 128. If they are quantized
/// with a known zero point and their users only widen them, the quantization
/// computes unsigned bytes directly.
Expr asUnsigned(ImplicitLocOpBuilder &b, Expr bytes) {
  Type i32 = b.getI32Type(), ui8 = b.getIntegerType(8, false);
  auto narrow = bytes.value.getDefiningOp<graph::CastOp>();
  auto add = narrow ? narrow.getX().getDefiningOp<graph::AddOp>() : nullptr;
  auto zero = add ? add.getY().getDefiningOp<graph::ConstantOp>() : nullptr;
  auto known = zero ? dyn_cast<DenseElementsAttr>(zero.getValue()) : nullptr;
  bool isQuantized = known && known.isSplat() &&
                     known.getElementType().isF32() &&
                     add.getX().getDefiningOp<graph::RoundOp>();
  if (!isQuantized || llvm::any_of(narrow->getUsers(), [&](Operation *user) {
        return !isa<graph::CastOp>(user) ||
               typeOf(user->getResult(0)).getElementType() != i32;
      }))
    return cast(cast(bytes, i32) + 128.0, ui8);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(narrow);
  float point = known.getSplatValue<APFloat>().convertToFloat() + 128;
  Value moved = b.create<graph::AddOp>(
      add.getX(), graph::build::splat(b, add.getType(), point));
  Expr result = cast(Expr(b, moved), ui8);
  for (Operation *user : llvm::make_early_inc_range(narrow->getUsers())) {
    b.setInsertionPoint(user);
    user->getResult(0).replaceAllUsesWith((cast(result, i32) - 128.0).value);
    user->erase();
  }
  return result;
}

} // namespace

std::optional<QuantizedData> quantizedData(ImplicitLocOpBuilder &b,
                                           Value operand) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  // The same moves are applied to the bytes.
  SmallVector<Operation *> moves;
  while (isa_and_nonnull<graph::TransposeOp, graph::ReshapeOp>(
      operand.getDefiningOp())) {
    moves.push_back(operand.getDefiningOp());
    operand = moves.back()->getOperand(0);
  }
  std::optional<QuantizedData> data;
  if (typeOf(operand).getElementType() == f32) {
    auto mul = operand.getDefiningOp<graph::MulOp>();
    if (!mul)
      return std::nullopt;
    auto isWide = [](Type type) { return type.isSignlessInteger(32); };
    for (bool swap : {false, true}) {
      Value x = swap ? mul.getY() : mul.getX();
      Value scale = swap ? mul.getX() : mul.getY();
      Value wide = castFrom(x, isWide, f32);
      if (!wide || !(data = centeredBytes(b, wide)))
        continue;
      data->scale = scalarOf(b, scale);
      if (data->scale)
        break;
      data.reset();
    }
  } else if (typeOf(operand).getElementType() == i32) {
    data = centeredBytes(b, operand);
  }
  if (!data)
    return std::nullopt;
  // Signed bytes plus 128 are unsigned bytes with another zero point.
  if (data->bytes.elementType().isSignlessInteger(8)) {
    data->bytes = asUnsigned(b, data->bytes);
    data->zero = data->zero + 128.0;
  }
  for (Operation *move : llvm::reverse(moves)) {
    if (auto by = dyn_cast<graph::TransposeOp>(move))
      data->bytes = transpose(data->bytes, by.getPermutation());
    else
      data->bytes = reshape(data->bytes, typeOf(move->getResult(0)).getShape());
  }
  return data;
}

std::optional<QuantizedWeights> quantizedWeights(Value operand, int64_t dim) {
  RankedTensorType type = typeOf(operand);
  Value integers = operand, scales;
  SmallVector<graph::TransposeOp> moves;
  if (type.getElementType().isF32()) {
    while (auto move = integers.getDefiningOp<graph::TransposeOp>()) {
      moves.push_back(move);
      integers = move.getX();
    }
    auto mul = integers.getDefiningOp<graph::MulOp>();
    if (!mul)
      return std::nullopt;
    integers = mul.getX(), scales = mul.getY();
    auto cast = integers.getDefiningOp<graph::CastOp>();
    if (!cast || !isa<IntegerType>(typeOf(cast.getX()).getElementType()))
      return std::nullopt;
  } else if (!type.getElementType().isSignlessInteger(32)) {
    return std::nullopt;
  }
  // The dimension of the operand that determines the element of the scale.
  int64_t from = dim;
  for (graph::TransposeOp move : moves)
    from = move.getPermutation()[from];
  RankedTensorType given = typeOf(integers);
  int64_t stride = graph::stridesOf(given.getShape())[from];
  int64_t positions = given.getDimSize(from);
  std::optional<Evaluation::Numbers> values = Evaluation().of(integers),
                                     factors;
  if (!values || values->empty() ||
      (scales && !(factors = Evaluation().of(scales))))
    return std::nullopt;
  QuantizedWeights weights;
  weights.sums.assign(positions, 0);
  if (scales)
    weights.scales.assign(positions, 0);
  std::vector<bool> known(positions);
  for (auto [i, value] : llvm::enumerate(*values)) {
    int64_t position = static_cast<int64_t>(i) / stride % positions;
    if (!(value >= -128 && value <= 127))
      return std::nullopt;
    weights.sums[position] += static_cast<int64_t>(value);
    if (!scales)
      continue;
    auto factor = static_cast<float>((*factors)[i]);
    if (known[position] && weights.scales[position] != factor)
      return std::nullopt;
    known[position] = true;
    weights.scales[position] = factor;
  }
  // In the order of the operand.
  weights.type = type.clone(IntegerType::get(type.getContext(), 8));
  if (!moves.empty()) {
    SmallVector<int64_t> strides = graph::stridesOf(given.getShape());
    for (graph::TransposeOp move : llvm::reverse(moves)) {
      SmallVector<int64_t> next;
      for (int64_t d : move.getPermutation())
        next.push_back(strides[d]);
      strides = next;
    }
    *values = Evaluation::strided(*values, weights.type, strides);
  }
  weights.bytes.assign(values->begin(), values->end());
  return weights;
}

} // namespace weir::graph
