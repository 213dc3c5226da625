// What the body of loops loads from rows of buffers, at places that it
// computes.

#ifndef WEIR_PASSES_CPU_LOOPS_ROWLOADS_H
#define WEIR_PASSES_CPU_LOOPS_ROWLOADS_H

#include "passes/cpu/kernels/Emitter.h"
#include "passes/cpu/loops/LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace weir {

/// Loads of a body, each from a row of its buffer that all lanes share: of one
/// element, of neighbours, or of those whose places a table of the lanes has.
/// Tables never fall and have near places for neighbours, as those of images
/// that are enlarged do: a vector is loaded, and its lanes change places.
class RowLoads {
public:
  explicit RowLoads(LoopNest &nest);

  /// Whether an op of a body makes an index of integers, and whether all that
  /// reads an argument of one does so.
  static bool isIndexing(mlir::Operation &inner);
  static bool isTable(mlir::BlockArgument argument);
  /// Whether it loads a word, at indices alone.
  static bool isLoad(mlir::Operation &inner);

  bool any() const { return !loads.empty(); }
  /// Whether all have such forms for vectors of `lanes`.
  bool apply(int64_t lanes, const kernel::Target &target);
  /// Whether the places of tables are near each other, asked before the
  /// outermost loop around `e` that they do not depend on; null where no load
  /// has places of a table.
  mlir::Value areNear(Emitter &e, int64_t lanes);
  /// The first `valid` of `lanes` elements from the loops' indices `at` on.
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

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_ROWLOADS_H
