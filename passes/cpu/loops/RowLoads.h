// Vectorizes loads at indices that the body of a loop computes.

#ifndef WEIR_PASSES_CPU_LOOPS_ROWLOADS_H
#define WEIR_PASSES_CPU_LOOPS_ROWLOADS_H

#include "passes/cpu/kernels/Emitter.h"
#include "passes/cpu/loops/LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace weir::cpu {

/// The loads of a body, each from a row of its buffer that all lanes share.
/// They load one element, adjacent elements, or elements at indices from a
/// table. Tables ascend with small steps, as those of resized images do: a
/// vector is loaded and permuted.
class RowLoads {
public:
  explicit RowLoads(LoopNest &nest);

  /// Whether an op of a body computes an index, and whether all users of an
  /// argument do.
  static bool isIndexing(mlir::Operation &inner);
  static bool isTable(mlir::BlockArgument argument);
  /// Whether the op loads a 32-bit element at computed indices.
  static bool isLoad(mlir::Operation &inner);

  bool any() const { return !loads.empty(); }
  /// Whether all loads have such a form for vectors of `lanes`.
  bool apply(int64_t lanes, const kernel::Target &target);
  /// Whether the indices in tables are close enough, tested before the
  /// outermost loop on which they do not depend. Null if no load uses a table.
  mlir::Value areNear(Emitter &e, int64_t lanes);
  /// Loads the first `valid` of `lanes` elements for the loop indices `at`.
  mlir::Value load(Emitter &e, mlir::memref::LoadOp load,
                   llvm::ArrayRef<mlir::Value> at, int64_t lanes,
                   int64_t valid);

private:
  bool isInside(mlir::Value value) const;
  bool dependsOn(mlir::Value value, unsigned d) const;
  bool varies(mlir::Value value) const;
  bool isOfLanesAlone(mlir::Value value) const;
  bool isLane(mlir::Value value) const;
  bool hasVector(mlir::Value value) const;
  bool isOfTable(mlir::memref::LoadOp load) const;
  mlir::OpOperand &operandOf(mlir::BlockArgument argument) const;
  mlir::Value scalar(Emitter &e, mlir::Value value,
                     llvm::ArrayRef<mlir::Value> at);
  mlir::Value vector(Emitter &e, mlir::Value value,
                     llvm::ArrayRef<mlir::Value> at, int64_t lanes,
                     int64_t valid);
  mlir::Operation *outermost(mlir::Operation *op);

  LoopNest &nest;
  llvm::SmallVector<mlir::memref::LoadOp> loads;
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_ROWLOADS_H
