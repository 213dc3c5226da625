// How weights of few bits lie in memory, for products that unpack them in
// registers.

#ifndef WEIR_DIALECTS_KERNEL_PACKEDWEIGHTS_H
#define WEIR_DIALECTS_KERNEL_PACKEDWEIGHTS_H

#include <algorithm>
#include <cstdint>

namespace weir::kernel {

/// A matrix of `depth` rows and `columns` columns, of which a block of rows of
/// one column has a scale and a zero point: element (k, n) is (code - zero) *
/// scale. The bytes are `panels() x panelBytes()`: panels of 32 columns, each a
/// record for each block. A record has a scale for each column, a byte as the
/// zero point of each where `hasZeros`, and then the codes as words of 32 bits,
/// one for each column: word w of a block has the codes of rows `w * perWord()`
/// and on, the first in its lowest bits. Columns and rows past the matrix have
/// codes and scales of 0.
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

  /// Whether there is such a matrix: blocks are whole words, and no number of
  /// bytes overflows.
  bool isValid() const {
    constexpr int64_t most = int64_t(1) << 40;
    return (bits == 2 || bits == 4 || bits == 8) && depth > 0 && columns > 0 &&
           block > 0 && block <= most && block % perWord() == 0 &&
           depth <= most && columns <= most / depth;
  }

  /// Rows of a block that one chain of additions sums: a divisor of the block,
  /// in whole words.
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
