// When the values of a block of groups are in memory, and when they would be
// if some were computed again where they are used late.

#ifndef WEIR_PASSES_FUSE_TIMELINE_H
#define WEIR_PASSES_FUSE_TIMELINE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace weir {

/// The most bytes that live at once, as far as they are known before kernels
/// are made, and which op is run then.
struct Peak {
  int64_t bytes = 0;
  size_t at = 0;
};

class Timeline {
public:
  explicit Timeline(mlir::Block &block);

  /// An op of the block, or once more a copy of one that stands before.
  struct Step {
    size_t op;
    bool isCopy = false;
  };
  using Steps = llvm::SmallVector<Step>;

  /// The block as it is.
  Steps steps() const;
  /// The same where each use behind the op `at` of a value that is `dropped`
  /// is of a copy, made before the first such use from what is in memory, or
  /// from copies of what no longer is.
  Steps recomputed(const llvm::DenseSet<mlir::Value> &dropped, size_t at) const;
  Peak peak(llvm::ArrayRef<Step> steps) const;

  /// Values that are made before an op, used behind it but not by it, and that
  /// can be made again; in order. Those without matrix products and the like
  /// between them and what stays in memory are `cheap`.
  void across(size_t at, llvm::SmallVectorImpl<mlir::Value> &cheap,
              llvm::SmallVectorImpl<mlir::Value> &others) const;

  int64_t bytesOf(mlir::Value value) const { return bytes.lookup(value); }
  /// How many bytes more are alive behind an op than before it.
  int64_t growthBy(size_t op) const;

  /// Makes the block what the steps are. Each copy has a number, `weir.again`,
  /// so that nothing takes it for what it is a copy of; `made` counts them.
  void apply(llvm::ArrayRef<Step> steps, int64_t &made);

private:
  /// The value in whose memory one lies.
  mlir::Value rootOf(mlir::Value value) const {
    mlir::Value root = roots.lookup(value);
    return root ? root : value;
  }
  /// Which op makes a value; none for what comes from outside the block.
  std::optional<size_t> makerOf(mlir::Value value) const;
  void addOp(mlir::Operation *op);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> operands; // of each op
  llvm::SmallVector<int64_t> inside; // bytes of what an op's regions make
  llvm::DenseMap<mlir::Operation *, size_t> places;
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
  llvm::DenseMap<mlir::Value, int64_t> bytes;   // of the arena; of roots
  llvm::DenseMap<mlir::Value, size_t> lastUses; // of roots
};

} // namespace weir

#endif // WEIR_PASSES_FUSE_TIMELINE_H
