// What a product refuses of a schedule.

#include "dialects/kernel/schedule/MatmulShape.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> namesOf(MatmulShare) {
  static constexpr llvm::StringLiteral names[] = {
      "none", "batches", "row_blocks", "rows", "columns"};
  return names;
}

ArrayRef<llvm::StringLiteral> namesOf(MatmulCopy) {
  static constexpr llvm::StringLiteral names[] = {"none", "block", "slab"};
  return names;
}

ArrayRef<llvm::StringLiteral> namesOf(MatmulPrefetch) {
  static constexpr llvm::StringLiteral names[] = {"none", "panel", "stream"};
  return names;
}

// A tile's columns are whole vectors, and of a packed right side parts of a
// panel or whole panels. Its sums and one operand are in registers.
static LogicalResult verifyTile(Operation *op, const MatmulShape &shape,
                                const MatmulSchedule &s) {
  if (s.tileColumns % shape.lanes)
    return op->emitOpError("tile_columns is ")
           << s.tileColumns << ", not a multiple of the " << shape.lanes
           << " lanes of a vector";
  int64_t panel = shape.panel;
  bool severalPanels = panel && s.tileColumns > panel;
  if (panel && (severalPanels ? s.tileColumns % panel : panel % s.tileColumns))
    return op->emitOpError("tile_columns is ")
           << s.tileColumns << ", and panels have " << panel << " columns";
  if (severalPanels && (shape.isVnni || shape.batches > 1 || s.packInside))
    return op->emitOpError("tile_columns is ")
           << s.tileColumns << ", more than the " << panel << " of a panel";
  int64_t vectors = s.tileColumns / shape.lanes;
  int64_t registers = Target::of(op).registers;
  if (s.tileRows > (registers - 1) / vectors)
    return op->emitOpError("a tile of ")
           << s.tileRows << " rows by " << vectors
           << " vectors needs more than " << registers << " registers";
  return success();
}

// Between blocks of the depth sums are in the result, which must hold them
// exactly; slabs have whole blocks.
static LogicalResult verifyDepth(Operation *op, const MatmulShape &shape,
                                 const MatmulSchedule &s) {
  if (s.depthBlock < shape.depth && shape.sumElement != shape.outElement)
    return op->emitOpError("depth_block is ")
           << s.depthBlock << " of " << shape.depth
           << ", but the result has no " << shape.sumElement
           << " for the sums between blocks";
  if (s.depthSlab < shape.depth && s.depthSlab % s.depthBlock)
    return op->emitOpError("depth_slab is ")
           << s.depthSlab << ", not a multiple of depth_block, "
           << s.depthBlock;
  if (shape.hasPartialGroup && s.copy == MatmulCopy::none)
    return op->emitOpError(
        "copy is none, but rows end within a group of 4 bytes");
  return success();
}

LogicalResult verifyProduct(Operation *op, const MatmulShape &shape,
                            const MatmulSchedule &s) {
  if (!llvm::isPowerOf2_64(s.accumulatorSets))
    return op->emitOpError("accumulator_sets is ")
           << s.accumulatorSets << ", not a power of two";
  if (int64_t registers = Target::of(op).registers;
      s.accumulatorSets > registers)
    return op->emitOpError("accumulator_sets is ")
           << s.accumulatorSets << ", more than " << registers << " registers";
  if (s.prefetchLevel > 2)
    return op->emitOpError("prefetch_level is ")
           << s.prefetchLevel << ", not 1 or 2";
  if (failed(verifyTile(op, shape, s)))
    return failure();
  return verifyDepth(op, shape, s);
}

LogicalResult verifyMatmul(Operation *kernel, const MatmulSchedule &s) {
  auto shape = MatmulShape::of(kernel, Target::of(kernel));
  return verifyProduct(kernel, shape, s);
}

} // namespace weir::kernel
