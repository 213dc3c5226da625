// Weights of 2, 4 or 8 bits that blocks of one scale and zero point each
// quantize. Constants become floats at compile time.

#include "compiler/import/onnx/microsoft/Blocks.h"

#include "compiler/import/Elements.h"
#include "compiler/import/onnx/microsoft/Activations.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"
#include "compiler/import/onnx/microsoft/Part.h"
#include "compiler/import/onnx/narrow/Narrow.h"
#include "compiler/import/onnx/proto/onnx.pb.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/packed/Packed.h"
#include "dialects/weir/ElementBytes.h"

using namespace mlir;
using ::onnx::TensorProto;

namespace weir::onnx {

/// Integers of a format, several to a byte of ui8 along the last dimension, the
/// first in the lowest bits, as f32.
static Expr unpackedLast(Expr bytes, const Format &format) {
  Integers shape(bytes.shape());
  shape.back() *= format.perByte();
  Expr flat = reshape(bytes, {bytes.type().getNumElements()});
  return decoded(unpacked(flat, format, shape), format);
}

Expr unpackedLast(Expr bytes, int64_t bits) {
  if (bits == 8)
    return cast(bytes, bytes.b->getF32Type());
  return unpackedLast(
      bytes, *formatOf(bits == 4 ? TensorProto::UINT4 : TensorProto::UINT2));
}

namespace {

/// Constant codes, of ui8, as bytes of several along the last dimension.
/// Without a value where that is not whole bytes.
Expr packedLast(Expr codes, const Format &format) {
  auto constant = codes.value.getDefiningOp<graph::ConstantOp>();
  int64_t per = format.perByte();
  if (!constant || codes.shape().back() % per)
    return {};
  std::optional<ElementBytes> elements = ElementBytes::of(constant.getValue());
  if (!elements)
    return {};
  ArrayRef<char> data = elements->data();
  bool isSplat = elements->isSplat();
  int64_t count = codes.type().getNumElements();
  std::string bytes(count / per, 0);
  for (int64_t i = 0; i < count; ++i)
    bytes[i / per] |=
        static_cast<char>((data[isSplat ? 0 : i] & ((1 << format.bits) - 1))
                          << (i % per * format.bits));
  Integers shape(codes.shape());
  shape.back() /= per;
  return Expr(*codes.b, codes.b->create<graph::ConstantOp>(rawElements(
                            codes.type().clone(shape), bytes, "packed")));
}

/// Each element along `axis` `block` times in a row, of these the first `size`.
Expr repeated(Expr x, int64_t axis, int64_t block, int64_t size) {
  Integers split(x.shape()), whole(x.shape());
  split.insert(split.begin() + axis + 1, 1);
  x = reshape(x, split);
  split[axis + 1] = block;
  whole[axis] *= block;
  return slice(reshape(broadcast(x, split), whole), axis, 0, size);
}

/// Zero points that are floats or integers, the latter several to a byte along
/// the last dimension, which becomes `blocks`; without a value where they are
/// too few.
Expr zerosOf(Expr zeros, ArrayRef<int64_t> shape, int64_t bits) {
  if (!zeros)
    return {};
  if (!isa<FloatType>(zeros.elementType())) {
    if (!zeros.elementType().isUnsignedInteger(8))
      return {};
    int64_t per = 8 / bits, rows = productOf(shape.drop_back());
    int64_t bytes = (shape.back() + per - 1) / per;
    if (zeros.type().getNumElements() != rows * bytes)
      return {};
    Integers split(shape);
    split.back() = bytes;
    zeros = unpackedLast(reshape(zeros, split), bits);
    return slice(zeros, static_cast<int64_t>(shape.size()) - 1, 0,
                 shape.back());
  }
  if (zeros.type().getNumElements() != productOf(shape))
    return {};
  return widened(reshape(zeros, shape));
}

/// The weights of a MatMulNBits as one op, `columns` rows of whole blocks,
/// which passes may leave packed. Without a value where scales are f64, or zero
/// points are not whole bytes of codes.
Expr keptPacked(Expr bytes, Expr scales, Expr zeros, int64_t columns,
                int64_t blocks, int64_t block, int64_t bits, bool isQuantized) {
  ImplicitLocOpBuilder &b = *bytes.b;
  int64_t zeroBytes = (blocks * bits + 7) / 8;
  if (scales.elementType().isF64())
    return {};
  Type ui8 = bytes.elementType();
  if (!zeros) {
    // The middle of the range, in each of a byte's codes.
    int64_t all = 0;
    for (int64_t bit = bits - 1; bit < 8; bit += bits)
      all |= int64_t(1) << bit;
    zeros = filled(b, {columns, zeroBytes}, ui8, static_cast<double>(all));
  } else if (zeros.elementType() != ui8 ||
             zeros.type().getNumElements() != columns * zeroBytes) {
    return {};
  }
  auto type = RankedTensorType::get({columns, blocks * block}, b.getF32Type());
  return Expr(b, b.create<graph::DequantizeOp>(
                     type,
                     reshape(bytes, {columns, blocks * block * bits / 8}).value,
                     reshape(scales, {columns, blocks}).value,
                     reshape(zeros, {columns, zeroBytes}).value, /*axis=*/1,
                     block, bits, /*signed=*/false, isQuantized));
}

/// Gives `x` times the transpose of `w`, and operand 5 as a bias.
LogicalResult giveProduct(Node &node, Expr x, Expr w) {
  int64_t rows = w.size(1), columns = w.size(0);
  bool isRow = x.rank() == 1;
  Expr left = widened(isRow ? reshape(x, {1, rows}) : x);
  Expr y = matmul(left, cast(w, left.elementType()), false,
                  /*transposeY=*/true);
  if (y && isRow)
    y = reshape(y, {columns});
  if (y && node.has(5)) {
    auto bias = forLast(node, 5, y);
    if (failed(bias))
      return failure();
    y = y + cast(*bias, y.elementType());
  }
  return give(node, cast(y, x.elementType()));
}

/// Operands: x, the weights' bits [N, blocks, bytes of a block], scales, zero
/// points, the block of each row, and a bias.
LogicalResult importMatMul(Node &node) {
  for (unsigned i : {0, 1, 2})
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
  int64_t rows = node.intAttr("K"), columns = node.intAttr("N"),
          bits = node.intAttr("bits", 4), block = node.intAttr("block_size");
  constexpr int64_t most = int64_t(1) << 30;
  if (rows < 1 || columns < 1 || rows > most || columns > most || block < 1 ||
      block > most || (bits != 2 && bits != 4 && bits != 8) || block * bits % 8)
    return node.error() << "has no weights of " << bits << " bits in blocks of "
                        << block << " of " << rows << " x " << columns;
  if (node.intAttr("weight_prepacked"))
    return node.unsupported("weights in the layout of another kernel");
  Expr x = operand(node, 0), bytes = operand(node, 1),
       scales = operand(node, 2);
  int64_t blocks = (rows + block - 1) / block;
  bool fits =
      isOf(x.elementType(), Elements::floats) && x.rank() >= 1 &&
      x.shape().back() == rows && bytes.elementType().isUnsignedInteger(8) &&
      bytes.type().getNumElements() == columns * blocks * (block * bits / 8) &&
      isOf(scales.elementType(), Elements::floats) &&
      scales.type().getNumElements() == columns * blocks;
  if (!fits)
    return node.error() << "multiplies " << x.type() << " by weights "
                        << bytes.type() << " with scales " << scales.type();
  Expr w;
  if (!node.has(4))
    w = keptPacked(bytes, scales, node.has(3) ? operand(node, 3) : Expr(),
                   columns, blocks, block, bits,
                   node.intAttr("accuracy_level") == 4);
  if (w)
    return giveProduct(node, x, slice(w, 1, 0, rows));
  w = unpackedLast(reshape(bytes, {columns, blocks, block * bits / 8}), bits);
  scales = widened(reshape(scales, {columns, blocks}));
  Expr zeros = scales.like(double(1 << (bits - 1)));
  if (node.has(3)) {
    zeros = zerosOf(operand(node, 3), {columns, blocks}, bits);
    if (!zeros)
      return node.error() << "zero points " << node.type(3)
                          << " are not those of " << columns << " x " << blocks
                          << " blocks";
  }
  if (node.has(4)) {
    if (node.rank(4) != 1 || node.shape(4)[0] < rows ||
        !isOf(node.element(4), Elements::integers))
      return node.error() << "g_idx " << node.type(4)
                          << " has no block for each of " << rows << " rows";
    Expr positions = slice(operand(node, 4), 0, 0, rows);
    auto ofRows = [&](Expr e) -> FailureOr<Expr> {
      return Part(node, "Gather")
          .set("axis", int64_t(1))
          .runForOne({e, positions});
    };
    w = slice(reshape(w, {columns, blocks * block}), 1, 0, rows);
    auto all = ofRows(scales);
    if (failed(all))
      return failure();
    scales = *all;
    if (zeros.rank()) {
      auto points = ofRows(zeros);
      if (failed(points))
        return failure();
      zeros = *points;
    }
    w = (w - zeros) * scales;
  } else {
    if (zeros.rank())
      zeros = reshape(zeros, {columns, blocks, 1});
    w = (w - zeros) * reshape(scales, {columns, blocks, 1});
    w = slice(reshape(w, {columns, blocks * block}), 1, 0, rows);
  }
  return giveProduct(node, x, w);
}

/// Rows of a quantized table. Operands: its bits, indices, scales and zero
/// points. Only the rows that are asked for become floats.
LogicalResult importGather(Node &node) {
  for (unsigned i : {0, 1, 2})
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
  const Narrow *data = narrowAt(node, 0), *points = narrowAt(node, 3);
  if (!node.operand(1) || !node.operand(2))
    return node.unsupported("indices or scales of a narrow type");
  int64_t bits = data ? data->format.bits : node.intAttr("bits", 4),
          block = node.intAttr("block_size", 128);
  Expr codes = data ? Expr(node.b, data->codes) : operand(node, 0);
  Expr indices = operand(node, 1), scales = operand(node, 2);
  int64_t rank = codes.rank();
  auto rowAxis = node.axis(node.intAttr("gather_axis"), rank);
  auto axis = node.axis(node.intAttr("quantize_axis", 1), rank);
  if (failed(rowAxis) || failed(axis))
    return failure();
  int64_t per = data ? 1 : 8 / std::max<int64_t>(bits, 1);
  bool fits = (data ? data->format.kind == Format::Kind::integer
                    : codes.elementType().isUnsignedInteger(8)) &&
              (bits == 2 || bits == 4 || bits == 8) && block > 0 &&
              *rowAxis != *axis && scales.rank() == rank &&
              (per == 1 || *axis == rank - 1) &&
              isOf(indices.elementType(), Elements::integers) &&
              isOf(scales.elementType(), Elements::floats);
  Integers blocks(codes.shape());
  if (fits) {
    blocks[*axis] = (blocks[*axis] * per + block - 1) / block;
    fits = ArrayRef<int64_t>(blocks) == scales.shape();
  }
  if (!fits)
    return node.error() << "takes no rows of " << bits << " bits from "
                        << codes.type() << " with scales " << scales.type();
  // What is asked for is unpacked afterwards, so that constants stay packed.
  bool staysPacked = *rowAxis != rank - 1;
  Expr stored = data && staysPacked && data->format.bits < 8
                    ? packedLast(codes, data->format)
                    : Expr();
  Expr zeros, storedZeros;
  if (points)
    zeros = decoded(Expr(node.b, points->codes), points->format);
  else if (node.has(3))
    zeros = zerosOf(operand(node, 3), blocks, bits);
  if (zeros && points) {
    storedZeros = Expr(node.b, points->codes);
  } else if (zeros && staysPacked &&
             !isa<FloatType>(operand(node, 3).elementType())) {
    Integers split(blocks);
    split.back() = (split.back() * bits + 7) / 8;
    storedZeros = reshape(operand(node, 3), split);
  }
  if (node.has(3) && (!zeros || zeros.shape() != ArrayRef<int64_t>(blocks)))
    return node.error() << "its zero points do not suit scales "
                        << scales.type();
  auto rows = [&](Expr e) {
    return Part(node, "Gather").set("axis", *rowAxis).runForOne({e, indices});
  };
  auto picked = rows(stored ? stored : codes), factors = rows(scales);
  if (failed(picked) || failed(factors))
    return failure();
  if (!*picked || !*factors)
    return give(node, Expr());
  Expr x = stored ? unpackedLast(*picked, data->format)
           : data ? decoded(*picked, data->format)
                  : unpackedLast(*picked, bits);
  // The rows' dimensions stand in place of one.
  int64_t at = *axis + (*axis > *rowAxis ? indices.rank() - 1 : 0);
  auto wide = [&](Expr e) { return repeated(e, at, block, x.size(at)); };
  if (zeros) {
    auto moved = rows(storedZeros ? storedZeros : zeros);
    if (failed(moved))
      return failure();
    if (points)
      moved = decoded(*moved, points->format);
    else if (storedZeros)
      moved = slice(unpackedLast(*moved, bits), moved->rank() - 1, 0,
                    blocks.back());
    x = x - wide(*moved);
  } else if (!data) {
    x = x - double(1 << (bits - 1));
  }
  return give(node, cast(x * wide(widened(*factors)), scales.elementType()));
}

} // namespace

void addMicrosoftBlockHandlers(Handlers &handlers) {
  handlers["com.microsoft::GatherBlockQuantized"] = {importGather,
                                                     Takes::narrow};
  handlers["com.microsoft::MatMulNBits"] = importMatMul;
}

} // namespace weir::onnx
