// Recognizes constant weights of codes with scales, and packs them.

#include "passes/graph/CodedWeights.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/constants/Bytes.h"

using namespace mlir;

namespace weir::graph {

using kernel::PackedWeights;

std::optional<int64_t> CodedWeights::sameZero() const {
  int64_t first = zero(0, 0);
  for (int64_t b = 0; b < blocks(); ++b)
    for (int64_t n = 0; n < columns; ++n)
      if (zero(b, n) != first)
        return std::nullopt;
  return first;
}

PackedWeights CodedWeights::layout(bool hasZeros) const {
  int64_t own = block;
  if (blocks() == 1)
    own = llvm::alignTo(depth, depth > 128 ? 128 : 32 / codes.bits);
  return {depth,
          columns,
          codes.bits,
          own,
          static_cast<int64_t>(scaleType.getIntOrFloatBitWidth() / 8),
          hasZeros};
}

void CodedWeights::pack(const PackedWeights &layout, char *to) const {
  constexpr int64_t width = PackedWeights::panel;
  for (int64_t p = 0; p < layout.panels(); ++p)
    for (int64_t b = 0; b < layout.blocks(); ++b, to += layout.recordBytes())
      for (int64_t c = 0; c < std::min(width, columns - p * width); ++c)
        packBlock(layout, b, p * width + c, c, to);
}

void CodedWeights::packBlock(const PackedWeights &layout, int64_t b, int64_t n,
                             int64_t c, char *record) const {
  std::memcpy(record + c * layout.scaleBytes, scale(b, n), layout.scaleBytes);
  if (layout.hasZeros)
    record[layout.zerosOffset() + c] = static_cast<char>(zero(b, n));
  int64_t first = b * layout.block, perWord = layout.perWord();
  int64_t count = std::min(layout.block, depth - first);
  char *words = record + layout.wordsOffset();
  for (int64_t k = 0; k < count; ++k) {
    int64_t word = k / perWord * PackedWeights::panel + c;
    int64_t bit = k % perWord * codes.bits;
    words[word * PackedWeights::wordBytes + bit / 8] |=
        static_cast<char>(code(first + k, n) << bit % 8);
  }
}

/// The bytes of a constant behind reshapes. The value may also be rounded to
/// f16 or bf16 and converted back.
static std::optional<Bytes> bytesOfShaped(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  while (Operation *op = value.getDefiningOp()) {
    auto cast = dyn_cast<graph::CastOp>(op);
    bool isWide = cast && isa<FloatType>(element) &&
                  (cast.getType().getElementType() == element ||
                   cast.getType().getElementType().isF32());
    if (!isa<graph::ReshapeOp>(op) && !isWide)
      break;
    value = op->getOperand(0);
  }
  if (getElementTypeOrSelf(value.getType()) != element)
    return std::nullopt;
  return Bytes::of(value);
}

/// Recognizes an operand computed by graph.dequantize. No value if its blocks
/// are not along the depth, or if its operands are not constants.
static std::optional<CodedWeights>
weightsOf(graph::DequantizeOp op, int64_t depth, int64_t columns, bool turned) {
  auto codes = bytesOfShaped(op.getCodes()),
       scales = bytesOfShaped(op.getScales());
  auto zeros = op.getZeros() ? bytesOfShaped(op.getZeros()) : std::nullopt;
  if (!codes || !scales || (op.getZeros() && !zeros) ||
      op.getType().getRank() != 2)
    return std::nullopt;
  // Blocks along the columns are only accepted if all rows of a block are
  // equal. A byte may hold several different zero points.
  bool isApart =
      !zeros || cast<RankedTensorType>(op.getZeros().getType()).getShape() ==
                    op.getScales().getType().getShape();
  bool areAlike = scales->isSplat() && isApart && (!zeros || zeros->isSplat());
  if (op.getAxis() != turned && !areAlike)
    return std::nullopt;
  int64_t block = op.getAxis() == turned ? op.getBlock() : depth;
  auto bits = static_cast<int64_t>(op.getBits());
  auto table = [&](const Bytes &bytes, Value value, int64_t codesOfRow) {
    int64_t row = cast<RankedTensorType>(value.getType()).getDimSize(1);
    return CodeTable{bytes.data(),
                     row,
                     bits,
                     row == codesOfRow ? 8 : bits,
                     op.getIsSigned(),
                     bytes.isSplat()};
  };
  RankedTensorType scaleType = op.getScales().getType();
  CodedWeights weights = {
      depth,
      columns,
      block,
      turned,
      table(*codes, op.getCodes(), op.getType().getDimSize(1)),
      std::nullopt,
      scales->data(),
      scales->isSplat(),
      scaleType.getDimSize(1),
      scaleType.getElementType()};
  if (zeros)
    weights.zeros = table(*zeros, op.getZeros(), scaleType.getDimSize(1));
  return weights;
}

/// The elements of `value` along dimension `dim`, `bytes` bytes for each of
/// `columns` indices. No value unless it is constant along all other
/// dimensions.
static std::optional<std::vector<char>>
ofColumns(Value value, int64_t dim, int64_t columns, int64_t bytes) {
  std::vector<char> numbers;
  auto repeat = [&](ArrayRef<char> number) {
    for (int64_t n = 0; n < columns; ++n)
      numbers.insert(numbers.end(), number.begin(), number.begin() + bytes);
    return numbers;
  };
  if (auto known = Bytes::of(value); known && known->isSplat())
    return repeat(known->data());
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  auto known = broadcast ? bytesOfShaped(broadcast.getX()) : std::nullopt;
  if (!known)
    return std::nullopt;
  auto type = broadcast.getX().getType();
  if (known->isSplat() || type.getNumElements() == 1)
    return repeat(known->data());
  for (auto [i, at] : llvm::enumerate(broadcast.getDims()))
    if (type.getDimSize(i) != (at == dim ? columns : 1))
      return std::nullopt;
  if (type.getNumElements() != columns)
    return std::nullopt;
  numbers.assign(known->data().begin(), known->data().end());
  return numbers;
}

/// Recognizes bytes with a scale and a zero point for each column.
static std::optional<CodedWeights> ofBytes(Value right, int64_t depth,
                                           int64_t columns, bool turned,
                                           OwnNumbers &own) {
  auto typeOf = [](Value value) {
    return mlir::cast<RankedTensorType>(value.getType());
  };
  auto mul = right.getDefiningOp<graph::MulOp>();
  auto floats = mul ? mul.getX().getDefiningOp<graph::CastOp>() : nullptr;
  if (!floats || typeOf(right).getRank() != 2 ||
      !typeOf(right).getElementType().isF32() ||
      !typeOf(floats.getX()).getElementType().isSignlessInteger(32))
    return std::nullopt;
  auto sub = floats.getX().getDefiningOp<graph::SubOp>();
  Value integers = sub ? sub.getX() : floats.getX();
  auto wide = integers.getDefiningOp<graph::CastOp>();
  auto codes = wide ? Bytes::of(wide.getX()) : std::nullopt;
  if (!codes || !codes->type().getElementType().isInteger(8))
    return std::nullopt;
  int64_t dim = turned ? 0 : 1, positions = typeOf(right).getDimSize(dim);
  auto scales = ofColumns(mul.getY(), dim, positions, sizeof(float));
  auto zeros = sub ? ofColumns(sub.getY(), dim, positions, sizeof(int32_t))
                   : std::nullopt;
  if (!scales || (sub && !zeros))
    return std::nullopt;
  own.scales = std::move(*scales);
  bool isSigned = codes->type().getElementType().isSignlessInteger();
  constexpr int64_t bits = 8;
  CodedWeights weights = {depth,
                          columns,
                          depth,
                          turned,
                          {codes->data(), typeOf(right).getDimSize(1), bits,
                           bits, isSigned, codes->isSplat()},
                          std::nullopt,
                          own.scales,
                          /*splatScales=*/false,
                          /*scalesOfRow=*/turned ? 1 : positions,
                          typeOf(right).getElementType()};
  for (int64_t n = 0; zeros && n < positions; ++n) {
    int32_t zero;
    std::memcpy(&zero, zeros->data() + n * sizeof(zero), sizeof(zero));
    if (zero < (isSigned ? -128 : 0) || zero > (isSigned ? 127 : 255))
      return std::nullopt;
    own.zeros.push_back(static_cast<char>(zero));
  }
  if (zeros)
    weights.zeros = CodeTable{
        own.zeros, turned ? 1 : positions, bits, bits, isSigned, false};
  return weights;
}

std::optional<CodedWeights> codedWeights(Value right, int64_t depth,
                                         int64_t columns, bool turned,
                                         OwnNumbers &own) {
  if (auto op = right.getDefiningOp<graph::DequantizeOp>())
    return weightsOf(op, depth, columns, turned);
  return ofBytes(right, depth, columns, turned, own);
}

} // namespace weir::graph
