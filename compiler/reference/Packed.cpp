// Quantized weights of the reference interpreter.

#include "compiler/reference/Families.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/packed/Packed.h"
#include "dialects/kernel/PackedWeights.h"
#include <cmath>

using namespace mlir;

namespace weir::reference {
namespace {

/// Codes of `bits` bits, several in a byte, the first in its lowest bits.
class Codes {
public:
  /// `count` is the number of all codes, by which a byte has one or several.
  Codes(const Tensor &bytes, int64_t bits, bool isSigned, int64_t count)
      : bytes(bytes), bits(bits), perByte(bytes.size() == count ? 1 : 8 / bits),
        isSigned(isSigned) {}

  int64_t operator[](int64_t index) const {
    uint64_t byte = bytes[index / perByte].bits;
    uint64_t code = byte >> (index % perByte * bits);
    code &= (uint64_t(1) << bits) - 1;
    if (isSigned && code >> (bits - 1))
      return int64_t(code) - (int64_t(1) << bits);
    return int64_t(code);
  }

private:
  const Tensor &bytes;
  int64_t bits, perByte;
  bool isSigned;
};

Tensor dequantize(graph::DequantizeOp op, Operands in) {
  Tensor result(op.getType());
  const Tensor &scales = *in[1];
  int64_t axis = op.getAxis(), block = op.getBlock(), bits = op.getBits();
  int64_t size = result.shape()[axis];
  int64_t stride = graph::stridesOf(result.shape())[axis];
  int64_t blocks = llvm::divideCeil(size, block);
  Codes codes(*in[0], bits, op.getIsSigned(), result.size());
  std::optional<Codes> zeros;
  if (in.size() > 2)
    zeros.emplace(*in[2], bits, op.getIsSigned(), scales.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t at = i / (stride * size) * blocks + i / stride % size / block;
    int64_t scale = at * stride + i % stride;
    int64_t zero = zeros ? (*zeros)[scale] : 0;
    result[i].number = double(codes[i] - zero) * scales[scale].number;
  }
  return result;
}

/// Little-endian bits of `count` bytes of the weights.
uint64_t bitsAt(const Tensor &bytes, int64_t at, int64_t count) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; ++i)
    bits |= bytes[at + i].bits << (8 * i);
  return bits;
}

/// The weights in the layout of PackedWeights.h, as numbers: `depth` rows of
/// `columns`.
std::vector<double> unpack(graph::PackedMatmulOp op, int64_t depth,
                           const Tensor &bytes) {
  Type scaleType = op.getScaleType();
  kernel::PackedWeights layout{depth,
                               int64_t(op.getColumns()),
                               int64_t(op.getBits()),
                               int64_t(op.getBlock()),
                               scaleType.getIntOrFloatBitWidth() / 8,
                               !op.getZero()};
  std::vector<double> weights(depth * layout.columns);
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < layout.columns; ++n) {
      int64_t lane = n % layout.panel, row = k % layout.block;
      int64_t record = n / layout.panel * layout.panelBytes() +
                       k / layout.block * layout.recordBytes();
      double scale = decoded(
          bitsAt(bytes, record + lane * layout.scaleBytes, layout.scaleBytes),
          *semanticsOf(scaleType));
      int64_t zero =
          op.getZero()
              ? int64_t(*op.getZero())
              : int64_t(bytes[record + layout.zerosOffset() + lane].bits);
      int64_t word = row / layout.perWord() * layout.panel + lane;
      uint64_t codes =
          bitsAt(bytes, record + layout.wordsOffset() + word * layout.wordBytes,
                 layout.wordBytes);
      uint64_t code = codes >> (row % layout.perWord() * layout.bits) &
                      ((uint64_t(1) << layout.bits) - 1);
      weights[k * layout.columns + n] = double(int64_t(code) - zero) * scale;
    }
  return weights;
}

Tensor packedMatmul(graph::PackedMatmulOp op, const Tensor &x,
                    const Tensor &bytes) {
  Tensor result(op.getType());
  int64_t rows = x.shape()[0], depth = x.shape()[1], columns = op.getColumns();
  std::vector<double> weights = unpack(op, depth, bytes);
  for (int64_t row = 0; row < rows; ++row) {
    bool isFinite = true;
    for (int64_t k = 0; k < depth; ++k) {
      double factor = x[row * depth + k].number;
      isFinite &= std::isfinite(factor);
      for (int64_t n = 0; n < columns; ++n)
        result[row * columns + n].number += factor * weights[k * columns + n];
    }
    for (int64_t n = 0; n < columns && !isFinite; ++n)
      result[row * columns + n].number = std::nan("");
  }
  return result;
}

} // namespace

void addPacked(Evaluators &all) {
  all.add(
      [](graph::DequantizeOp op, Operands in) { return dequantize(op, in); });
  all.add([](graph::PackedMatmulOp op, Operands in) {
    return packedMatmul(op, *in[0], *in[1]);
  });
}

} // namespace weir::reference
