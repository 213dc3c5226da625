// The lifetimes of values in a block of groups, with and without recomputation
// before late uses.

#ifndef WEIR_PASSES_FUSE_TIMELINE_H
#define WEIR_PASSES_FUSE_TIMELINE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace weir::fuse {

/// The largest number of live bytes, and the op at which it is reached. Scratch
/// memory of kernels is not known yet and not counted.
struct Peak {
  int64_t bytes = 0;
  size_t at = 0;
};

class Timeline {
public:
  explicit Timeline(mlir::Block &block);

  /// An op of the block, or a clone of an earlier one.
  struct Step {
    size_t op;
    bool isCopy = false;
  };
  using Steps = llvm::SmallVector<Step>;

  /// The steps of the block without recomputation.
  Steps steps() const;
  /// The steps with recomputation: uses of `dropped` values after the op `at`
  /// use clones. A clone is before the first such use, and its operands are in
  /// memory or clones themselves.
  Steps recomputed(const llvm::DenseSet<mlir::Value> &dropped, size_t at) const;
  Peak peak(llvm::ArrayRef<Step> steps) const;

  /// The recomputable values that are computed before an op and used after it,
  /// but not by it, in order. Values whose recomputation needs no contraction
  /// are `cheap`.
  void across(size_t at, llvm::SmallVectorImpl<mlir::Value> &cheap,
              llvm::SmallVectorImpl<mlir::Value> &others) const;

  int64_t bytesOf(mlir::Value value) const { return bytes.lookup(value); }
  /// The number of live bytes after an op, minus that before it.
  int64_t growthBy(size_t op) const;

  /// Rewrites the block to the steps. Each clone gets a number, `weir.again`,
  /// so that CSE does not merge it with its original; `made` counts the clones.
  void apply(llvm::ArrayRef<Step> steps, int64_t &made);

private:
  /// The value in whose memory this one lies.
  mlir::Value rootOf(mlir::Value value) const {
    mlir::Value root = roots.lookup(value);
    return root ? root : value;
  }
  /// The index of the op that defines a value; no value for one from outside of
  /// the block.
  std::optional<size_t> makerOf(mlir::Value value) const;
  void addOp(mlir::Operation *op);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> operands; // of each op
  // bytes of the buffers inside of an op's regions
  llvm::SmallVector<int64_t> inside;
  llvm::DenseMap<mlir::Operation *, size_t> positions;
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
  llvm::DenseMap<mlir::Value, int64_t> bytes;   // in the arena, by root
  llvm::DenseMap<mlir::Value, size_t> lastUses; // by root
};

} // namespace weir::fuse

#endif // WEIR_PASSES_FUSE_TIMELINE_H
