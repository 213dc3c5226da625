// Constant weights whose integers stay as they are stored until passes see what
// uses them.

#include "compiler/import/onnx/quantized/Dequantized.h"

#include "compiler/import/onnx/quantized/Quantized.h"

#include "compiler/import/onnx/narrow/Narrow.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/packed/Packed.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::onnx {
namespace {

bool isConstant(Value value) {
  return value && value.getDefiningOp<graph::ConstantOp>();
}

/// A constant of one element as one of many; else the constant in that shape.
Value shaped(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  DenseElementsAttr elements;
  if (type.getNumElements() == productOf(shape))
    return reshape(Expr(b, value), shape).value;
  if (type.getNumElements() != 1 || !matchPattern(value, m_Constant(&elements)))
    return {};
  return b.create<graph::ConstantOp>(DenseElementsAttr::get(
      type.clone(shape), elements.getSplatValue<Attribute>()));
}

} // namespace

Expr keptDequantized(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  const Narrow *narrow = narrowAt(node, 0), *points = narrowAt(node, 2);
  int64_t block = node.intAttr("block_size");
  Value codes = narrow ? narrow->codes : node.operand(0);
  Value scale = node.operand(1);
  Value zero = points ? points->codes : node.has(2) ? node.operand(2) : Value();
  if (!isConstant(codes) || !isConstant(scale) ||
      (node.has(2) && !isConstant(zero)))
    return {};
  auto type = mlir::cast<RankedTensorType>(codes.getType());
  bool isByte = !narrow && type.getElementType().isInteger(8);
  // Bytes without blocks are those of products of bytes (`unfolded`).
  if ((narrow ? narrow->format.kind != Format::Kind::integer
              : !isByte || block == 0) ||
      type.getRank() != 2 || (zero && bool(points) != bool(narrow)))
    return {};
  Type scaleType = getElementTypeOrSelf(scale.getType());
  if (scaleType.isF64())
    return {};
  auto given = node.axis(node.intAttr("axis", 1), 2);
  if (failed(given))
    return {};
  int64_t axis = *given;
  SmallVector<int64_t> blocks(type.getShape());
  if (block == 0) {
    // One scale for each place along the axis is one block of the other.
    axis = 1 - axis;
    block = std::max<int64_t>(1, type.getDimSize(axis));
  }
  blocks[axis] = llvm::divideCeil(blocks[axis], block);
  Value scales = shaped(b, scale, blocks), zeros;
  if (zero)
    zeros = shaped(b, zero, blocks);
  if (!scales || (zero && !zeros))
    return {};
  bool isSigned = narrow ? narrow->format.isSigned
                         : type.getElementType().isSignlessInteger();
  int64_t bits = narrow ? narrow->format.bits : 8;
  return Expr(b, b.create<graph::DequantizeOp>(type.clone(b.getF32Type()),
                                               codes, scales, zeros, axis,
                                               block, bits, isSigned,
                                               /*quantized=*/false));
}

} // namespace weir::onnx
