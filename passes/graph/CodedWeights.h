// Recognizes constant weights of codes with scales, and packs them.

#ifndef WEIR_PASSES_GRAPH_CODEDWEIGHTS_H
#define WEIR_PASSES_GRAPH_CODEDWEIGHTS_H

#include "dialects/graph/packed/Packed.h"
#include "dialects/kernel/PackedWeights.h"

#include <optional>
#include <vector>

namespace weir::graph {

/// A table of codes of `stored` bits each. Each row begins with a new byte.
struct CodeTable {
  llvm::ArrayRef<char> bytes;
  int64_t rowBytes, bits, stored;
  bool isSigned, isSplat;

  /// The code as an unsigned number; signed codes are shifted to start at 0.
  uint8_t at(int64_t row, int64_t column) const {
    int64_t position = row * rowBytes + column * stored / 8;
    int number = static_cast<uint8_t>(bytes[isSplat ? 0 : position]);
    number >>= column * stored % 8;
    return (number + (isSigned ? 1 << (bits - 1) : 0)) & ((1 << bits) - 1);
  }
};

/// The constant weights of a product: a matrix of codes, or its transpose if
/// `turned`. Blocks with one scale extend along the depth.
struct CodedWeights {
  int64_t depth, columns, block;
  bool turned;
  CodeTable codes;
  std::optional<CodeTable> zeros;
  llvm::ArrayRef<char> scales;
  bool splatScales;
  int64_t scalesOfRow;
  mlir::Type scaleType;

  int64_t blocks() const { return llvm::divideCeil(depth, block); }
  uint8_t code(int64_t k, int64_t n) const {
    return turned ? codes.at(n, k) : codes.at(k, n);
  }
  uint8_t zero(int64_t block, int64_t n) const {
    if (!zeros)
      return codes.isSigned ? 1 << (codes.bits - 1) : 0;
    return turned ? zeros->at(n, block) : zeros->at(block, n);
  }
  const char *scale(int64_t block, int64_t n) const {
    int64_t position =
        turned ? n * scalesOfRow + block : block * scalesOfRow + n;
    return scales.data() +
           (splatScales ? 0 : position) * scaleType.getIntOrFloatBitWidth() / 8;
  }

  /// The zero point, if all blocks have the same one.
  std::optional<int64_t> sameZero() const;
  /// The packed layout. Blocks are whole 32-bit words, so a block of the whole
  /// depth may be longer than it.
  kernel::PackedWeights layout(bool hasZeros) const;
  /// Packs to `to`, whose bytes must be zero.
  void pack(const kernel::PackedWeights &layout, char *to) const;

private:
  void packBlock(const kernel::PackedWeights &layout, int64_t b, int64_t n,
                 int64_t c, char *record) const;
};

/// Storage for numbers that a CodedWeights refers to but no constant holds.
struct OwnNumbers {
  std::vector<char> zeros, scales;
};

/// Recognizes the right operand of a product, or its transpose if `turned`,
/// that is computed from constants. It may be a graph.dequantize with blocks
/// along the depth. It may also be bytes with casts, a subtraction and a
/// product with a scale for each column. No value for other operands.
std::optional<CodedWeights> codedWeights(mlir::Value right, int64_t depth,
                                         int64_t columns, bool turned,
                                         OwnNumbers &own);

} // namespace weir::graph

#endif // WEIR_PASSES_GRAPH_CODEDWEIGHTS_H
