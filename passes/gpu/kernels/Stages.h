// Slices of memory on their way to the threads of a block.
//
// While the threads compute with one slice, the next ones are copied into other
// parts of shared memory by instructions that do not wait for them (cp.async).
// A slice is lines of memory, in chunks of 16 bytes; which chunk of its line
// lies where depends on the line, so that lanes that read neighbouring lines
// find them in different banks.

#ifndef WEIR_PASSES_GPU_KERNELS_STAGES_H
#define WEIR_PASSES_GPU_KERNELS_STAGES_H

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weir::gpu {

/// The slices that are in shared memory at once, where nothing else is said:
/// one that is read, the others on their way.
inline constexpr int64_t usualStages = 3;
/// What a thread copies at once, and what lies together in shared memory.
inline constexpr int64_t chunkBytes = 16;

/// Where an element of a matrix lies.
struct Place {
  llvm::SmallVector<mlir::Value> at;
  /// Null: always. Where it is false the element is zero, and the indices may
  /// be any.
  mlir::Value inside = {};
};

/// A matrix that is read in slices along its depth.
struct Side {
  mlir::Value memory;
  /// The place of the element of a line (a row on the left of a product, a
  /// column on its right) at a depth; indices are within bounds.
  llvm::function_ref<Place(mlir::Value batch, mlir::Value line, mlir::Value k)>
      place;
  /// Whether neighbours in memory are along the depth, else along the lines.
  bool byDepth;
  /// So many elements are neighbours, from each multiple of that on.
  int64_t run;

  mlir::Type element() const {
    return mlir::cast<mlir::MemRefType>(memory.getType()).getElementType();
  }
  int64_t elementBytes() const { return element().getIntOrFloatBitWidth() / 8; }
  /// Whether an element's address can be computed from its indices.
  bool hasAddresses() const;
  /// The bytes, a power of two up to those of a chunk, that lie together and
  /// aligned wherever their number of elements divides the place, if the memory
  /// is aligned.
  int64_t bytesTogether() const;
  /// The element, zero where it is outside.
  mlir::Value load(ThreadBuilder &b, mlir::Value batch, mlir::Value line,
                   mlir::Value k) const;
};

/// How a slice of `lines` by `depth` elements lies in shared memory.
struct Slice {
  int64_t lines, depth;
  /// As the side has them: else a line of memory is at one depth.
  bool byDepth;
  int64_t elementBytes;
  /// Whether lines of memory are cut into parts of 128 bytes, and the first
  /// parts of all come before the second ones. A chunk is turned by the number
  /// of its line: this is what wgmma takes as swizzled by 128 bytes, if the
  /// slice begins at a multiple of 1024 bytes.
  bool inParts = false;

  int64_t bytes() const { return lines * depth * elementBytes; }
  int64_t elementsOfChunk() const { return chunkBytes / elementBytes; }
  int64_t chunksOfLine() const {
    return (byDepth ? depth : lines) / elementsOfChunk();
  }
  int64_t bytesOfLine() const { return chunksOfLine() * chunkBytes; }
  /// Bytes from a part to the next, where there are parts.
  int64_t bytesOfPart() const { return bytes() / bytesOfLine() * 128; }
  /// Bytes from the slice's begin to a chunk of a line of memory.
  mlir::Value offsetOf(ThreadBuilder &b, mlir::Value line,
                       mlir::Value chunk) const;
};

/// Which part of a side a block needs: lines from `first` on, of `lines`, of
/// depths below `depth`.
struct Part {
  mlir::Value batch, first;
  int64_t lines, depth;
  /// Whether any slice reaches past the lines, past the depth.
  bool passesLines, passesDepth;
};

/// A pointer to memory that is shared (space 3) or not (space 0). Of views that
/// memory becomes later it is right after `resolveViews`.
mlir::Value pointerTo(ThreadBuilder &b, mlir::Value memory);
/// The pointer so many bytes on.
mlir::Value after(ThreadBuilder &b, mlir::Value pointer, mlir::Value bytes);
mlir::Value loadAt(ThreadBuilder &b, mlir::Type type, mlir::Value pointer);

/// Begins to copy the slice of a side at depth `k` to `target`, which is
/// shared, by all of the block's `threads` threads; what is outside becomes
/// zero. Copies that cannot be left to themselves are done at once. More than
/// `chunksTogether` chunks of a thread are copied by a loop, so many or fewer
/// in a round.
void beginSlice(ThreadBuilder &b, const Side &side, const Slice &slice,
                const Part &part, mlir::Value k, mlir::Value target,
                mlir::Value thread, int64_t threads,
                int64_t chunksTogether = INT64_MAX);
/// Ends a group of copies.
void endGroup(ThreadBuilder &b);
/// Waits for the thread's own copies, but those of the last `groups` groups.
void waitForGroups(ThreadBuilder &b, int64_t groups);
/// Four matrices of 8 rows of 16 bytes, of which lane `i` has the address of
/// row `i % 8` of matrix `i / 8`: of each a lane gets one word, number `lane %
/// 4` of row `lane / 4`. With `transposed`, elements of 16 bits 2 (lane % 4)
/// and the next of column `lane / 4` (PTX ISA, ldmatrix).
llvm::SmallVector<mlir::Value>
loadMatrices(ThreadBuilder &b, mlir::Value pointer, bool transposed);

/// Takes the addresses of `memref.view`s in a function from what they view:
/// MLIR 19's expand-strided-metadata would forget how far they begin in it.
void resolveViews(mlir::Operation *function);
/// Makes copies of a function from memory that is aligned to only `alignment`
/// bytes copies of so many bytes, or loads and stores.
void narrowCopies(mlir::Operation *function,
                  llvm::function_ref<int64_t(mlir::BlockArgument)> alignment);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_STAGES_H
