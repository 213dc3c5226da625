// How a block of threads goes about an attention.

#ifndef WEIR_PASSES_GPU_KERNELS_ATTENTIONPLAN_H
#define WEIR_PASSES_GPU_KERNELS_ATTENTIONPLAN_H

#include "passes/gpu/kernels/Attention.h"

namespace weir::gpu {

/// How long the dimension is, counted from the last.
inline int64_t sizeFromLast(mlir::Value memory, unsigned i) {
  llvm::ArrayRef<int64_t> shape =
      mlir::cast<mlir::MemRefType>(memory.getType()).getShape();
  return shape[shape.size() - 1 - i];
}

/// So many elements, or more, as are whole lines of chunks that can be turned.
inline int64_t lineOf(int64_t elements, int64_t bytes, int64_t least) {
  constexpr int64_t bankBytes = 128;
  elements = std::max(elements, least);
  return elements * bytes > bankBytes
             ? llvm::alignTo(elements, bankBytes / bytes)
             : llvm::PowerOf2Ceil(elements);
}

/// Warps, each of which has 16 rows: four, or one where there are no more rows.
struct AttentionPlan {
  static constexpr int64_t rowsOfWarp = 16, maxWarps = 4;
  // Shared memory for a slice of q and, at most, of k and of v.
  static constexpr int64_t sliceBytes = 16 << 10;
  // Warps that a processor is given before one of them has less to do: as many
  // as two blocks of four, which is also where FlashAttention-2 stops sharing.
  static constexpr int64_t warpsOfProcessor = 8;
  // What the launch that combines parts takes, in tiles; and the fewest columns
  // and the most of parts.
  static constexpr int64_t tilesOfLaunch = 4, minColumns = 64, maxParts = 64;
  // What a thread copies of k and v for a tile without loops, in pieces of
  // chunks, also where addresses of words of tf32 take registers beside them;
  // and at most in a round of a loop, in chunks.
  static constexpr int64_t maxPieces = 64, maxOfTf32 = 24, chunksOfRound = 2;

  Multiplier multiplier;
  int64_t warps;
  int64_t rows, columns, depth, width; // of the attention
  int64_t tile;                        // columns whose scores are made at once
  int64_t depthOfSlice, depthSlices;   // of q and k
  int64_t tileOfSlice;                 // columns of a slice of v
  int64_t widthOfTile;                 // of the result, a block's, padded

  int64_t parts, tilesOfPart; // of the columns, a block each

  bool isAligned; // whether all that is copied is copied by whole chunks
  int64_t pieces; // that a thread copies of the first slices of k and of v

  AttentionPlan(const Attention &a, Multiplier multiplier, int64_t bytes)
      : multiplier(multiplier) {
    kernel::MatmulOp scores = a.scores, product = a.product;
    rows = sizeFromLast(scores.getOut(), 1);
    columns = sizeFromLast(scores.getOut(), 0);
    depth = sizeFromLast(a.k, 1);
    width = sizeFromLast(product.getOut(), 0);
    auto piece = [](mlir::Value memory) {
      return sideOf(memory, false, nullptr).bytesTogether();
    };
    isAligned = llvm::all_of(
        llvm::ArrayRef<mlir::Value>{a.q, a.k, a.v},
        [&](mlir::Value side) { return piece(side) == chunkBytes; });
    widthOfTile =
        lineOf(llvm::divideCeil(width, llvm::divideCeil(width, maxWidth())),
               bytes, multiplier == Multiplier::Threads ? 32 : 16);
    // Pairs of 16 bits hold the scores of twice as many columns.
    tile = multiplier == Multiplier::Float16 ? 64 : 32;
    warps = rows > rowsOfWarp ? maxWarps : 1;
    int64_t most = sliceBytes / bytes / (maxWarps * rowsOfWarp);
    depthSlices = std::max<int64_t>(1, llvm::divideCeil(depth, most));
    depthOfSlice = lineOf(llvm::divideCeil(depth, depthSlices), bytes, 16);
    tileOfSlice = std::min<int64_t>(
        tile, llvm::bit_floor<uint64_t>(sliceBytes / bytes / widthOfTile));
    pieces = (tile * depthOfSlice / piece(a.k) +
              widthOfTile * tileOfSlice / piece(a.v)) *
             bytes / (warps * warp);
    parts = 1;
    tilesOfPart = tiles();
  }

  int64_t rowsOfBlock() const { return warps * rowsOfWarp; }
  int64_t blocksOfRows() const { return llvm::divideCeil(rows, rowsOfBlock()); }
  int64_t tiles() const { return llvm::divideCeil(columns, tile); }

  /// Has as many blocks share the columns of each of `blocks` as `processors`
  /// processors have room for in one round, where that saves more tiles one
  /// after the other than the second launch takes.
  void shareColumns(int64_t blocks, int64_t processors) {
    int64_t room = processors * warpsOfProcessor / warps;
    int64_t most =
        std::clamp<int64_t>(room / std::max<int64_t>(blocks, 1), 1, maxParts);
    int64_t each =
        std::max<int64_t>(llvm::divideCeil(tiles(), most), minColumns / tile);
    if (tiles() - each <= tilesOfLaunch)
      return;
    tilesOfPart = each;
    parts = llvm::divideCeil(tiles(), each);
  }

  /// How wide a result ptxas has registers for, beside the addresses of slices
  /// and of the pieces of chunks.
  int64_t maxWidth() const {
    bool isWide = multiplier == Multiplier::Float16 ||
                  (multiplier == Multiplier::Threads && depth <= 128);
    return isWide && isAligned ? 128 : 64;
  }
  /// How many chunks of such a part a thread copies without a loop around them.
  /// Without one LLVM keeps the address of each piece that is at no fixed
  /// distance from another in registers, from the first tile to the last: of
  /// chunks that may be outside of the memory, which a loop over the depth
  /// keeps too, and of pieces of chunks. These are then more than a thread has.
  /// Nor is there one where threads multiply two slices one after the other:
  /// LLVM would move the first's sums behind it, and keep all they are made of.
  int64_t chunksTogether(const Part &part) const {
    bool isDeep = depthSlices > 1 && (part.passesLines || part.passesDepth);
    bool isMoved = multiplier == Multiplier::Threads && depthSlices == 2;
    bool areMany =
        pieces > (multiplier == Multiplier::Tf32 ? maxOfTf32 : maxPieces);
    if (isMoved || !(isDeep || areMany))
      return INT64_MAX;
    return isDeep && !isAligned ? 1 : chunksOfRound;
  }
  int64_t blocksOfWidth() const { return llvm::divideCeil(width, widthOfTile); }
};

/// What blocks that share the columns of an attention leave of each row: the
/// sums of f32 [parts, batch, rows, width], and of the scores the largest and
/// the total of the exponentials of the distances from it [parts, batch, rows].
struct AttentionParts {
  mlir::Value sums, largest, totals;

  AttentionParts() = default;
  AttentionParts(ThreadBuilder &b, const Attention &a, int64_t parts);
  /// A launch that makes the attention's result of them.
  void combine(ThreadBuilder &b, const Attention &a) const;
};

/// What makes sums of exponentials, times v, of a row with such a total its
/// results.
class RowScale {
public:
  RowScale(ThreadBuilder &b, const Attention &a, mlir::Value total);
  mlir::Value apply(ThreadBuilder &b, mlir::Value sum) const;

private:
  mlir::Value scale;
  /// False where the row's weights are no numbers and shall be 0; null: they
  /// stay what they are.
  mlir::Value isNumber;
};

/// What a block computes: of a batch, part `part` of the columns for the rows
/// from `firstRow` on, and of their results those from `firstResult` on.
struct AttentionPosition {
  mlir::Value part;
  mlir::ValueRange batch;
  mlir::Value firstRow, firstResult;
};

/// One block. Unless `parts` are to keep what it finds, it stores the result.
void emitAttention(ThreadBuilder &b, const Attention &a,
                   const AttentionPlan &plan, const AttentionParts &parts,
                   const AttentionPosition &position, mlir::Value thread);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_ATTENTIONPLAN_H
