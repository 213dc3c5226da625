// The packed layout of weights of few bits, which products unpack in registers.

#ifndef WEIR_DIALECTS_KERNEL_PACKEDWEIGHTS_H
#define WEIR_DIALECTS_KERNEL_PACKEDWEIGHTS_H

#include <algorithm>
#include <cstdint>

namespace weir::kernel {

/// A matrix of `depth` rows and `columns` columns. A block of rows of one
/// column has a scale and a zero point: element (k, n) is (code - zero) *
/// scale.
///
/// The bytes are `panels() x panelBytes()`: panels of 32 columns, each with a
/// record for each block. A record has a scale for each column, with `hasZeros`
/// a byte as the zero point of each, and then the codes. Codes are 32-bit
/// words, one for each column: word w of a block has the codes of the rows from
/// `w * perWord()` on, the first one in its lowest bits. The padding of rows
/// and columns has codes and scales of 0.
struct PackedWeights {
  static constexpr int64_t panel = 32, wordBytes = 4;

  int64_t depth, columns, bits, block, scaleBytes;
  bool hasZeros;

  int64_t perWord() const { return 32 / bits; }
  int64_t panels() const { return ceil(columns, panel); }
  int64_t blocks() const { return ceil(depth, block); }
  int64_t wordsOfBlock() const { return block / perWord(); }
  int64_t zerosOffset() const { return panel * scaleBytes; }
  int64_t wordsOffset() const { return zerosOffset() + hasZeros * panel; }
  int64_t recordBytes() const {
    return wordsOffset() + wordsOfBlock() * panel * wordBytes;
  }
  int64_t panelBytes() const { return blocks() * recordBytes(); }

  /// Whether the numbers are valid: blocks are whole words, and no size in
  /// bytes overflows.
  bool isValid() const {
    constexpr int64_t most = int64_t(1) << 40;
    return (bits == 2 || bits == 4 || bits == 8) && depth > 0 && columns > 0 &&
           block > 0 && block <= most && block % perWord() == 0 &&
           depth <= most && columns <= most / depth;
  }

  /// The rows of a block that are summed in one chain of additions: whole
  /// words, and a divisor of the block.
  int64_t chain() const {
    constexpr int64_t longest = 128;
    int64_t words = std::min(wordsOfBlock(), longest / perWord());
    while (wordsOfBlock() % words)
      --words;
    return words * perWord();
  }

private:
  static int64_t ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_PACKEDWEIGHTS_H
