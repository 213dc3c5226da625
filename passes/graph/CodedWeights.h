// Constant weights that are codes with scales, and how they are packed.

#ifndef WEIR_PASSES_GRAPH_CODEDWEIGHTS_H
#define WEIR_PASSES_GRAPH_CODEDWEIGHTS_H

#include "dialects/graph/packed/Packed.h"
#include "dialects/kernel/PackedWeights.h"

#include <optional>
#include <vector>

namespace weir {

/// Codes in memory, each in `stored` bits, rows of whole bytes.
struct CodeTable {
  llvm::ArrayRef<char> bytes;
  int64_t rowBytes, bits, stored;
  bool isSigned, isSplat;

  /// A code as an unsigned number: signed ones are moved to above 0.
  uint8_t at(int64_t row, int64_t column) const {
    int64_t place = row * rowBytes + column * stored / 8;
    int number = static_cast<uint8_t>(bytes[isSplat ? 0 : place]);
    number >>= column * stored % 8;
    return (number + (isSigned ? 1 << (bits - 1) : 0)) & ((1 << bits) - 1);
  }
};

/// The constant weights of a product: a matrix of codes, or with `turned` its
/// transpose, with blocks along the depth.
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
    int64_t place = turned ? n * scalesOfRow + block : block * scalesOfRow + n;
    return scales.data() +
           (splatScales ? 0 : place) * scaleType.getIntOrFloatBitWidth() / 8;
  }

  /// The zero point of all blocks, where that is one.
  std::optional<int64_t> sameZero() const;
  /// Of whole words; a block of all of the depth may be longer than that.
  kernel::PackedWeights layout(bool hasZeros) const;
  /// `to` is zero before.
  void pack(const kernel::PackedWeights &layout, char *to) const;

private:
  void packBlock(const kernel::PackedWeights &layout, int64_t b, int64_t n,
                 int64_t c, char *record) const;
};

/// Numbers that a CodedWeights borrows.
struct OwnNumbers {
  std::vector<char> zeros, scales;
};

/// The right side of a product, or with `turned` its transpose, that is
/// computed from constants: by graph.dequantize with blocks along the depth, or
/// from bytes by casts, a subtraction and a product, with a scale for each
/// column. Nothing of others.
std::optional<CodedWeights> codedWeights(mlir::Value right, int64_t depth,
                                         int64_t columns, bool turned,
                                         OwnNumbers &own);

} // namespace weir

#endif // WEIR_PASSES_GRAPH_CODEDWEIGHTS_H
