// Copies slices of memory to shared memory while threads compute.
//
// Copies are asynchronous (cp.async): while the threads use one slice, the next
// ones are copied to other parts of shared memory. A slice consists of lines of
// memory, in chunks of 16 bytes. The order of chunks in a line depends on the
// line (swizzle), so that lanes that read adjacent lines access different
// banks.

#ifndef WEIR_PASSES_GPU_KERNELS_STAGES_H
#define WEIR_PASSES_GPU_KERNELS_STAGES_H

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weir::gpu {

/// The default number of slices in shared memory: one is read, the others are
/// being copied.
inline constexpr int64_t usualStages = 3;
/// In bytes: the size of one copy of a thread, and of a contiguous piece in
/// shared memory.
inline constexpr int64_t chunkBytes = 16;

/// The address of a matrix element.
struct Position {
  llvm::SmallVector<mlir::Value> at;
  /// Null: always inside. If false, the element is zero and the indices are not
  /// used.
  mlir::Value inside = {};
};

/// A matrix that is read in slices along its depth.
struct Side {
  mlir::Value memory;
  /// The address of an element. A line is a row of the left side of a product,
  /// or a column of the right side. The indices are within bounds.
  llvm::function_ref<Position(mlir::Value batch, mlir::Value line,
                              mlir::Value k)>
      position;
  /// Whether the depth is contiguous in memory; otherwise the lines are.
  bool byDepth;
  /// So many elements are contiguous, from each multiple of this number on.
  int64_t run;

  mlir::Type element() const {
    return mlir::cast<mlir::MemRefType>(memory.getType()).getElementType();
  }
  int64_t elementBytes() const { return element().getIntOrFloatBitWidth() / 8; }
  /// Whether an element's address can be computed from its indices.
  bool hasAddresses() const;
  /// In bytes, a power of two up to a chunk: elements at multiples of this size
  /// are contiguous and aligned, if the memory is aligned.
  int64_t bytesTogether() const;
  /// Loads the element; zero if it is outside.
  mlir::Value load(ThreadBuilder &b, mlir::Value batch, mlir::Value line,
                   mlir::Value k) const;
};

/// The layout of a slice of `lines` by `depth` elements in shared memory.
struct Slice {
  int64_t lines, depth;
  /// Whether the depth is contiguous, as in the side.
  bool byDepth;
  int64_t elementBytes;
  /// Whether lines of memory are divided into parts of 128 bytes, with the
  /// first parts of all lines before the second ones. Chunks are swizzled by
  /// the number of their line. This is the 128-byte swizzle of wgmma if the
  /// slice begins at a multiple of 1024 bytes.
  bool inParts = false;

  int64_t bytes() const { return lines * depth * elementBytes; }
  int64_t elementsOfChunk() const { return chunkBytes / elementBytes; }
  int64_t chunksOfLine() const {
    return (byDepth ? depth : lines) / elementsOfChunk();
  }
  int64_t bytesOfLine() const { return chunksOfLine() * chunkBytes; }
  /// The distance between parts in bytes.
  int64_t bytesOfPart() const { return bytes() / bytesOfLine() * 128; }
  /// The offset of a chunk of a line in bytes.
  mlir::Value offsetOf(ThreadBuilder &b, mlir::Value line,
                       mlir::Value chunk) const;
};

/// The part of a side that a block needs: `lines` lines from `first` on, at
/// depths below `depth`.
struct Part {
  mlir::Value batch, first;
  int64_t lines, depth;
  /// Whether a slice extends beyond the lines, or beyond the depth.
  bool passesLines, passesDepth;
};

/// A pointer to shared memory (address space 3) or global memory (0). For views
/// it is only correct after `resolveViews`.
mlir::Value pointerTo(ThreadBuilder &b, mlir::Value memory);
/// Adds an offset in bytes to a pointer.
mlir::Value after(ThreadBuilder &b, mlir::Value pointer, mlir::Value bytes);
mlir::Value loadAt(ThreadBuilder &b, mlir::Type type, mlir::Value pointer);

/// Starts to copy the slice of a side at depth `k` to `target` in shared
/// memory, by all `threads` threads of the block. Elements outside become zero.
/// Copies that cannot be asynchronous are done at once. If a thread copies more
/// than `chunksTogether` chunks, it uses a loop.
void beginSlice(ThreadBuilder &b, const Side &side, const Slice &slice,
                const Part &part, mlir::Value k, mlir::Value target,
                mlir::Value thread, int64_t threads,
                int64_t chunksTogether = INT64_MAX);
/// Ends a group of copies.
void endGroup(ThreadBuilder &b);
/// Waits for the thread's own copies, except those of the last `groups` groups.
void waitForGroups(ThreadBuilder &b, int64_t groups);
/// Loads four matrices of 8 rows of 16 bytes (PTX ISA, ldmatrix). Lane `i`
/// passes the address of row `i % 8` of matrix `i / 8`. A lane receives word
/// `lane % 4` of row `lane / 4` of each matrix. If `transposed`, it receives
/// the 16-bit elements 2 (lane % 4) and the next of column `lane / 4`.
llvm::SmallVector<mlir::Value>
loadMatrices(ThreadBuilder &b, mlir::Value pointer, bool transposed);

/// Computes the addresses of `memref.view`s from their operands. MLIR 19's
/// expand-strided-metadata would drop their offsets.
void resolveViews(mlir::Operation *function);
/// Limits copies from memory that is aligned to only `alignment` bytes to that
/// size, or replaces them by loads and stores.
void narrowCopies(mlir::Operation *function,
                  llvm::function_ref<int64_t(mlir::BlockArgument)> alignment);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_STAGES_H
