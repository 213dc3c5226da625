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

/// Four warps, each of which has 16 rows.
struct AttentionPlan {
  static constexpr int64_t rowsOfBlock = 64, warps = 4;
  // Shared memory for a slice of q and, at most, of k and of v.
  static constexpr int64_t sliceBytes = 16 << 10;

  Multiplier multiplier;
  int64_t rows, columns, depth, width; // of the attention
  int64_t tile;                        // columns whose scores are made at once
  int64_t depthOfSlice, depthSlices;   // of q and k
  int64_t tileOfSlice;                 // columns of a slice of v
  int64_t widthOfTile;                 // the width, padded

  bool isAligned; // whether all that is copied is copied by whole chunks

  AttentionPlan(const Attention &a, Multiplier multiplier, int64_t bytes)
      : multiplier(multiplier) {
    kernel::MatmulOp scores = a.scores, product = a.product;
    rows = sizeFromLast(scores.getOut(), 1);
    columns = sizeFromLast(scores.getOut(), 0);
    depth = sizeFromLast(a.k, 1);
    width = sizeFromLast(product.getOut(), 0);
    widthOfTile =
        lineOf(width, bytes, multiplier == Multiplier::Threads ? 32 : 16);
    isAligned = llvm::all_of(
        llvm::ArrayRef<mlir::Value>{a.q, a.k, a.v}, [](mlir::Value memory) {
          return sideOf(memory, false, nullptr).bytesTogether() == chunkBytes;
        });
    // Pairs of 16 bits hold the scores of twice as many columns.
    tile = multiplier == Multiplier::Halves ? 64 : 32;
    int64_t most = sliceBytes / bytes / rowsOfBlock;
    depthSlices = std::max<int64_t>(1, llvm::divideCeil(depth, most));
    depthOfSlice = lineOf(llvm::divideCeil(depth, depthSlices), bytes, 16);
    tileOfSlice = std::min<int64_t>(
        tile, llvm::bit_floor<uint64_t>(sliceBytes / bytes / widthOfTile));
  }

  /// Whether ptxas has registers for the result, beside the addresses of
  /// slices and of the pieces of chunks.
  bool fits() const {
    bool isWide = multiplier == Multiplier::Halves ||
                  (multiplier == Multiplier::Threads && depth <= 128);
    return width <= (isWide && isAligned ? 128 : 64);
  }
  int64_t tiles() const { return llvm::divideCeil(columns, tile); }
};

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_ATTENTIONPLAN_H
